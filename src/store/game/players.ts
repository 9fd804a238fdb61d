import { explicitName } from '#platform/text/name-segment.ts';
import { isUuidLabel, nameKey, uuidOf } from '#text/text.ts';
import { keyOf } from '#platform/ids.ts';
import { columnOf, type Queryable, tuplesAmong } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { type Audience, keepsPrivate } from './private-players.ts';

export interface Player {
  key: number;
  uuid: string;
  name: string;
  last_login: number | null;
  last_login_server: string;
  last_logout: number | null;
}

export interface Named {
  uuid: string;
  name: string;
}

/**
 * Whether a player has the random name and UUID of a pseudonym (`store/accounts/pseudonyms.ts`), also after the game account
 * came back under its own name, or in a network that imported the events. No game gives an account such a name.
 */
export const hasPseudonym = ({ uuid, name }: Named): boolean =>
  /^deleted-[0-9a-z]{6}$/.test(name) && /^.{14}4/.test(uuid);

/** The condition that a row of `players` has a pseudonym. */
export const bearsPseudonym = (p: Sql): Sql => sql`
  (${p}.name like 'deleted-______' and ${p}.uuid like '______________4%')`;

const COLUMNS = sql`p.key, p.uuid, p.name, p.last_login, p.last_login_server, p.last_logout`;

/** A player by UUID. The UUID of a merged player finds the player that it was merged into. */
export async function playerByUuid(db: Queryable, uuid: string): Promise<Player | undefined> {
  const player = await db.get<Player>(sql`select ${COLUMNS} from players p where p.uuid = ${uuid}`);
  if (player !== undefined) return player;
  return await db.get<Player>(sql`
    select ${COLUMNS} from player_aliases a join players p on p.uuid = a.into_uuid where a.uuid = ${uuid}`);
}

/** Players by UUID, also by the UUIDs that were merged into them. */
export async function playersByUuid(db: Queryable, uuids: readonly string[]): Promise<Map<string, Player>> {
  const rows = await db.all<Player & { asked: string }>(sql`
    select p.uuid as asked, ${COLUMNS} from players p where p.uuid in (${list(uuids)})
    union all
    select a.uuid as asked, ${COLUMNS} from player_aliases a join players p on p.uuid = a.into_uuid
    where a.uuid in (${list(uuids)})`);
  return new Map(rows.map(({ asked, ...player }) => [asked, player]));
}

/** A player by key. The key of a merged player finds the player that it was merged into. */
export async function playerByKey(db: Queryable, key: number): Promise<Player | undefined> {
  const player = await db.get<Player>(sql`select ${COLUMNS} from players p where p.key = ${key}`);
  if (player !== undefined) return player;
  return await db.get<Player>(sql`
    select ${COLUMNS} from player_aliases a join players p on p.uuid = a.into_uuid where a.key = ${key}`);
}

/** Players by their own keys: the key of a merged player finds none. */
export const playersByKeys = (db: Queryable, keys: readonly number[]): Promise<Player[]> =>
  db.all(sql`select ${COLUMNS} from players p where p.key in (${list(keys)})`);

/**
 * A condition on a name `n` of a player `p`: former names of hidden and private players are found by those alone who may see
 * them.
 */
export function isFindable(audience: Audience): Sql {
  if (audience === 'all') return sql`1 = 1`;
  const isPrivate = audience === 'public' ? sql`or ${keepsPrivate(sql`p.uuid`, 'names')}` : sql``;
  return sql`
    (n.name_key = p.name_key or not (exists (select 1 from hidden_players h where h.uuid = p.uuid) ${isPrivate}))`;
}

/**
 * The player with this present name, in any case; of several the one last observed with it. Otherwise the player who
 * last had the name.
 */
export async function playerByName(
  db: Queryable,
  name: string,
  audience: Audience = 'all',
): Promise<Player | undefined> {
  const key = nameKey(name);
  // Players without a name have the empty key.
  if (key === '') return undefined;
  const present = await db.all<Player>(sql`select ${COLUMNS} from players p where p.name_key = ${key} limit 2`);
  const last = present.length > 1 ? await lastBearer(db, key) : present[0];
  if (last !== undefined) return last;
  return await db.get<Player>(sql`
    select ${COLUMNS} from player_names n join players p on p.key = n.player_key
    where n.name_key = ${key} and ${isFindable(audience)} order by n.last_seen desc, p.key desc limit 1`);
}

/** The player who was last observed with this present name. */
export const lastBearer = (db: Queryable, nameKey: string): Promise<Player | undefined> =>
  db.get(sql`
    select ${COLUMNS} from players p join player_stats s on s.player_key = p.key
    where p.name_key = ${nameKey} order by s.name_seen desc, p.key desc limit 1`);

/**
 * A player by UUID, by name in any case, or by id. A name of 32 hexadecimal digits is found if no player has that UUID.
 */
export async function findPlayer(db: Queryable, text: string, audience: Audience = 'all'): Promise<Player | undefined> {
  const uuid = uuidOf(text);
  const identified = uuid === undefined ? undefined : await playerByUuid(db, uuid);
  if (identified !== undefined) return identified;
  const named = await playerByName(db, text, audience);
  if (named !== undefined) return named;
  const name = explicitName(text);
  if (name !== undefined) return await playerByName(db, name, audience);
  const key = keyOf(text);
  return key === undefined ? undefined : await playerByKey(db, key);
}

/** Players with keys below `before`, the newest first. */
export const playersBefore = (db: Queryable, before: number, limit: number): Promise<Player[]> =>
  db.all(sql`
    select ${COLUMNS} from players p where p.key < ${before} order by p.key desc limit ${limit}`);

/**
 * All players who have or had a name, in any case: those who have it first, then by their last use of the name, newest first.
 * `found` is the name in its spelling. The last use of a present name is in player_stats, as at `namesOf`.
 */
export async function playersNamed(
  db: Queryable,
  name: string,
  limit: number,
  audience: Audience = 'all',
): Promise<(Player & { found: string })[]> {
  const key = nameKey(name);
  if (key === '') return [];
  return await db.all<Player & { found: string }>(sql`
    select ${COLUMNS}, n.name as found
    from player_names n join players p on p.key = n.player_key join player_stats s on s.player_key = p.key
    where n.name_key = ${key} and ${isFindable(audience)}
    order by case when p.name_key = ${key} then 0 else 1 end,
      case when p.name_key = ${key} then s.name_seen else n.last_seen end desc, p.key desc limit ${limit}`);
}

/** The players whom a text can mean, if it is a name that several have or had; otherwise none. */
export async function namesakes(db: Queryable, text: string, limit: number): Promise<Player[]> {
  const named = uuidOf(text) === undefined ? await playersNamed(db, text, limit) : [];
  return named.length > 1 ? named : [];
}

export const readAliases = (db: Queryable, uuid: string, limit: number): Promise<string[]> =>
  columnOf(db, sql`select uuid from player_aliases where into_uuid = ${uuid} order by uuid limit ${limit}`);

const namesAmong = (some: Sql): Sql => sql`
  select uuid, name from players where uuid in (${some})
  union all
  select a.uuid, p.name from player_aliases a join players p on p.uuid = a.into_uuid where a.uuid in (${some})`;

/** The present names of players by UUID, also by the UUIDs that were merged into them. */
export const namesByUuid = async (db: Queryable, uuids: readonly string[]): Promise<Map<string, string>> =>
  new Map(await tuplesAmong<[string, string]>(db, uuids, namesAmong));

export interface PlayerName {
  name: string;
  first_seen: number;
  last_seen: number;
}

/**
 * Every name of a player without a label of its UUID, the present one first, then the newest. `last_seen` of the present name
 * is in player_stats, because every match updates it;
 * its row in player_names is older.
 */
export async function namesOf(db: Queryable, playerKey: number): Promise<PlayerName[]> {
  const names = await db.all<PlayerName>(sql`
    select case when n.name_key = p.name_key then p.name else n.name end as name, n.first_seen,
      case when n.name_key = p.name_key then s.name_seen else n.last_seen end as last_seen
    from player_names n join players p on p.key = n.player_key join player_stats s on s.player_key = n.player_key
    where n.player_key = ${playerKey}
    order by case when n.name_key = p.name_key then 0 else 1 end, last_seen desc, n.name_key`);
  return names.filter(({ name }) => !isUuidLabel(name));
}

/** A player as `PlayerAccumulator` loads it. */
export interface KnownPlayer {
  key: number;
  uuid: string;
  name: string;
  /** A timestamp at or after the stored first observation of the present name; later observations need no update. */
  nameSince: number;
  nameSeen: number;
  lastLogin: number | null;
  lastLoginServer: string;
  lastLogout: number | null;
}
