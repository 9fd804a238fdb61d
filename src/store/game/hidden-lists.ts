import { nameKey } from '#text/text.ts';
import { columnOf, exists, type Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { HIDES } from './hidden-in-matches.ts';
import { hasPseudonym, type Player } from './players.ts';
import { type Audience, privateAmong } from './private-players.ts';

/**
 * The lists of players who are never shown live: one of the network, and one of each server. Players who keep private that they
 * are online are left out like them, but looked up by the names of a report, because they may be very many.
 */

/** The scope of the list that holds for all servers; that of a server's list is the key of the server. */
export const NETWORK = 0;

/** Maximum entries of a list. */
export const MAX_HIDDEN = 200;

/** The players whom one server does not show. */
export interface HiddenPlayers {
  uuids: ReadonlySet<string>;
  /** The keys of their names. */
  names: ReadonlySet<string>;
}

interface HiddenRow {
  scope_key: number;
  entry_key: string;
  uuid: string | null;
  name_key: string | null;
}

/** The hidden players of all servers, in one transaction. */
export class HiddenLists {
  readonly #rows: readonly HiddenRow[];

  private constructor(rows: readonly HiddenRow[]) {
    this.#rows = rows;
  }

  static async read(db: Queryable): Promise<HiddenLists> {
    // A player may come under a former name, or with a merged game account, which keeps its names until its records are
    // moved: those names count unless others have them now.
    const rows = await db.all<HiddenRow>(sql`
        select h.scope_key, h.entry_key, h.uuid, n.name_key
        from hidden_players h left join players p on p.uuid = h.uuid
          left join player_names n on n.player_key = p.key and (n.name_key = p.name_key
            or not exists (select 1 from players o where o.name_key = n.name_key and o.key <> p.key))
        union all
        select h.scope_key, h.entry_key, a.uuid, coalesce(n.name_key, p.name_key)
        from hidden_players h join player_aliases a on a.into_uuid = h.uuid left join players p on p.uuid = h.uuid
          left join players m on m.uuid = a.uuid left join player_names n on n.player_key = m.key and (n.name_key = m.name_key
            or not exists (select 1 from players o where o.name_key = n.name_key and o.key <> m.key))`);
    return new HiddenLists([...rows, ...(await pseudonymsOf(db, rows))]);
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  on(serverKey: number): HiddenPlayers {
    const rows = this.#rows.filter(({ scope_key }) => scope_key === NETWORK || scope_key === serverKey);
    return {
      uuids: new Set(rows.flatMap(({ uuid }) => uuid ?? [])),
      names: new Set(rows.map(({ name_key, entry_key }) => name_key ?? entry_key)),
    };
  }

  /** Gives entries by name the UUIDs of the players who got that name. @returns whether one of the players is hidden */
  async bind(tx: Queryable, named: readonly { uuid: string; name: string }[]): Promise<boolean> {
    const uuids = new Set(this.#rows.map(({ uuid }) => uuid));
    const unbound = new Set(this.#rows.filter(({ uuid }) => uuid === null).map(({ entry_key }) => entry_key));
    const bound = named.filter(({ name }) => unbound.has(nameKey(name)));
    await tx.runAll(
      bound.map(
        ({ uuid, name }) => sql`
        update hidden_players set uuid = ${uuid} where entry_key = ${nameKey(name)} and uuid is null`,
      ),
    );
    return bound.length > 0 || named.some(({ uuid }) => uuids.has(uuid));
  }
}

/** The players of a report, by the keys of their names and by their UUIDs, who keep private that they are online. */
export async function privateIn(
  db: Queryable,
  { names, uuids }: { names: readonly string[]; uuids: readonly string[] },
): Promise<HiddenPlayers> {
  const isOffline = sql`(v.online = 1 or (v.profile = 1 and ${HIDES}))`;
  const rows = await db.all<{ uuid: string; name_key: string | null }>(sql`
    select p.uuid, n.name_key from player_names n join players p on p.key = n.player_key
      join private_players v on v.uuid = p.uuid
    where n.name_key in (${list([...names])}) and ${isOffline} and (n.name_key = p.name_key
      or not exists (select 1 from players o where o.name_key = n.name_key and o.key <> p.key))
    union all select v.uuid, null from private_players v where v.uuid in (${list([...uuids])}) and ${isOffline}`);
  return {
    uuids: new Set(rows.map(({ uuid }) => uuid)),
    names: new Set(rows.flatMap(({ name_key }) => name_key ?? [])),
  };
}

type Listed = Pick<HiddenRow, 'scope_key' | 'entry_key' | 'uuid'>;

/**
 * The rows of listed players who were erased, under their pseudonyms. They are looked up each time, because the list must not
 * lead from the UUID to the pseudonym.
 */
async function pseudonymsOf(db: Queryable, rows: readonly Listed[]): Promise<HiddenRow[]> {
  const hashes = new Map(rows.flatMap((row) => (row.uuid === null ? [] : [[db.keyedHash(row.uuid), row.uuid]])));
  if (hashes.size === 0) return [];
  const found = await db.all<{ uuid_hash: string; uuid: string; name: string }>(sql`
    select uuid_hash, coalesce(a.into_uuid, y.uuid) as uuid, y.name
    from pseudonyms y left join player_aliases a on a.uuid = y.uuid where uuid_hash in (${list([...hashes.keys()])})`);
  return found.flatMap(({ uuid_hash, uuid, name }) =>
    rows
      .filter((row) => row.uuid === hashes.get(uuid_hash))
      .map(({ scope_key, entry_key }) => ({ scope_key, entry_key, uuid, name_key: nameKey(name) })),
  );
}

/** The entries of a list, as they were entered. */
export async function hiddenOn(db: Queryable, scope: number): Promise<string[]> {
  const entries = await columnOf<string>(db, sql`select entry from hidden_players where scope_key = ${scope}`);
  return entries.sort();
}

/** Lets the entries of a merged player mean the player that it was merged into. @returns whether that one is hidden now */
export async function mergeHidden(tx: Queryable, from: string, into: string): Promise<boolean> {
  await tx.run(sql`update hidden_players set uuid = ${into} where uuid = ${from}`);
  return await isHidden(tx, into);
}

/** Deletes the entries of a player who is erased. */
export async function forgetHidden(tx: Queryable, uuid: string): Promise<void> {
  await tx.run(sql`delete from hidden_players where uuid = ${uuid}`);
}

/** Lists a player by the UUID in the place of a name that is removed. */
export async function listByUuid(tx: Queryable, uuid: string, nameKey: string): Promise<void> {
  const named = sql`uuid = ${uuid} and entry_key = ${nameKey}`;
  await tx.runAll([
    sql`
      insert into hidden_players (scope_key, entry_key, entry, uuid)
      select scope_key, uuid, uuid, uuid from hidden_players where ${named} on conflict (scope_key, entry_key) do nothing`,
    sql`delete from hidden_players where ${named}`,
  ]);
}

/** Whether a player is on a list, whatever the server. */
export const isHidden = (db: Queryable, uuid: string): Promise<boolean> =>
  exists(db, sql`select 1 as found from hidden_players where uuid = ${uuid} limit 1`);

/** Those of the UUIDs that are on a list, whatever the server. */
export const hiddenAmong = async (db: Queryable, uuids: readonly string[]): Promise<Set<string>> =>
  new Set(await columnOf<string>(db, sql`select uuid from hidden_players where uuid in (${list(uuids)})`));

/** Whether others see the former names of a player. */
export async function showsNames(db: Queryable, uuid: string, audience: Audience): Promise<boolean> {
  if (await isHidden(db, uuid)) return false;
  return audience !== 'public' || !(await privateAmong(db, [uuid], 'names')).has(uuid);
}

/** Players as others see them: one who is hidden or private as if it had never logged in. */
export async function allAsShown(
  db: Queryable,
  players: readonly Player[],
  audience: Audience = 'public',
): Promise<Player[]> {
  const uuids = players.map(({ uuid }) => uuid);
  const hidden = await hiddenAmong(db, uuids);
  if (audience === 'public') for (const uuid of await privateAmong(db, uuids, 'online')) hidden.add(uuid);
  if (players.some(hasPseudonym)) {
    const listed = await db.all<Listed>(
      sql`select scope_key, entry_key, uuid from hidden_players where uuid is not null`,
    );
    for (const { uuid } of await pseudonymsOf(db, listed)) hidden.add(uuid!);
  }
  const sessions = { last_login: null, last_login_server: '', last_logout: null };
  return players.map((player) => (hidden.has(player.uuid) ? { ...player, ...sessions } : player));
}

/** The player as others see it. */
export const asShown = async (db: Queryable, player: Player, audience?: Audience): Promise<Player> =>
  (await allAsShown(db, [player], audience))[0]!;
