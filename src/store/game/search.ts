import { isUuidLabel, nameKey } from '#text/text.ts';
import { json, type Queryable, rowReader } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { inOrderOf } from '../keyset-paging.ts';
import { findByWord, hasWord, searchKey, type SearchTerm, searchTerms } from '../search-terms.ts';
import { hiddenAmong } from './hidden-lists.ts';
import { type Player, playersByKeys } from './players.ts';
import { type Audience, privateAmong } from './private-players.ts';
import type { GameMap } from './maps/maps.ts';
import { type Server, serversByKeys } from './servers.ts';

/** The public search: players, servers and maps by the beginning of any word of a name, in any case, in the order of these words. */

export interface FoundPlayer extends Player {
  /** The former name that matched; undefined if the present name matched. */
  formerly: string | undefined;
}

export type FoundMap = Pick<GameMap, 'key' | 'name' | 'gamemodes'>;

/**
 * Players by a present or former name, hidden players by the present one alone, private ones by none. A player is also found by
 * the beginning of the UUID.
 */
export async function searchPlayers(
  db: Queryable,
  text: string,
  limit: number,
  audience: Audience = 'public',
): Promise<FoundPlayer[]> {
  const found = new Map<number, FoundPlayer>();
  for await (const terms of searchTerms(db, 'player', text)) {
    await addPlayers(db, found, terms, { text: searchKey(text), audience });
    if (found.size >= limit) break;
  }
  return await withSpelling(db, [...found.values()].slice(0, limit));
}

async function addPlayers(
  db: Queryable,
  found: Map<number, FoundPlayer>,
  terms: readonly SearchTerm[],
  { text, audience }: { text: string; audience: Audience },
): Promise<void> {
  const keys = new Set(terms.map(({ ref }) => Number(ref))).difference(new Set(found.keys()));
  const players = new Map((await playersByKeys(db, [...keys])).map((player) => [player.key, player]));
  const uuids = [...players.values()].map(({ uuid }) => uuid);
  const hidden = await hiddenAmong(db, uuids);
  const isPublic = audience === 'public';
  const absent = isPublic ? await privateAmong(db, uuids, 'profile') : new Set();
  const unnamed = isPublic ? hidden.union(await privateAmong(db, uuids, 'names')) : hidden;
  for (const { ref, source } of terms) {
    const player = players.get(Number(ref));
    if (player === undefined || found.has(player.key) || absent.has(player.uuid)) continue;
    const isPresent = hasWord(nameKey(player.name), text) || source === player.uuid.replaceAll('-', '');
    if (isPresent || !unnamed.has(player.uuid))
      found.set(player.key, { ...player, formerly: isPresent ? undefined : source });
  }
}

/** With the former names as they were written. */
async function withSpelling(db: Queryable, players: readonly FoundPlayer[]): Promise<FoundPlayer[]> {
  const former = players.filter(({ formerly }) => formerly !== undefined);
  if (former.length === 0) return [...players];
  const rows = await db.tuples(sql`
    select player_key, name_key, name from player_names
    where player_key in (${list(former.map(({ key }) => key))}) and name_key in (${list(former.map((one) => one.formerly!))})`);
  const names = new Map(
    (rows as [number, string, string][]).map(([key, nameKey, name]) => [`${key} ${nameKey}`, name]),
  );
  return players.map((player) => {
    const name = names.get(`${player.key} ${player.formerly}`);
    return { ...player, formerly: name === undefined || isUuidLabel(name) ? undefined : name };
  });
}

export async function searchMaps(db: Queryable, text: string, limit: number): Promise<FoundMap[]> {
  const keys = (await findByWord(db, 'map', text, limit)).map(Number);
  const rows = await db.all(sql`select key, name, gamemodes from maps where key in (${list(keys)})`);
  return inOrderOf(keys, rows.map(rowReader<FoundMap>({ gamemodes: json })));
}

/** Servers without those that were removed, of which there are few. */
export async function searchServers(db: Queryable, text: string, limit: number): Promise<Server[]> {
  const keys = (await findByWord(db, 'server', text, 2 * limit)).map(Number);
  return inOrderOf(keys, await serversByKeys(db, keys, 0)).slice(0, limit);
}
