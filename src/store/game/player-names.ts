import { setImmediate } from 'node:timers/promises';
import { isUuidLabel, nameKey, playerNameKey, uuidLabel } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import { insertAll, type Sql, sql } from '#db/sql.ts';
import { rankChanges } from './player-stats.ts';

/**
 * Derives the names, the last login and the last logout of a player from the remaining records, after events were
 * retracted. `PlayerAccumulator` maintains the same fields event by event. The newest observation of a name decides; of
 * two with the same timestamp that of the later event; of two in one event (a match of merged UUIDs) the name that
 * sorts last.
 */

/** A name in its spelling, with the timestamps of its first and last observation and the event of the last one. */
interface Span {
  name: string;
  first: number;
  last: number;
  /** The key of the event of the last observation. */
  key: number;
}

interface Session {
  time: number;
  server: string;
}

/** The time of an observation without a name. */
export const NEVER_SEEN = 0;

/** Whether an observed name is none: empty, or a label of a UUID, as in matches and in rows of earlier versions. */
export const isUnnamed = (name: string): boolean => name === '' || isUuidLabel(name);

const ROWS_PER_READ = 500;

/**
 * Collects the observations of a player. They are read in pages, because a player may have a hundred thousand of them.
 * Calling `read` again reads those that were added since: new rows have greater keys.
 */
export class PlayerObservations {
  readonly #player: number;
  readonly #spans = new Map<string, Span>();
  /** The last login and the last logout. */
  readonly newest: { login?: Session; logout?: Session } = {};
  #lastMatch = 0;
  #lastSession = 0;
  #lastNamed: [key: number, name: string] = [0, ''];

  constructor(player: number) {
    this.#player = player;
  }

  get spans(): Span[] {
    return [...this.#spans.values()];
  }

  /** The same observations, with one name in the place of all others; without a name, unchanged. */
  under(name: string | undefined): this {
    const spans = this.spans;
    if (name === undefined || spans.length === 0) return this;
    const last = spans.reduce((one, other) => (isLater(other, one) ? other : one));
    this.#spans.clear();
    this.#spans.set(name, { ...last, name, first: Math.min(...spans.map(({ first }) => first)) });
    return this;
  }

  /** The same observations, without the names that were removed and that a job has not replaced yet. */
  without(removedUntil: ((name: string) => number | undefined) | undefined): this {
    if (removedUntil === undefined) return this;
    for (const span of this.spans) {
      const until = removedUntil(span.name);
      if (until === undefined || span.first > until) continue;
      this.#spans.delete(span.name);
      if (span.last > until) this.#spans.set(span.name, { ...span, first: until });
      else this.#observe('', NEVER_SEEN, span.key);
    }
    return this;
  }

  /** Reads all observations that were not read yet, with a turn of the event loop between pages. */
  async read(db: Queryable): Promise<void> {
    while (await this.#readMatches(db)) await setImmediate();
    while (await this.#readSessions(db)) await setImmediate();
    while (await this.#readNamed(db)) await setImmediate();
  }

  async #readMatches(db: Queryable): Promise<boolean> {
    // One row value instead of two conditions, for the reason given at `playedBelow` (matches.ts).
    const rows = await db.tuples(sql`
      select p.name, m.finished, p.match_key from player_matches p join matches m on m.key = p.match_key
      where (p.player_key, p.match_key) > (${this.#player}, ${this.#lastMatch}) and p.player_key <= ${this.#player}
      order by p.player_key, p.match_key limit ${ROWS_PER_READ}`);
    for (const [name, time, key] of rows as [string, number, number][]) {
      this.#observe(name, time, key);
      this.#lastMatch = key;
    }
    return rows.length === ROWS_PER_READ;
  }

  async #readSessions(db: Queryable): Promise<boolean> {
    const rows = await db.tuples(sql`
      select name, time, ledger_key, login, server from player_sessions
      where player_key = ${this.#player} and ledger_key > ${this.#lastSession}
      order by ledger_key limit ${ROWS_PER_READ}`);
    for (const [name, time, key, login, server] of rows as [string, number, number, number, string][]) {
      this.#observe(name, time, key);
      this.#lastSession = key;
      const kind = login === 1 ? 'login' : 'logout';
      if (time >= (this.newest[kind]?.time ?? time)) this.newest[kind] = { time, server };
    }
    return rows.length === ROWS_PER_READ;
  }

  async #readNamed(db: Queryable): Promise<boolean> {
    const [key, name] = this.#lastNamed;
    const rows = await db.tuples(sql`
      select name, time, ledger_key from name_observations
      where player_key = ${this.#player} and (ledger_key, name) > (${key}, ${name})
      order by ledger_key, name limit ${ROWS_PER_READ}`);
    for (const [name, time, key] of rows as [string, number, number][]) {
      this.#observe(name, time, key);
      this.#lastNamed = [key, name];
    }
    return rows.length === ROWS_PER_READ;
  }

  #observe(name: string, reported: number, key: number): void {
    const time = isUnnamed(name) ? NEVER_SEEN : reported;
    const before = this.#spans.get(name);
    const first = Math.min(time, before?.first ?? time);
    const isLast = before === undefined || isLater({ name, last: time, key }, before);
    this.#spans.set(name, isLast ? { name, first, last: time, key } : { ...before, first });
  }
}

type LastObservation = Pick<Span, 'name' | 'last' | 'key'>;

/** Any name counts as later than the label of a player without a name. */
const compareLast = (a: LastObservation, b: LastObservation): number =>
  Number(!isUnnamed(a.name)) - Number(!isUnnamed(b.name)) ||
  a.last - b.last ||
  a.key - b.key ||
  Number(a.name > b.name) - Number(a.name < b.name);

/** Without a name, a player has the label of the UUID: after a merge, of the UUID that remains. */
const nameUnder = (uuid: string, name: string): string => (isUnnamed(name) ? uuidLabel(uuid) : name);

const isLater = (a: LastObservation, b: LastObservation): boolean => compareLast(a, b) > 0;

/** Replaces the names and last sessions of a player by those of its observations; without any, deletes the player. */
export async function replacePlayerNames(tx: Queryable, key: number, observed: PlayerObservations): Promise<void> {
  const { spans } = observed;
  await tx.run(sql`delete from player_names where player_key = ${key}`);
  if (spans.length === 0) return await deletePlayer(tx, key);
  const { uuid } = (await tx.get<{ uuid: string }>(sql`select uuid from players where key = ${key}`))!;
  const ordered = spans.sort(compareLast).map((span) => ({ ...span, name: nameUnder(uuid, span.name) }));
  const names = new Map<string, PlayerNameSpan>();
  for (const { name, first, last } of ordered) {
    const firstSeen = Math.min(first, names.get(playerNameKey(name))?.first ?? first);
    names.set(playerNameKey(name), { name, first: firstSeen, last });
  }
  const present = names.get(playerNameKey(ordered.at(-1)!.name))!;
  await writeNames(tx, key, [...names.values()], present, observed.newest);
}

type PlayerNameSpan = Omit<Span, 'key'>;

async function writeNames(
  tx: Queryable,
  key: number,
  names: readonly PlayerNameSpan[],
  present: PlayerNameSpan,
  { login, logout }: { login?: Session | undefined; logout?: Pick<Session, 'time'> | undefined },
): Promise<void> {
  const { uuid } = (await tx.get<{ uuid: string }>(sql`
    update players set name = ${present.name}, name_key = ${playerNameKey(present.name)}, name_since = ${present.first},
      last_login = ${login?.time ?? null}, last_login_server = ${login?.server ?? ''},
      last_logout = ${logout?.time ?? null}
    where key = ${key} returning uuid`))!;
  if (!isUuidLabel(present.name)) await tx.runAll(syncAccountName(uuid, present.name));
  await tx.run(sql`update player_stats set name_seen = ${present.last} where player_key = ${key}`);
  const rows = names.map(({ name, first, last }) => [playerNameKey(name), key, name, first, last]);
  await tx.runAll(
    insertAll('insert into player_names (name_key, player_key, name, first_seen, last_seen) values', rows),
  );
}

/**
 * The statements that give a player's new name to the linked account, if there is one. Another account with that name gets
 * its own id appended (`name-id`), which no game account's name can contain. An account of staff keeps its name, because a game
 * server must not let a player bear it: then the linked account gets the suffix.
 */
export function syncAccountName(uuid: string, name: string): Sql[] {
  const key = nameKey(name);
  const suffix = sql`case when exists (
    select 1 from accounts holder where holder.name_key = ${key} and holder.id <> accounts.id) then '-' || id else '' end`;
  return [
    sql`
      update accounts set name = name || '-' || id, name_key = name_key || '-' || id
      where name_key = ${key} and coalesce(player_uuid, '') <> ${uuid} and role = 'user'
        and exists (select 1 from accounts linked where linked.player_uuid = ${uuid})`,
    sql`
      update accounts set name = ${name} || ${suffix}, name_key = ${key} || ${suffix} where player_uuid = ${uuid}`,
  ];
}

/**
 * Deletes a player without any remaining observation. UUIDs that were merged into the player stay merged, but lose the
 * keys of their former players.
 */
async function deletePlayer(tx: Queryable, key: number): Promise<void> {
  await tx.run(sql`
    update player_aliases set key = null where into_uuid = (select uuid from players where key = ${key})`);
  await tx.runAll([
    sql`delete from players where key = ${key}`,
    sql`delete from unranked_players where player_key = ${key}`,
    ...rankChanges([key]),
  ]);
}

interface NamedPlayer {
  uuid: string;
  name: string;
  name_key: string;
  name_seen: number;
  last_login: number | null;
  last_login_server: string;
  last_logout: number | null;
  names: PlayerNameSpan[];
}

/**
 * Gives a player the names and last sessions of a merged one, too, from the two name histories.
 * @param survivor already owns the observations of `merged`
 * @returns whether the two have equal timestamps, so that the newer name has to be derived from the observations
 */
export async function mergePlayerNames(tx: Queryable, merged: number, survivor: number): Promise<boolean> {
  const [from, into] = [await namedPlayer(tx, merged), await namedPlayer(tx, survivor)];
  const isTied =
    from.name_seen === into.name_seen ||
    (from.last_login !== null && from.last_login === into.last_login) ||
    from.names.some((one) => into.names.some((other) => one.last === other.last));
  const names = new Map<string, PlayerNameSpan>();
  const spans = [...from.names, ...into.names].map((span) => ({ ...span, name: nameUnder(into.uuid, span.name) }));
  for (const span of spans.sort((a, b) => a.last - b.last)) {
    const first = Math.min(span.first, names.get(playerNameKey(span.name))?.first ?? span.first);
    names.set(playerNameKey(span.name), { ...span, first });
  }
  const present = names.get(from.name_seen > into.name_seen ? from.name_key : into.name_key)!;
  const login = (from.last_login ?? -Infinity) > (into.last_login ?? -Infinity) ? from : into;
  const logout = (from.last_logout ?? -Infinity) > (into.last_logout ?? -Infinity) ? from : into;
  await tx.run(sql`delete from player_names where player_key = ${survivor}`);
  await writeNames(tx, survivor, [...names.values()], present, {
    login: login.last_login === null ? undefined : { time: login.last_login, server: login.last_login_server },
    logout: logout.last_logout === null ? undefined : { time: logout.last_logout },
  });
  return isTied;
}

/** The row of the present name is not updated with each event; its spelling and end are in the player. */
async function namedPlayer(tx: Queryable, key: number): Promise<NamedPlayer> {
  const player = (await tx.get<Omit<NamedPlayer, 'names'>>(sql`
    select p.uuid, p.name, p.name_key, s.name_seen, p.last_login, p.last_login_server, p.last_logout
    from players p join player_stats s on s.player_key = p.key where p.key = ${key}`))!;
  const rows = await tx.tuples(sql`
    select name_key, name, first_seen, last_seen from player_names where player_key = ${key}`);
  const names = (rows as [string, string, number, number][]).map(([ofKey, name, first, last]) =>
    ofKey === player.name_key ? { name: player.name, first, last: player.name_seen } : { name, first, last },
  );
  return { ...player, names };
}

/** The first name of a player and its timestamp. */
export async function firstObservation(db: Queryable, key: number): Promise<{ name: string; first: number }> {
  const observed = new PlayerObservations(key);
  await observed.read(db);
  return observed.spans.reduce((first, span) => (span.first < first.first ? span : first));
}
