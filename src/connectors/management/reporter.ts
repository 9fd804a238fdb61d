import type { AppContext } from '#context/context.ts';
import type { Queryable, Transaction } from '#db/db.ts';
import type { NewPlayerLimit } from '#events/ingest/event-queue.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { Keys } from '#store/sequence.ts';
import { type HeldServer, touchHeld } from '#store/game/watches/managed-servers.ts';
import {
  addOnline,
  countUnknown,
  issuedBans,
  type ListedBan,
  listedBans,
  type OnlinePlayer,
  onlineOn,
  removeBans,
  removeOnline,
  saveBans,
} from '#store/game/watches/managed-state.ts';
import { reportingThemselves, watchOf } from '#store/game/watches/server-watches.ts';
import { ConnectionLost } from './connection-lost.ts';
import {
  bannedEvent,
  banChangedEvent,
  contentOf,
  isAboutOwnBan,
  newReference,
  presenceEvent,
  sessionEvent,
  unbannedEvent,
} from './events.ts';
import type { Ban } from './messages.ts';
import type { Step } from './steps.ts';

export interface ReporterDeps {
  context: Pick<AppContext, 'db' | 'clock' | 'config' | 'log'>;
  /** The process that follows the server. */
  holder: string;
  newPlayers: NewPlayerLimit;
}

/** Another process follows the server now, or an operator changed its connection. */
export class NoLongerHeld extends Error {}

/**
 * Commits steps, their events and the new state in one transaction. After an interruption the next connection finds the
 * missing steps by comparing the lists of the server with that state.
 * @throws ConnectionLost if the steps add more players than a server may; nothing was committed
 * @throws NoLongerHeld
 */
export async function reportSteps(deps: ReporterDeps, server: HeldServer, steps: readonly Step[]): Promise<void> {
  const { context, holder, newPlayers } = deps;
  const { db, clock, config, log } = context;
  const now = clock.now();
  const done = await db.transaction(async (tx) => {
    // First, because reporting events takes this lock too; see `Keys`.
    await Keys.lock(tx);
    if (!(await touchHeld(tx, now, holder, server))) throw new NoLongerHeld();
    const unknown = await unknownPlayers(deps, tx, server, steps);
    // A server that sends its own events is not reported a second time, but the state of its lists is stored.
    const since = now - config.PRESENCE_TIMEOUT * 1000;
    const isSilent = (await reportingThemselves(tx, [server.serverKey], since)).size > 0;
    const change = await Change.begin(tx, { server, now, isSilent }, steps);
    for (const step of steps) change.apply(step);
    await change.save();
    // Changes of bans that were issued here are reported nevertheless, because only this service knows their
    // references.
    if (isSilent) return { unknown: 0, rejected: await ingest(tx, clock, change.events.filter(isAboutOwnBan)) };
    const events = [...change.events, ...(await heartbeat(tx, server, now, change.online))];
    const rejected = await ingest(tx, clock, events);
    return { unknown, rejected };
  });
  newPlayers.count(new Map([[server.serverKey, done.unknown]]), now);
  if (done.rejected > 0) log.warn({ server: server.serverName, events: done.rejected }, 'a managed server was refused');
}

async function unknownPlayers(
  { context, newPlayers }: ReporterDeps,
  tx: Queryable,
  { serverKey }: HeldServer,
  steps: readonly Step[],
): Promise<number> {
  const uuids = new Set(steps.flatMap((step) => stepPlayer(step) ?? []));
  const unknown = await countUnknown(tx, [...uuids]);
  if (newPlayers.allows(serverKey, unknown, 0, context.clock.now())) return unknown;
  throw new ConnectionLost('too_many_players');
}

function stepPlayer(step: Step): string | undefined {
  if (step.kind === 'joined') return step.player.uuid;
  return step.kind === 'banned' ? step.ban.uuid : undefined;
}

async function ingest(tx: Transaction, clock: AppContext['clock'], events: readonly WireEvent[]): Promise<number> {
  if (events.length === 0) return 0;
  const receipts = await ingestEvents(tx, clock, { kind: 'operator' }, events);
  return receipts.filter(({ status }) => status === 'rejected').length;
}

/** Only for a server that is not watched, because the watcher's heartbeat contains the map as well. */
async function heartbeat(
  tx: Queryable,
  { serverKey, serverName }: HeldServer,
  now: number,
  online: readonly OnlinePlayer[],
): Promise<WireEvent[]> {
  return (await watchOf(tx, serverKey)) === undefined ? [presenceEvent(serverName, now, online)] : [];
}

interface About {
  server: HeldServer;
  now: number;
  /** Whether only bans issued here are reported, because the server sends its own events. */
  isSilent: boolean;
}

/** The changes of steps and their events. A step that repeats the known state changes nothing. */
class Change {
  readonly #tx: Queryable;
  readonly #about: About;
  readonly #online: Map<string, OnlinePlayer>;
  readonly #bans: Map<string, ListedBan>;
  readonly #issued: Map<string, string>;
  readonly #before: ReadonlyMap<string, OnlinePlayer>;
  readonly #changedBans = new Set<string>();
  readonly events: WireEvent[] = [];

  private constructor(
    tx: Queryable,
    about: About,
    online: readonly OnlinePlayer[],
    bans: Map<string, ListedBan>,
    issued: Map<string, string>,
  ) {
    this.#tx = tx;
    this.#about = about;
    this.#before = new Map(online.map((player) => [player.uuid, player]));
    this.#online = new Map(this.#before);
    this.#bans = bans;
    this.#issued = issued;
  }

  static async begin(tx: Queryable, about: About, steps: readonly Step[]): Promise<Change> {
    const { serverKey } = about.server;
    const hashes = steps.flatMap((step) => {
      if (step.kind === 'banned') return tx.keyedHash(step.ban.uuid);
      return step.kind === 'unbanned' ? step.uuidHash : [];
    });
    const uuids = steps.flatMap((step) => {
      if (step.kind === 'banned') return step.ban.uuid;
      return step.kind === 'unbanned' ? (step.uuid ?? []) : [];
    });
    const issued = await issuedBans(tx, serverKey, [...new Set(uuids)], about.now);
    const bans = await listedBans(tx, serverKey, [...new Set(hashes)]);
    return new Change(tx, about, await onlineOn(tx, serverKey), bans, issued);
  }

  get online(): OnlinePlayer[] {
    return [...this.#online.values()];
  }

  apply(step: Step): void {
    switch (step.kind) {
      case 'joined':
        return this.#join(step.player, step.time);
      case 'left':
        return this.#leave(step.player.uuid, step.time);
      case 'banned':
        return this.#ban(step.ban, step.time);
      case 'unbanned':
        return this.#unban(step);
    }
  }

  #join(player: OnlinePlayer, time: number): void {
    if (this.#online.has(player.uuid)) return;
    this.#online.set(player.uuid, player);
    this.events.push(sessionEvent('player.login', this.#about.server.serverName, time, player));
  }

  #leave(uuid: string, time: number): void {
    const player = this.#online.get(uuid);
    if (player === undefined) return;
    this.#online.delete(uuid);
    this.events.push(sessionEvent('player.logout', this.#about.server.serverName, time, player));
  }

  #ban(ban: Ban, time: number): void {
    const uuidHash = this.#tx.keyedHash(ban.uuid);
    const listed = this.#bans.get(uuidHash);
    const content = contentOf(ban);
    if (listed?.content === content || (ban.expires !== null && ban.expires <= time)) return;
    const reference = this.#report(ban, time, listed);
    this.#changedBans.add(uuidHash);
    this.#bans.set(uuidHash, { uuidHash, reference, content, expires: ban.expires });
  }

  /**
   * @returns the reference of the ban, which another reporter may have issued; empty if the player cannot be identified
   */
  #report(ban: Ban, time: number, listed: ListedBan | undefined): string {
    const { serverName } = this.#about.server;
    const known = listed?.reference || this.#issued.get(ban.uuid);
    if (known !== undefined) {
      if (listed !== undefined) this.events.push(banChangedEvent(serverName, time, known, ban));
      return known;
    }
    if (ban.name === '' || this.#about.isSilent) return '';
    const reference = newReference();
    this.events.push(bannedEvent(serverName, time, reference, ban, this.#punisher(ban.source)));
    return reference;
  }

  /** The protocol has only the name of the punisher, which identifies a player who is on the server. */
  #punisher(source: string): OnlinePlayer | null {
    const name = source.toLowerCase();
    return this.online.find((player) => player.name.toLowerCase() === name) ?? null;
  }

  #unban({ uuidHash, uuid = '', time }: Extract<Step, { kind: 'unbanned' }>): void {
    const listed = this.#bans.get(uuidHash);
    this.#bans.delete(uuidHash);
    this.#changedBans.add(uuidHash);
    // The server itself removes expired bans.
    if (listed !== undefined && listed.expires !== null && listed.expires <= time) return;
    const reference = listed?.reference || this.#issued.get(uuid);
    if (reference !== undefined) this.events.push(unbannedEvent(this.#about.server.serverName, time, reference));
  }

  /** Stores the state after the steps. */
  async save(): Promise<void> {
    const { serverKey } = this.#about.server;
    const gone = [...this.#before.keys()].filter((uuid) => !this.#online.has(uuid));
    await removeOnline(this.#tx, serverKey, gone);
    await addOnline(
      this.#tx,
      serverKey,
      this.online.filter(({ uuid }) => !this.#before.has(uuid)),
    );
    const changed = [...this.#changedBans];
    const bans = changed.flatMap((uuidHash) => this.#bans.get(uuidHash) ?? []);
    await saveBans(this.#tx, serverKey, bans);
    await removeBans(
      this.#tx,
      serverKey,
      changed.filter((uuidHash) => !this.#bans.has(uuidHash)),
    );
  }
}
