import { appealContact } from '#http/contact.ts';
import { openSecretKey, type SecretKey } from '#platform/crypto/secret-key.ts';
import type { Queryable } from '#db/db.ts';
import { Keys } from '#store/sequence.ts';
import { heldServers, openSecret, recordManageState, touchHeld } from '#store/game/watches/managed-servers.ts';
import {
  addOnline,
  bansAfter,
  countUnknown,
  issuedBans,
  listedBans,
  onlineOn,
  removeBans,
  removeOnline,
  saveBans,
} from '#store/game/watches/managed-state.ts';
import { reportingThemselves, WATCH_EVENT, watchOf } from '#store/game/watches/server-watches.ts';
import type { AppContext } from '#context/context.ts';
import { Leases } from '#context/leases.ts';
import { NewPlayerLimit } from '#events/ingest/event-queue.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { ConnectionLost, type ManagementCore, NoLongerHeld, type ReportedState } from '#management/core.ts';
import { ManagedServers, type ManagedServersOptions } from '#management/managed-servers.ts';

type Context = Pick<AppContext, 'db' | 'clock' | 'config' | 'log'>;

/**
 * Follows the managed servers. Several processes may do this at the same time: one of them has the lease of each server, and
 * writes of the others are refused.
 */
export function createManagedServers(context: Context, options: ManagedServersOptions = {}): ManagedServers {
  return new ManagedServers(managementCore(context, options.monotonic ?? (() => performance.now())), options);
}

function managementCore(context: Context, monotonic: () => number): ManagementCore {
  const { db, clock, config, log } = context;
  const leases = new Leases(context, 'managed_servers', monotonic);
  const newPlayers = new NewPlayerLimit(config.NEW_PLAYERS_LIMIT);
  const presenceTimeoutMs = config.PRESENCE_TIMEOUT * 1000;
  let key: SecretKey | undefined;
  return {
    ...{ log, presenceTimeoutMs, presencePrefix: WATCH_EVENT, appeal: appealContact(config) },
    now: () => clock.now(),
    keyedHash: (uuid) => db.keyedHash(uuid),
    async hold(limit) {
      await leases.hold(limit);
      const held = await heldServers(db, leases.holder);
      return held.map((server) => ({ ...server, secret: () => openSecret((key ??= openSecretKey(config)), server) }));
    },
    release: () => leases.release(),
    reportedState: ({ serverKey }) => reportedState(db, serverKey, clock.now()),
    async change(server, uuids, work) {
      const { serverKey, serverName } = server;
      const now = clock.now();
      const done = await db.transaction(async (tx) => {
        // First, because reporting events takes this lock too; see `Keys`.
        await Keys.lock(tx);
        if (!(await touchHeld(tx, now, leases.holder, server))) throw new NoLongerHeld();
        const unknown = await countUnknown(tx, uuids);
        if (!newPlayers.allows(serverKey, unknown, 0, now)) throw new ConnectionLost('too_many_players');
        // A server that sends its own events is not reported a second time.
        const isReportingItself = (await reportingThemselves(tx, [serverKey], now - presenceTimeoutMs)).size > 0;
        let rejected = 0;
        await work({
          ...{ ...reportedState(tx, serverKey, now), isReportingItself },
          isWatched: (await watchOf(tx, serverKey)) !== undefined,
          async save({ joined, left, banned, unbanned }) {
            await removeOnline(tx, serverKey, left);
            await addOnline(tx, serverKey, joined);
            await saveBans(tx, serverKey, banned);
            await removeBans(tx, serverKey, unbanned);
          },
          async report(events, isListed) {
            const receipts = await ingestEvents(tx, clock, { kind: 'operator', isImport: isListed }, events);
            rejected += receipts.filter(({ status }) => status === 'rejected').length;
          },
        });
        return { unknown: isReportingItself ? 0 : unknown, rejected };
      });
      newPlayers.count(new Map([[serverKey, done.unknown]]), now);
      if (done.rejected > 0) log.warn({ server: serverName, events: done.rejected }, 'a managed server was refused');
    },
    record: (server, state) => recordManageState(db, clock.now(), leases.holder, server, state),
  };
}

export const reportedState = (db: Queryable, serverKey: number, now: number): ReportedState => ({
  online: () => onlineOn(db, serverKey),
  listedBans: (uuidHashes) => listedBans(db, serverKey, uuidHashes),
  bansAfter: (after, limit) => bansAfter(db, serverKey, after, limit),
  issuedBans: (uuids) => issuedBans(db, serverKey, uuids, now),
});
