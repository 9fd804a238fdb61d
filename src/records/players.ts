import { uuidOf, nameKey } from '#base/text.ts';
import { keyOf } from '#base/ids.ts';
import type { Queryable } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { followName } from './account-names.ts';

export interface Player {
  key: number;
  uuid: string;
  name: string;
  last_login: number | null;
  last_login_server: string;
  last_logout: number | null;
}

const COLUMNS = sql`p.key, p.uuid, p.name, p.last_login, p.last_login_server, p.last_logout`;

export async function playerByUuid(db: Queryable, uuid: string): Promise<Player | undefined> {
  return await db.get<Player>(sql`select ${COLUMNS} from players p where p.uuid = ${uuid}`);
}

export async function playerByKey(db: Queryable, key: number): Promise<Player | undefined> {
  return await db.get<Player>(sql`select ${COLUMNS} from players p where p.key = ${key}`);
}

/** Who bears a name now, in any case: of several the one who was seen with it last. Else who bore it last. */
export async function playerByName(db: Queryable, name: string): Promise<Player | undefined> {
  const key = nameKey(name);
  const present = await db.get<Player>(sql`
    select ${COLUMNS} from players p join player_stats s on s.player_key = p.key
    where p.name_key = ${key} order by s.name_seen desc, p.key desc limit 1`);
  if (present !== undefined) return present;
  return await db.get<Player>(sql`
    select ${COLUMNS} from player_names n join players p on p.key = n.player_key
    where n.name_key = ${key} order by n.last_seen desc, p.key desc limit 1`);
}

/** A player by UUID, by name in any case, or by id. A name of 32 hexadecimal digits cannot exist, so none hides another. */
export async function findPlayer(db: Queryable, text: string): Promise<Player | undefined> {
  const uuid = uuidOf(text);
  if (uuid !== undefined) return await playerByUuid(db, uuid);
  const named = await playerByName(db, text);
  if (named !== undefined) return named;
  const key = keyOf(text);
  return key === undefined ? undefined : await playerByKey(db, key);
}

export interface PlayerName {
  name: string;
  first_seen: number;
  last_seen: number;
}

/** Every name a player bore, the newest first. The present name's `last_seen` is when it was taken on, or later. */
export async function namesOf(db: Queryable, playerKey: number): Promise<PlayerName[]> {
  return await db.all<PlayerName>(sql`
    select name, first_seen, last_seen from player_names where player_key = ${playerKey} order by last_seen desc`);
}

/** What an entry of the book knows of a player, and what of it has to be written. */
export interface KnownPlayer {
  key: number;
  uuid: string;
  name: string;
  nameSince: number;
  nameSeen: number;
  lastLogin: number | null;
  lastLoginServer: string;
  lastLogout: number | null;
}

interface Entry extends KnownPlayer {
  isNew: boolean;
  rowChanged: boolean;
  renamed: boolean;
  seenChanged: boolean;
  names: Map<string, PlayerName>;
}

/**
 * The players that a batch of events speaks of: read once, changed in memory, written once.
 * `load` before `see`; `take` gives the statements.
 */
export class PlayerBook {
  readonly #tx: Queryable;
  readonly #entries = new Map<string, Entry>();

  constructor(tx: Queryable) {
    this.#tx = tx;
  }

  async load(uuids: Iterable<string>): Promise<void> {
    const wanted = [...new Set(uuids)].filter((uuid) => !this.#entries.has(uuid));
    for (let start = 0; start < wanted.length; start += READ_AT_ONCE) {
      for (const row of await this.#read(wanted.slice(start, start + READ_AT_ONCE))) this.#entries.set(row.uuid, row);
    }
  }

  known(uuid: string): KnownPlayer | undefined {
    return this.#entries.get(uuid);
  }

  /** Notes that a player bore a name at a moment; `newKey` is asked for a player who was never seen before. */
  see(player: { uuid: string; name: string }, time: number, newKey: () => number): KnownPlayer {
    const known = this.#entries.get(player.uuid);
    if (known !== undefined) return seen(known, player.name, time);
    const entry = stranger(newKey(), player, time);
    this.#entries.set(player.uuid, entry);
    return entry;
  }

  login(player: KnownPlayer, time: number, server: string): void {
    if (player.lastLogin !== null && player.lastLogin > time) return;
    Object.assign(player, { lastLogin: time, lastLoginServer: server, rowChanged: true });
  }

  logout(player: KnownPlayer, time: number): void {
    if (player.lastLogout !== null && player.lastLogout > time) return;
    Object.assign(player, { lastLogout: time, rowChanged: true });
  }

  /** The statements that bring the tables up to the book, in the order of keys. */
  take(): Sql[] {
    const entries = [...this.#entries.values()].sort((a, b) => a.key - b.key);
    const statements = entries.flatMap(statementsOf);
    for (const entry of entries) {
      entry.isNew = entry.rowChanged = entry.renamed = entry.seenChanged = false;
      entry.names.clear();
    }
    return statements;
  }

  async #read(uuids: string[]): Promise<Entry[]> {
    const rows = await this.#tx.tuples(sql`
      select p.key, p.uuid, p.name, p.name_since, s.name_seen, p.last_login, p.last_login_server, p.last_logout
      from players p join player_stats s on s.player_key = p.key where p.uuid in (${list(uuids)})`);
    return (rows as Parameters<typeof entryOf>[0][]).map(entryOf);
  }
}

const READ_AT_ONCE = 256;

function entryOf(row: [number, string, string, number, number, number | null, string, number | null]): Entry {
  const [key, uuid, name, nameSince, nameSeen, lastLogin, lastLoginServer, lastLogout] = row;
  const known = { key, uuid, name, nameSince, nameSeen, lastLogin, lastLoginServer, lastLogout };
  return { ...known, isNew: false, rowChanged: false, renamed: false, seenChanged: false, names: new Map() };
}

function stranger(key: number, { uuid, name }: { uuid: string; name: string }, time: number): Entry {
  const names = new Map([[nameKey(name), { name, first_seen: time, last_seen: time }]]);
  const known = {
    key,
    uuid,
    name,
    nameSince: time,
    nameSeen: time,
    lastLogin: null,
    lastLoginServer: '',
    lastLogout: null,
  };
  return { ...known, isNew: true, rowChanged: true, renamed: false, seenChanged: true, names };
}

function seen(entry: Entry, name: string, time: number): Entry {
  if (name === entry.name) {
    if (time < entry.nameSince) noteName(entry, name, time, time);
    if (time > entry.nameSeen) Object.assign(entry, { nameSeen: time, seenChanged: true });
    return entry;
  }
  noteName(entry, name, time, time);
  if (time < entry.nameSeen) return entry;
  noteName(entry, entry.name, entry.nameSince, entry.nameSeen);
  const renamed = entry.renamed || !entry.isNew;
  return Object.assign(entry, { name, nameSince: time, nameSeen: time, rowChanged: true, renamed, seenChanged: true });
}

function noteName(entry: Entry, name: string, first: number, last: number): void {
  const noted = entry.names.get(nameKey(name));
  const first_seen = Math.min(first, noted?.first_seen ?? first);
  const last_seen = Math.max(last, noted?.last_seen ?? last);
  const spelling = noted !== undefined && noted.last_seen >= last ? noted.name : name;
  entry.names.set(nameKey(name), { name: spelling, first_seen, last_seen });
  if (name !== entry.name || first >= entry.nameSince) return;
  Object.assign(entry, { nameSince: first, rowChanged: true });
}

function statementsOf(entry: Entry): Sql[] {
  const statements: Sql[] = [];
  if (entry.rowChanged) statements.push(entry.isNew ? insertOf(entry) : updateOf(entry));
  if (entry.renamed) statements.push(...followName(entry.uuid, entry.name));
  if (entry.isNew) {
    statements.push(sql`insert into player_stats (player_key, name_seen) values (${entry.key}, ${entry.nameSeen})`);
  } else if (entry.seenChanged) {
    statements.push(sql`update player_stats set name_seen = ${entry.nameSeen} where player_key = ${entry.key}`);
  }
  for (const [key, name] of entry.names) statements.push(nameOf(entry.key, key, name));
  return statements;
}

function insertOf(entry: Entry): Sql {
  return sql`
    insert into players (key, uuid, name, name_key, name_since, last_login, last_login_server, last_logout)
    values (${entry.key}, ${entry.uuid}, ${entry.name}, ${nameKey(entry.name)}, ${entry.nameSince},
      ${entry.lastLogin}, ${entry.lastLoginServer}, ${entry.lastLogout})`;
}

function updateOf(entry: Entry): Sql {
  return sql`
    update players set name = ${entry.name}, name_key = ${nameKey(entry.name)}, name_since = ${entry.nameSince},
      last_login = ${entry.lastLogin}, last_login_server = ${entry.lastLoginServer}, last_logout = ${entry.lastLogout}
    where key = ${entry.key}`;
}

function nameOf(playerKey: number, key: string, { name, first_seen, last_seen }: PlayerName): Sql {
  return sql`
    insert into player_names (name_key, player_key, name, first_seen, last_seen)
    values (${key}, ${playerKey}, ${name}, ${first_seen}, ${last_seen})
    on conflict (name_key, player_key) do update set
      first_seen = case when excluded.first_seen < player_names.first_seen then excluded.first_seen else player_names.first_seen end,
      last_seen = case when excluded.last_seen > player_names.last_seen then excluded.last_seen else player_names.last_seen end,
      name = case when excluded.last_seen >= player_names.last_seen then excluded.name else player_names.name end`;
}
