import { type Queryable, tuplesAmong } from '#db/db.ts';
import { identifier, insertAll, list, lists, type Sql, sql } from '#db/sql.ts';
import { bearsPseudonym, type Named } from './players.ts';
import { keepsPrivate } from './private-players.ts';

/**
 * Players who are on no leaderboard and count in no place: those with a private profile, hidden ones, and erased ones. The table
 * says whom the counts of places leave out. A player may be missing there until the first match is counted.
 */

/** The condition that a player `p` of `players` is left out, also of the lists of rivals. */
export const isLeftOut = (p: Sql): Sql => sql`
  (${keepsPrivate(sql`${p}.uuid`)} or exists (select 1 from hidden_players h where h.uuid = ${p}.uuid)
    or ${bearsPseudonym(p)})`;

/** The condition that the places count a player. */
export const isRanked = (playerKey: Sql): Sql => sql`
  (not exists (select 1 from unranked_players x where x.player_key = ${playerKey}))`;

/** Those of the players, given by keys or UUIDs, whom leaderboards do not leave out. */
export const rankedAmong = (
  db: Queryable,
  column: 'key' | 'uuid',
  values: readonly (number | string)[],
): Promise<(Named & { key: number })[]> =>
  db.all(sql`
    select p.key, p.uuid, p.name from players p
    where p.${identifier(column)} in (${list(values)}) and ${isRanked(sql`p.key`)}`);

/** Those of the players whom the places leave out. */
export const unrankedAmong = async (db: Queryable, players: readonly number[]): Promise<Set<number>> =>
  new Set((await tuplesAmong<[number]>(db, players, unrankedIn)).flat());

const unrankedIn = (some: Sql): Sql => sql`select player_key from unranked_players where player_key in (${some})`;

/** Stores which of the players are left out now. @returns those of whom it has changed, and whether they count now */
export async function updateUnranked(tx: Queryable, players: readonly number[]): Promise<Map<number, boolean>> {
  const changed = new Map<number, boolean>();
  for (const some of lists(players)) {
    const rows = await tx.tuples(sql`
      select p.key, case when ${isRanked(sql`p.key`)} then 1 else 0 end from players p
      where p.key in (${some}) and ${isLeftOut(sql`p`)} = ${isRanked(sql`p.key`)}`);
    for (const [key, wasRanked] of rows) changed.set(key as number, wasRanked === 0);
  }
  const [back, out] = [true, false].map((now) => [...changed.keys()].filter((key) => changed.get(key) === now));
  if (back!.length > 0) await tx.run(sql`delete from unranked_players where player_key in (${list(back!)})`);
  const rows = out!.map((key) => [key]);
  await tx.runAll(insertAll('insert into unranked_players (player_key) values', rows));
  return changed;
}
