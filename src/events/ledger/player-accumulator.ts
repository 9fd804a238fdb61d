import { isUuidLabel, playerNameKey, uuidLabel } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import { insertAll, lists, type Sql, sql, type Value } from '#db/sql.ts';
import { NEVER_SEEN, syncAccountName } from '#store/game/player-names.ts';
import { type Added, additions, observations, type Sums } from '#store/game/player-stats.ts';
import type { Group } from '#store/game/statistics-groups.ts';
import type { KnownPlayer, PlayerName } from '#store/game/players.ts';
import type { Keys } from '#store/sequence.ts';

/** A player in the accumulator, with its unwritten changes. */
interface Entry extends KnownPlayer {
  isNew: boolean;
  rowChanged: boolean;
  renamed: boolean;
  seenChanged: boolean;
  /** Whether it is in the accumulator's list of changed players. */
  isChanged: boolean;
  names: Map<string, PlayerName> | undefined;
  /** The amounts to add to counters, one element per group. */
  sums: Added[] | undefined;
}

/**
 * Accumulates the changes that the events of one transaction make to players: each player is read once, changed in memory
 * and written once at the flush. Call `load` for a player before the other methods; `take` returns the statements.
 */
export class PlayerAccumulator {
  readonly #entries = new Map<string, Entry>();
  /** From the UUID of a merged player to the UUID it was merged into. */
  readonly #aliases = new Map<string, string>();
  #changed: Entry[] = [];

  clear(): void {
    this.#entries.clear();
    this.#aliases.clear();
    this.#changed = [];
  }

  async load(tx: Queryable, uuids: Iterable<string>): Promise<void> {
    const unknown = new Set<string>();
    for (const uuid of uuids) if (this.find(uuid) === undefined) unknown.add(uuid);
    const missing = await this.#read(tx, [...unknown]);
    if (missing.length === 0) return;
    const targets: string[] = [];
    for (const some of lists(missing)) {
      const rows = await tx.tuples(sql`select uuid, into_uuid from player_aliases where uuid in (${some})`);
      for (const [uuid, into] of rows as [string, string][]) {
        this.#aliases.set(uuid, into);
        if (!this.#entries.has(into)) targets.push(into);
      }
    }
    await this.#read(tx, [...new Set(targets)]);
  }

  /** Whether any loaded UUID was merged into another one. */
  get hasMerged(): boolean {
    return this.#aliases.size > 0;
  }

  /** Returns a loaded or added player; for a merged UUID, the player it was merged into. */
  find(uuid: string): KnownPlayer | undefined {
    const entry = this.#entries.get(uuid);
    if (entry !== undefined || this.#aliases.size === 0) return entry;
    const target = this.#aliases.get(uuid);
    return target === undefined ? undefined : this.#entries.get(target);
  }

  /**
   * Records that a player had a name at this time; an unknown player is added, with the next key of the sequence. Without
   * a name the label of the UUID is recorded, before all other observations.
   */
  observe({ uuid, name }: { uuid: string; name?: string }, time: number, keys: Pick<Keys, 'following'>): KnownPlayer {
    const own = this.#aliases.get(uuid) ?? uuid;
    const observed =
      name === undefined || isUuidLabel(name) ? { name: uuidLabel(own), time: NEVER_SEEN } : { name, time };
    const found = this.find(uuid) as Entry | undefined;
    if (found !== undefined) return this.#observeName(found, observed.name, observed.time);
    const entry = newEntry(keys.following(), own, observed.name, observed.time);
    this.#entries.set(entry.uuid, entry);
    this.#markChanged(entry);
    return entry;
  }

  login(player: KnownPlayer, time: number, server: string): void {
    if (player.lastLogin !== null && player.lastLogin > time) return;
    this.#change(player, { lastLogin: time, lastLoginServer: server, rowChanged: true });
  }

  logout(player: KnownPlayer, time: number): void {
    if (player.lastLogout !== null && player.lastLogout > time) return;
    this.#change(player, { lastLogout: time, rowChanged: true });
  }

  /** Adds amounts to a player's counters of a group; with `by` -1, subtracts them. */
  count(player: KnownPlayer, group: Group, amounts: Sums, by: 1 | -1 = 1): void {
    const entry = player as Entry;
    this.#markChanged(entry);
    const sums = entry.sums?.find((added) => added.group === group)?.sums;
    if (sums === undefined) (entry.sums ??= []).push({ group, sums: amounts.map((amount) => amount * by) });
    else for (let index = 0; index < amounts.length; index++) sums[index]! += by * amounts[index]!;
  }

  /** The players whose names the next `take` writes for the first time. */
  newNames(): { key: number; uuid: string; name: string; isNew: boolean }[] {
    const named = this.#changed.filter(({ isNew, renamed }) => isNew || renamed);
    // `take` resets the entries.
    return named.map(({ key, uuid, name, isNew }) => ({ key, uuid, name, isNew }));
  }

  /** Returns the statements that write the changes, players in the order of keys, and marks all as written. */
  take(): Sql[] {
    const entries = this.#changed.sort((a, b) => a.key - b.key);
    const statements = playerStatements(entries);
    for (const entry of entries) {
      entry.isNew = entry.rowChanged = entry.renamed = entry.seenChanged = entry.isChanged = false;
      entry.names = entry.sums = undefined;
    }
    this.#changed = [];
    return statements;
  }

  /** Reads players; returns the UUIDs without a row. */
  async #read(tx: Queryable, uuids: string[]): Promise<string[]> {
    for (const some of lists(uuids)) {
      const rows = await tx.tuples(sql`
        select p.key, p.uuid, p.name, p.name_since, s.name_seen, p.last_login, p.last_login_server, p.last_logout
        from players p join player_stats s on s.player_key = p.key
        where p.uuid in (${some})`);
      for (const row of rows as PlayerRow[]) this.#entries.set(row[1], storedEntry(row));
    }
    return uuids.filter((uuid) => !this.#entries.has(uuid));
  }

  /** Events may arrive late: only a name observed after the current one's last observation replaces it. */
  #observeName(entry: Entry, name: string, time: number): Entry {
    if (name === entry.name) {
      if (time < entry.nameSince) this.#addName(entry, name, time, time);
      if (time > entry.nameSeen) {
        entry.nameSeen = time;
        entry.seenChanged = true;
        this.#markChanged(entry);
      }
    } else if (time < entry.nameSeen || isUuidLabel(name)) {
      this.#addName(entry, name, time, time);
    } else {
      this.#addName(entry, entry.name, entry.nameSince, entry.nameSeen);
      const renamed = entry.renamed || !entry.isNew;
      this.#change(entry, { name, nameSince: time, nameSeen: time, rowChanged: true, renamed, seenChanged: true });
      this.#addName(entry, name, time, time);
    }
    return entry;
  }

  /** Adds a name to the history, or widens the period of a name in it; the newest spelling counts. */
  #addName(entry: Entry, name: string, first: number, last: number): void {
    const names = (entry.names ??= new Map());
    const previous = names.get(playerNameKey(name));
    const first_seen = Math.min(first, previous?.first_seen ?? first);
    const last_seen = Math.max(last, previous?.last_seen ?? last);
    const spelling = previous !== undefined && previous.last_seen > last ? previous.name : name;
    names.set(playerNameKey(name), { name: spelling, first_seen, last_seen });
    this.#markChanged(entry);
    if (name === entry.name && first < entry.nameSince) this.#change(entry, { nameSince: first, rowChanged: true });
  }

  #change(entry: KnownPlayer, facts: Partial<Entry>): void {
    this.#markChanged(Object.assign(entry as Entry, facts));
  }

  #markChanged(entry: Entry): void {
    if (entry.isChanged) return;
    entry.isChanged = true;
    this.#changed.push(entry);
  }
}

const UNCHANGED = { renamed: false, isChanged: false, names: undefined, sums: undefined };

type PlayerRow = [number, string, string, number, number, number | null, string, number | null];

function storedEntry(row: PlayerRow): Entry {
  const [key, uuid, name, nameSince, nameSeen, lastLogin, lastLoginServer, lastLogout] = row;
  const player = { key, uuid, name, nameSince, nameSeen, lastLogin, lastLoginServer, lastLogout };
  return { ...player, isNew: false, rowChanged: false, seenChanged: false, ...UNCHANGED };
}

function newEntry(key: number, uuid: string, name: string, time: number): Entry {
  const session = { lastLogin: null, lastLoginServer: '', lastLogout: null };
  const player = { key, uuid, name, nameSince: time, nameSeen: time, ...session };
  const names = new Map([[playerNameKey(name), { name, first_seen: time, last_seen: time }]]);
  return { ...player, isNew: true, rowChanged: true, seenChanged: true, ...UNCHANGED, names };
}

const PLAYERS =
  'insert into players (key, uuid, name, name_key, name_since, last_login, last_login_server, last_logout) values';
const NAMES = 'insert into player_names (name_key, player_key, name, first_seen, last_seen) values';
const WIDEN_NAMES = `on conflict (name_key, player_key) do update set
  first_seen = case when excluded.first_seen < player_names.first_seen then excluded.first_seen else player_names.first_seen end,
  last_seen = case when excluded.last_seen > player_names.last_seen then excluded.last_seen else player_names.last_seen end,
  name = case when excluded.last_seen >= player_names.last_seen then excluded.name else player_names.name end`;

function playerStatements(entries: readonly Entry[]): Sql[] {
  // Most players only have changed counters.
  const rowsOrNames = entries.filter(({ rowChanged, names }) => rowChanged || names !== undefined);
  const seenOnly = entries.filter((entry) => entry.seenChanged && entry.sums === undefined);
  return [
    ...insertAll(PLAYERS, rowsOrNames.filter(({ isNew }) => isNew).map(playerRow)),
    ...rowsOrNames.filter(({ isNew, rowChanged }) => rowChanged && !isNew).map(updatePlayer),
    ...rowsOrNames.filter(({ renamed }) => renamed).flatMap(({ uuid, name }) => syncAccountName(uuid, name)),
    ...observations(seenOnly.map(({ key, nameSeen }) => [nameSeen, key])),
    ...counterStatements(entries),
    ...insertAll(NAMES, rowsOrNames.flatMap(nameRows), WIDEN_NAMES),
  ];
}

function nameRows({ key, names }: Entry): Value[][] {
  return [...(names ?? [])].map(([nameKey, { name, first_seen, last_seen }]) => [
    nameKey,
    key,
    name,
    first_seen,
    last_seen,
  ]);
}

function playerRow({ key, uuid, name, nameSince, lastLogin, lastLoginServer, lastLogout }: Entry): Value[] {
  return [key, uuid, name, playerNameKey(name), nameSince, lastLogin, lastLoginServer, lastLogout];
}

function updatePlayer(entry: Entry): Sql {
  return sql`
    update players set name = ${entry.name}, name_key = ${playerNameKey(entry.name)}, name_since = ${entry.nameSince},
      last_login = ${entry.lastLogin}, last_login_server = ${entry.lastLoginServer}, last_logout = ${entry.lastLogout}
    where key = ${entry.key}`;
}

/** One statement per counter group also writes the time of the last observation. */
function counterStatements(entries: readonly Entry[]): Sql[] {
  const added = entries.flatMap(({ key, nameSeen, sums = [] }) =>
    sums.map(({ group, sums }) => ({ group, row: [...sums, nameSeen, key] })),
  );
  const byGroup = Map.groupBy(added, ({ group }) => group);
  return [...byGroup].flatMap(([group, additionsOfGroup]) =>
    additions(
      group,
      additionsOfGroup.map(({ row }) => row),
    ),
  );
}
