import type { Queryable } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';

/**
 * A player's matches from the newest: the counters name the last one, each row names the one before. Every step is a
 * look-up by primary key.
 */

/** Where a player's history begins, as `match_key`. */
export const newestOf = (playerKey: number): Sql =>
  sql`select last_match as match_key from player_stats where player_key = ${playerKey}`;

const ROW = sql`p.match_key, p.name, p.result, p.score, p.kill_count, p.death_count, p.previous`;

/**
 * A `with` clause: the rows of `history` are the player's matches from `start` on, at most so many, each with how it went.
 * Every match is looked up once: its row leads on to the next.
 */
export function historyFrom(playerKey: number, start: Sql, limit = Number.MAX_SAFE_INTEGER): Sql {
  return sql`
    with recursive history (match_key, name, result, score, kill_count, death_count, previous, place) as (
      select ${ROW}, cast(1 as bigint) from (${start}) b
      join player_matches p on p.match_key = b.match_key and p.player_key = ${playerKey}
      union all
      select ${ROW}, h.place + 1 from history h
      join player_matches p on p.match_key = h.previous and p.player_key = ${playerKey}
      where h.place < ${limit}
    )`;
}

/**
 * The rows of a history, each with its match: `h` and `m`. Crossed, not joined, since SQLite keeps to that order; left to
 * itself it reads a whole table to meet the few rows of the history.
 */
export const ROWS_OF_HISTORY = sql`from history h cross join matches m where m.key = h.match_key`;

/** `walk (match_key)`: every match of a player from the newest to the first below a key. */
const walkDownTo = (playerKey: number, least: number): Sql => sql`
  with recursive walk (match_key) as (
    select match_key from (${newestOf(playerKey)}) b where match_key is not null
    union all
    select p.previous from walk w
    join player_matches p on p.match_key = w.match_key and p.player_key = ${playerKey}
    where p.previous is not null and w.match_key >= ${least}
  )`;

/** Where it goes on below a key: quickly behind one of the player's own matches, else by walking there. */
export async function startBelow(db: Queryable, playerKey: number, before: number): Promise<number | undefined> {
  const known = await db.get<{ previous: number | null }>(
    sql`select previous from player_matches where match_key = ${before} and player_key = ${playerKey}`,
  );
  if (known !== undefined) return known.previous ?? undefined;
  const row = await db.get<{ key: number }>(sql`
    ${walkDownTo(playerKey, before)} select match_key as key from walk where match_key < ${before} limit 1`);
  return row?.key;
}

/** Every match of a player, the newest first; or those down to a key. */
async function keysOf(tx: Queryable, playerKey: number, least = 0): Promise<number[]> {
  const rows = await tx.tuples(sql`
    ${walkDownTo(playerKey, least)} select match_key from walk order by match_key desc`);
  return rows.map(([key]) => key as number);
}

/** Takes matches out of the histories of all who played them, before their rows go. */
export async function unlinkMatches(tx: Queryable, matchKeys: readonly number[]): Promise<void> {
  const rows = await tx.tuples(
    sql`select player_key, match_key from player_matches where match_key in (${list(matchKeys)})`,
  );
  const goneOf = new Map<number, Set<number>>();
  for (const [player, match] of rows as [number, number][]) {
    const gone = goneOf.get(player);
    if (gone === undefined) goneOf.set(player, new Set([match]));
    else gone.add(match);
  }
  for (const [player, gone] of goneOf) await unlink(tx, player, gone);
}

async function unlink(tx: Queryable, playerKey: number, gone: ReadonlySet<number>): Promise<void> {
  const keys = await keysOf(tx, playerKey, Math.min(...gone));
  const links: Sql[] = [];
  let above: number | undefined;
  let broken = false;
  for (const key of keys) {
    if (gone.has(key)) broken = true;
    else {
      if (broken) links.push(linkOf(playerKey, above, key));
      [above, broken] = [key, false];
    }
  }
  if (broken) links.push(linkOf(playerKey, above, null));
  await tx.runAll(links);
}

/** Makes a match the one before another, or the newest where there is no other. */
function linkOf(playerKey: number, above: number | undefined, key: number | null): Sql {
  if (above === undefined) return sql`update player_stats set last_match = ${key} where player_key = ${playerKey}`;
  return sql`update player_matches set previous = ${key} where match_key = ${above} and player_key = ${playerKey}`;
}

const AT_ONCE = 200;

/** Gives all matches of a player to another who may have played some of them, too: one row tells of both then. */
export async function joinHistories(tx: Queryable, merged: number, survivor: number): Promise<void> {
  const [theirs, own] = [await keysOf(tx, merged), await keysOf(tx, survivor)];
  const both = theirs.filter((key) => own.includes(key));
  for (const key of both) await joinRows(tx, key, merged, survivor);
  const moved = theirs.filter((key) => !both.includes(key));
  for (let start = 0; start < moved.length; start += AT_ONCE) {
    await tx.run(sql`
      update player_matches set player_key = ${survivor}
      where player_key = ${merged} and match_key in (${list(moved.slice(start, start + AT_ONCE))})`);
  }
  const all = [...own, ...moved].sort((a, b) => b - a);
  await tx.runAll(all.map((key, place) => linkOf(survivor, all[place - 1], key)));
  if (all.length > 0) await tx.runAll([linkOf(survivor, all.at(-1), null)]);
}

/** The other one's name was seen there, too. */
async function joinRows(tx: Queryable, match: number, merged: number, survivor: number): Promise<void> {
  const row = (await tx.get<{ name: string; score: number; kills: number; deaths: number; time: number }>(sql`
    select name, score, kill_count as kills, death_count as deaths, time_played as time from player_matches
    where match_key = ${match} and player_key = ${merged}`))!;
  await tx.runAll([
    sql`
      insert into player_sightings (player_key, ledger_key, time, name)
      select cast(${survivor} as bigint), key, finished, cast(${row.name} as text) from matches where key = ${match}
      on conflict (player_key, ledger_key, name) do nothing`,
    sql`
      update player_matches set score = score + ${row.score}, kill_count = kill_count + ${row.kills},
        death_count = death_count + ${row.deaths}, time_played = time_played + ${row.time}
      where match_key = ${match} and player_key = ${survivor}`,
    sql`delete from player_matches where match_key = ${match} and player_key = ${merged}`,
  ]);
}
