import { nameKey } from '#platform/text.ts';
import type { Queryable } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import type { Group, Sums } from '#store/game/player-stats.ts';
import { type Entry, statementsOf } from './player-statements.ts';
import type { KnownPlayer } from '#store/game/players.ts';
import type { Keys } from '#store/sequence.ts';

const READ_BATCH_SIZE = 256;

/**
 * Collects what the events of one transaction change of players: each player is read once, changed in memory and written
 * once at the flush. `load` before `see`; `take` gives the statements.
 */
export class PlayerAccumulator {
  readonly #entries = new Map<string, Entry>();
  readonly #aliases = new Map<string, string>();
  #changed: Entry[] = [];

  clear(): void {
    this.#entries.clear();
    this.#aliases.clear();
    this.#changed = [];
  }

  async load(tx: Queryable, uuids: Iterable<string>): Promise<void> {
    const unknown = new Set<string>();
    for (const uuid of uuids) if (this.known(uuid) === undefined) unknown.add(uuid);
    const missing = await this.#read(tx, [...unknown]);
    if (missing.length === 0) return;
    const targets: string[] = [];
    for (let start = 0; start < missing.length; start += READ_BATCH_SIZE) {
      const rows = await tx.tuples(sql`
        select uuid, into_uuid from player_aliases where uuid in (${list(missing.slice(start, start + READ_BATCH_SIZE))})`);
      for (const [uuid, into] of rows as [string, string][]) {
        this.#aliases.set(uuid, into);
        if (!this.#entries.has(into)) targets.push(into);
      }
    }
    await this.#read(tx, [...new Set(targets)]);
  }

  known(uuid: string): KnownPlayer | undefined {
    const known = this.#entries.get(uuid);
    if (known !== undefined || this.#aliases.size === 0) return known;
    const target = this.#aliases.get(uuid);
    return target === undefined ? undefined : this.#entries.get(target);
  }

  /** Notes that a player bore a name at a moment; one who was never seen before gets the key that follows. */
  see({ uuid, name }: { uuid: string; name: string }, time: number, keys: Pick<Keys, 'following'>): KnownPlayer {
    const known = this.known(uuid) as Entry | undefined;
    if (known !== undefined) return this.#seen(known, name, time);
    const entry = stranger(keys.following(), this.#aliases.get(uuid) ?? uuid, name, time);
    this.#entries.set(entry.uuid, entry);
    this.#wait(entry);
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

  /** Adds to a player's counters of a group; with -1 takes out again. */
  count(player: KnownPlayer, group: Group, added: Sums, by: 1 | -1 = 1): void {
    const entry = player as Entry;
    this.#wait(entry);
    const known = entry.sums?.find((one) => one.group === group)?.sums;
    if (known === undefined) (entry.sums ??= []).push({ group, sums: added.map((count) => count * by) });
    else for (let place = 0; place < added.length; place++) known[place]! += by * added[place]!;
  }

  /** The statements that write what has changed, players in the order of keys. */
  take(): Sql[] {
    const entries = this.#changed.sort((a, b) => a.key - b.key);
    const statements = statementsOf(entries);
    for (const entry of entries) {
      entry.isNew = entry.rowChanged = entry.renamed = entry.seenChanged = entry.waits = false;
      entry.names = entry.sums = undefined;
    }
    this.#changed = [];
    return statements;
  }

  async #read(tx: Queryable, uuids: string[]): Promise<string[]> {
    for (let start = 0; start < uuids.length; start += READ_BATCH_SIZE) {
      const rows = await tx.tuples(sql`
        select p.key, p.uuid, p.name, p.name_since, s.name_seen, p.last_login, p.last_login_server, p.last_logout
        from players p join player_stats s on s.player_key = p.key
        where p.uuid in (${list(uuids.slice(start, start + READ_BATCH_SIZE))})`);
      for (const row of rows as KnownRow[]) this.#entries.set(row[1], entryOf(row));
    }
    return uuids.filter((uuid) => !this.#entries.has(uuid));
  }

  #seen(entry: Entry, name: string, time: number): Entry {
    if (name === entry.name) {
      if (time < entry.nameSince) this.#noteName(entry, name, time, time);
      if (time > entry.nameSeen) {
        entry.nameSeen = time;
        entry.seenChanged = true;
        this.#wait(entry);
      }
    } else if (time < entry.nameSeen) {
      this.#noteName(entry, name, time, time);
    } else {
      this.#noteName(entry, entry.name, entry.nameSince, entry.nameSeen);
      const renamed = entry.renamed || !entry.isNew;
      this.#change(entry, { name, nameSince: time, nameSeen: time, rowChanged: true, renamed, seenChanged: true });
      this.#noteName(entry, name, time, time);
    }
    return entry;
  }

  #noteName(entry: Entry, name: string, first: number, last: number): void {
    const names = (entry.names ??= new Map());
    const noted = names.get(nameKey(name));
    const first_seen = Math.min(first, noted?.first_seen ?? first);
    const last_seen = Math.max(last, noted?.last_seen ?? last);
    const spelling = noted !== undefined && noted.last_seen > last ? noted.name : name;
    names.set(nameKey(name), { name: spelling, first_seen, last_seen });
    this.#wait(entry);
    if (name === entry.name && first < entry.nameSince) this.#change(entry, { nameSince: first, rowChanged: true });
  }

  #change(entry: KnownPlayer, facts: Partial<Entry>): void {
    this.#wait(Object.assign(entry as Entry, facts));
  }

  #wait(entry: Entry): void {
    if (entry.waits) return;
    entry.waits = true;
    this.#changed.push(entry);
  }
}

const FRESH = { renamed: false, waits: false, names: undefined, sums: undefined };

type KnownRow = [number, string, string, number, number, number | null, string, number | null];

function entryOf(row: KnownRow): Entry {
  const [key, uuid, name, nameSince, nameSeen, lastLogin, lastLoginServer, lastLogout] = row;
  const known = { key, uuid, name, nameSince, nameSeen, lastLogin, lastLoginServer, lastLogout };
  return { ...known, isNew: false, rowChanged: false, seenChanged: false, ...FRESH };
}

function stranger(key: number, uuid: string, name: string, time: number): Entry {
  const session = { lastLogin: null, lastLoginServer: '', lastLogout: null };
  const known = { key, uuid, name, nameSince: time, nameSeen: time, ...session };
  const names = new Map([[nameKey(name), { name, first_seen: time, last_seen: time }]]);
  return { ...known, isNew: true, rowChanged: true, seenChanged: true, ...FRESH, names };
}
