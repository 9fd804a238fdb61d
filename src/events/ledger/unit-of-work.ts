import type { Queryable, Transaction } from '#db/db.ts';
import { type Sql, type Value, withRows } from '#db/sql.ts';
import { CounterAccumulator } from './counter-accumulator.ts';
import { isUnnamed, NEVER_SEEN } from '#store/game/player-names.ts';
import { PlayerAccumulator } from './player-accumulator.ts';
import type { Problem } from '../schema/problems.ts';
import { changeStatements, ChangeSet } from '#store/game/changes.ts';
import { changesByNames } from '#store/game/renamed-players.ts';
import { HiddenLists, privateIn } from '#store/game/hidden-lists.ts';
import { hasPrivate } from '#store/game/private-players.ts';
import { changesOfReported, hideReported } from '#store/game/hidden-players.ts';
import { followRanked } from '#store/game/leaderboards/leaderboard-projection.ts';
import { type Issued, noticesOf } from '#store/mail/punishment-notices.ts';
import { revokedByReference } from '#store/game/punishments.ts';
import { type FinishedMatch, removeSeen } from '#store/game/live-matches.ts';
import { hasPseudonym, type KnownPlayer } from '#store/game/players.ts';
import type { Keys } from '#store/sequence.ts';
import type { Sender } from './receipts.ts';
import type { Server } from '#store/game/servers.ts';

/** The insert-only tables and their columns, referenced tables before those that refer to them. */
const TABLES = {
  matches: 'key, head, started, finished, map_key, server_key, gamemode, ranked, teams_key',
  excluded_matches: 'match_key',
  merged_in_matches: 'match_key, player_key',
  match_details: 'match_key, head, started, finished, teams, objectives, extras',
  match_counters: 'match_key, counters',
  player_matches:
    'match_key, player_key, name, result, score, kill_count, death_count, time_played, envdeath_count, team',
  punishments:
    'key, scope_key, reference, punisher_uuid, punisher_name, punished_key, type, level, reason, server, automatic, time, expires, changed',
  kills: 'match_key, number, killer_key, killer_name, victim_key, victim_name, time, location',
  player_objectives: 'player_key, type, match_key, number, name, color, team, percent, time',
  player_sessions: 'player_key, ledger_key, time, login, server_key, server, name',
  counter_reports: 'event_key, player_key, mode, counters',
  faction_reports: 'player_key, time, ledger_key, power, faction, faction_id, faction_role',
  name_observations: 'player_key, ledger_key, time, name',
  ledger: 'key, scope_key, event_id, type, time, received, body, aggregate, credential, content_hash, envelope',
  refusals: 'key, scope_key, event_id, type, reason, place, problems, received',
  event_warnings: 'key, scope_key, event_id, type, warnings, received',
} as const;

type Table = keyof typeof TABLES;
const INSERTS = Object.entries(TABLES).map(([table, columns]) => ({
  table: table as Table,
  head: `insert into ${table} (${columns}) values`,
  columns: columns.split(',').length,
}));

/** Queues rows, to insert them with few statements per table. */
class InsertBuffer {
  /** The values of all rows of each table, concatenated. */
  readonly #values = new Map<Table, Value[]>();

  add(table: Table, row: readonly Value[]): void {
    let values = this.#values.get(table);
    if (values === undefined) this.#values.set(table, (values = []));
    for (const value of row) values.push(value);
  }

  has(table: Table): boolean {
    return this.#values.has(table);
  }

  /** Returns the statements that insert all queued rows, and empties the buffer. */
  take(): Sql[] {
    const statements = INSERTS.flatMap(({ table, head, columns }) =>
      withRows(head, columns, this.#values.get(table) ?? []),
    );
    this.#values.clear();
    return statements;
  }
}

/** Recognises references of punishments that were issued before: in the database, or in the same transaction. */
export class PunishmentReferences {
  readonly #tx: Queryable;
  /** Whether each loaded reference is used, by scope and reference. */
  readonly #used = new Map<string, boolean>();

  constructor(tx: Queryable) {
    this.#tx = tx;
  }

  /** Reads which references are used, in few statements. */
  async load(named: Iterable<readonly [scope: number, reference: string]>): Promise<void> {
    const unread = [...named].filter((name) => !this.#used.has(name.join(' ')));
    for (const [scope, own] of Map.groupBy(unread, ([scope]) => scope)) {
      const references = own.map(([, reference]) => reference);
      const used = await revokedByReference(this.#tx, scope, references);
      for (const reference of references) this.#used.set(`${scope} ${reference}`, used.has(reference));
    }
  }

  async isUsed(scope: number, reference: string): Promise<boolean> {
    await this.load([[scope, reference]]);
    return this.#used.get(`${scope} ${reference}`)!;
  }

  /** Records that an event of this transaction uses the reference. */
  add(scope: number, reference: string): void {
    this.#used.set(`${scope} ${reference}`, true);
  }
}

/**
 * The unit of work of one transaction: handlers queue changes here, and `flush` writes them together, parents before the
 * rows that refer to them. `players` merges the changes of players and fixed counters, `counters` those of the network's
 * own counters, `rows` queues plain inserts, and `references` knows which punishments were issued.
 */
export class UnitOfWork {
  readonly tx: Transaction;
  readonly keys: Keys;
  readonly now: number;
  readonly players = new PlayerAccumulator();
  readonly counters: CounterAccumulator;
  readonly rows = new InsertBuffer();
  readonly references: PunishmentReferences;
  /** The public resources that the transaction changes. Effects and jobs declare their kinds first. */
  readonly changes = new ChangeSet([]);
  /** The matches of this transaction with a result, which no longer count as unreported. */
  readonly finished: FinishedMatch[] = [];
  /** The punishments of this transaction about which mails may be sent. */
  readonly issued: Issued[] = [];
  /** The keys of the servers whose heartbeats or running matches the handlers stored, with the hidden players. */
  readonly reported = new Set<number>();
  /** The number of finished matches that `flush` has handled. */
  #removed = 0;

  constructor(tx: Transaction, keys: Keys, now: number) {
    this.tx = tx;
    this.keys = keys;
    this.now = now;
    this.counters = new CounterAccumulator(tx);
    this.references = new PunishmentReferences(tx);
  }

  /** Reads players into the accumulator; a handler may only change loaded players. */
  async load(uuids: Iterable<string>): Promise<void> {
    await this.players.load(this.tx, uuids);
  }

  async flush(): Promise<void> {
    const named = this.players.newNames();
    // A player under a pseudonym, whose first event came after the deletion of the account, is not public.
    for (const player of named)
      if (player.isNew && !hasPseudonym(player)) this.changes.add('player', player.key, 'created');
    const statements = [
      ...[this.players.take(), this.rows.take(), this.counters.take()].flat(),
      ...noticesOf(this.tx, this.now, this.issued.splice(0)),
      ...changeStatements(this.changes.take(), this.now),
    ];
    if (statements.length > 0) await this.tx.runAll(statements);
    const finished = this.finished.slice(this.#removed);
    this.#removed = this.finished.length;
    if (finished.length > 0) await removeSeen(this.tx, finished);
    await this.#hideReported(named);
    // They read the rows that were written above.
    await this.addRenamed(named.filter(({ isNew }) => !isNew).map(({ key }) => key));
    await this.tx.runAll(changeStatements(this.changes.take(), this.now));
  }

  /** Adds players with another name or UUID to the changes, and what shows them. */
  async addRenamed(players: readonly number[]): Promise<void> {
    for (const { kind, key, type } of await changesByNames(this.tx, players)) this.changes.add(kind, key, type);
  }

  /** Removes hidden players from all reports, after one of them got a name or a UUID, and from copies of the servers. */
  async hidePlayers(): Promise<void> {
    await hideReported(this.tx, await HiddenLists.read(this.tx));
    for (const { kind, key, type } of await changesOfReported(this.tx)) this.changes.add(kind, key, type);
  }

  /** Removes hidden players from what the handlers stored; if one of them has another name, from everything. */
  async #hideReported(named: readonly { key: number; uuid: string; name: string }[]): Promise<void> {
    const servers = [...this.reported];
    this.reported.clear();
    if (servers.length === 0 && named.length === 0) return;
    const [lists, anyPrivate] = [await HiddenLists.read(this.tx), await hasPrivate(this.tx)];
    if (lists.isEmpty && !anyPrivate) return;
    const uuids = named.map(({ uuid }) => uuid);
    const isPrivate = anyPrivate && (await privateIn(this.tx, { names: [], uuids })).uuids.size > 0;
    if ((await lists.bind(this.tx, named)) || isPrivate) {
      await this.hidePlayers();
      const keys = named.map(({ key }) => key);
      await followRanked(this.tx, this.now, keys);
    } else if (servers.length > 0) await hideReported(this.tx, lists, servers);
  }
}

/** The arguments of every handler, except the event's data. */
export interface EventContext {
  work: UnitOfWork;
  sender: Sender;
  /** The event's key: its receipt, and the id of the match, map or punishment that the event creates. */
  key: number;
  /** Assigns the keys of the players that the event adds. */
  playerKeys: Pick<Keys, 'following'>;
  /** The sender's own id of the event. */
  eventId: string;
  time: number;
  /** The server that the event belongs to; undefined for the network itself. */
  server: Server | undefined;
  /** Whether a rebuild applies the event again. Its players were observed when the event was ingested. */
  isReplay: boolean;
}

/** The scope of an event: the key of its server, 0 for the network itself. */
export const eventScope = ({ server }: Pick<EventContext, 'server'>): number => server?.key ?? 0;

interface Named {
  uuid: string;
  /** Left out if the event does not know it. */
  name?: string | undefined;
}

/**
 * Returns the player, adding an unknown one, and records the name at this time. For events whose rows store the name; see
 * `observePlayer` for the others.
 */
export function findOrAddPlayer(context: EventContext, player: Named, time: number): KnownPlayer {
  const { players } = context.work;
  return context.isReplay ? players.find(player.uuid)! : players.observe(player, time, context.playerKeys);
}

/**
 * Like `findOrAddPlayer`, for events whose rows do not store the name: a row in `name_observations` lets
 * `rebuildPlayerNames` restore the name history after a retraction.
 */
export function observePlayer(context: EventContext, player: Named, time = context.time): KnownPlayer {
  const { work, key, isReplay } = context;
  const found = findOrAddPlayer(context, player, time);
  const { name = '' } = player;
  const [seen, observed] = isUnnamed(name) ? [NEVER_SEEN, ''] : [time, name];
  if (!isReplay) work.rows.add('name_observations', [found.key, key, seen, observed]);
  return found;
}

/** A handler's rejection of an event, thrown before the handler has changed anything. */
export class EventRejected extends Error {
  /** The path of the member that is wrong, such as `data.map`. */
  readonly place: string;
  /** Whether the same event may be accepted later: it refers to something that does not exist yet. */
  readonly early: boolean;

  /** @param predicate the problem of the member, or of the event if `place` is empty: see `problemOf` */
  constructor(place: string, predicate: string, early = false) {
    super(predicate);
    this.name = 'EventRejected';
    this.place = place;
    this.early = early;
  }
}

/**
 * The result of a handler that accepted an event.
 * - note: a message to the sender, such as why the event changed nothing
 * - aggregate: the aggregate that the event changed, if only its handler knows it
 * - warnings: values that are not plausible, given the stored ones
 * - stored: members of the data that the ledger has in the place of those that were sent
 * - duplicateOf: the event changes nothing because an earlier one has the same content: the key of that event, or null if it
 *   is not in the ledger
 */
export type HandlerResult =
  | {
      note?: string;
      aggregate?: string;
      stored?: object | undefined;
      warnings?: Problem[];
      duplicateOf?: number | null;
    }
  | undefined;
