import { mapPages, Members } from '#platform/streams/json-stream.ts';
import { playerExport } from '#admin/player-export.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { readsOfAccount } from '#store/applications/account-reads.ts';
import { sessionsOf } from '#store/accounts/account-sessions.ts';
import { visitsOf } from '#store/accounts/last-visits.ts';
import { factorsOf } from '#store/accounts/factors.ts';
import type { Totp } from '#store/accounts/totp.ts';
import { connectedApplications } from '#store/accounts/consents.ts';
import { playerByUuid } from '#store/game/players.ts';
import { countedUntil } from '#store/applications/usage.ts';
import { bucketStart } from '#store/game/time-buckets.ts';
import { allActs, allTokens } from '#store/accounts/export-queries.ts';
import type { Deps } from '../deps.ts';

/** The date of a day's bucket. */
const dateOf = (day: number): string => new Date(bucketStart(day)).toISOString().slice(0, 10);

const isoTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** All data about an account and its linked game account, except the hashes of secrets. Lists are read while they are sent. */
export async function accountExport({ db, clock, config }: Deps, account: Account): Promise<Members> {
  const now = clock.now();
  const { created, disabled, ...facts } = account;
  const player = account.player_uuid === null ? undefined : await playerByUuid(db, account.player_uuid);
  const sessions = await sessionsOf(db, account.id, now);
  const applications = await connectedApplications(db, account.id);
  const reads = await readsOfAccount(db, account.id, { zone: config.TIME_ZONE, now });
  const visits = await visitsOf(db, account.id);
  const { passkeys, totp, recovery_codes } = await factorsOf(db, account.id);
  return new Members({
    exported: isoTime(now),
    account: { ...facts, created: isoTime(created), disabled: isoTime(disabled) },
    sessions: sessions.map((session) => ({
      created: isoTime(session.created),
      seen: isoTime(session.seen),
      address: session.address,
      user_agent: session.agent,
    })),
    factors: {
      passkeys: passkeys.map(({ account_id: _, ...passkey }) => ({ ...passkey, ...useTimes(passkey) })),
      authenticator_app: totp === undefined ? null : useTimes(totp),
      recovery_codes,
    },
    last_visits:
      visits === undefined
        ? null
        : {
            ...{ seen: isoTime(visits.seen), wins: visits.wins, place: visits.place },
            ...{ former_seen: isoTime(visits.former_seen), former_wins: visits.former_wins },
            former_place: visits.former_place,
          },
    applications: applications.map(({ granted, used, read, ...rest }) => ({
      ...rest,
      granted: isoTime(granted),
      used: isoTime(used),
      read: isoTime(read),
    })),
    reads: reads.map(({ day, ...read }) => ({ day: dateOf(day), ...read })),
    reads_counted_until: isoTime((await countedUntil(db)) ?? null),
    tokens: mapPages(allTokens(db, account.id), ({ expires, hash: _, ...rest }) => ({
      ...rest,
      expires: isoTime(expires),
    })),
    acts: mapPages(allActs(db, account.id), ({ time, actor_id: _, ...rest }) => ({ time: isoTime(time), ...rest })),
    player: player === undefined ? null : await playerExport(db, player, now),
  });
}

const useTimes = ({ created, last_used }: Totp) => ({ created: isoTime(created), last_used: isoTime(last_used) });
