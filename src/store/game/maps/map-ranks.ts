import { type Db, type Queryable, rowReader } from '#db/db.ts';
import { identifier, insertAll, list, sql } from '#db/sql.ts';
import { nameKey } from '#text/text.ts';
import type { LeaderboardEntry } from '../leaderboards/leaderboards.ts';
import { COLUMNS, type GameMap, inRotation, MAP_COLUMNS, WITH_IMAGE } from './maps.ts';

/**
 * Maps by matches played or by rating. The table is filled by a job, because both figures come from sums over rows that
 * many events change; a new map is absent until the job has run.
 */
export const RANKINGS = ['plays', 'rating'] as const;
export type Ranking = (typeof RANKINGS)[number];

/** Minimum votes for a rank, because an average of fewer is not significant. */
export const MIN_VOTES = 5;
/** Maps per step of the job, so that it holds its thread and the write lock only briefly. */
const BATCH_SIZE = 100;

export interface MapRank {
  plays: number;
  votes: number;
  /** Thousandths, 1,000 to 5,000; 0 below `MIN_VOTES`. */
  rating: number;
}

export type RankedMap = GameMap & MapRank;

interface RankQuery {
  ranking: Ranking;
  gamemode?: string | undefined;
  serverKey?: number | undefined;
  /** The last map of the page before. */
  after?: LeaderboardEntry | undefined;
  limit: number;
}

/** One page of maps, highest value first. */
export async function listRankedMaps(db: Queryable, query: RankQuery): Promise<RankedMap[]> {
  const { ranking, gamemode = '', serverKey, after, limit } = query;
  const column = identifier(ranking);
  const from = after === undefined ? sql`` : sql`and (r.${column}, r.map_key) < (${after.value}, ${after.key})`;
  const ofServer = serverKey === undefined ? sql`` : inRotation(serverKey);
  const rows = await db.all(sql`
    select ${COLUMNS}, r.plays, r.votes, r.rating from map_ranks r join maps m on m.key = r.map_key ${WITH_IMAGE}
    where r.gamemode_key = ${nameKey(gamemode)} ${from} ${ofServer}
    order by r.${column} desc, r.map_key desc limit ${limit}`);
  return rows.map(rowReader<RankedMap>(MAP_COLUMNS));
}

/** The figures of maps by key; maps that the job has not reached yet are absent. */
export async function readRanks(db: Queryable, mapKeys: readonly number[]): Promise<Map<number, MapRank>> {
  if (mapKeys.length === 0) return new Map();
  const rows = await db.all<MapRank & { map_key: number }>(sql`
    select map_key, plays, votes, rating from map_ranks
    where gamemode_key = '' and map_key in (${list([...mapKeys])})`);
  return new Map(rows.map(({ map_key, ...rank }) => [map_key, rank]));
}

interface CountedMap extends MapRank {
  key: number;
  gamemodes: string;
}

/**
 * Counts the maps with keys above `after` again and writes the ones that have changed.
 * @returns the key of the last map, undefined after the last batch
 */
export async function rankMaps(db: Db, after: number): Promise<number | undefined> {
  const maps = await countedMaps(db, after);
  const expected = maps.flatMap((map) => toRows(map));
  const keys = maps.map(({ key }) => key);
  const stored = new Set((await storedRows(db, keys)).map((row) => row.join(' ')));
  const wanted = new Set(expected.map((row) => row.join(' ')));
  const changed = expected.filter((row) => !stored.has(row.join(' ')));
  if (changed.length > 0 || stored.size > wanted.size) await writeRows(db, keys, expected);
  return maps.length === BATCH_SIZE ? keys.at(-1) : undefined;
}

type RankRow = [gamemodeKey: string, mapKey: number, plays: number, votes: number, rating: number];

function toRows({ key, gamemodes, plays, votes, rating }: CountedMap): RankRow[] {
  const names = new Set(['', ...(JSON.parse(gamemodes) as string[]).map(nameKey)]);
  return [...names].map((name) => [name, key, plays, votes, rating]);
}

async function countedMaps(db: Queryable, after: number): Promise<CountedMap[]> {
  const maps = await db.all<{ key: number; gamemodes: string; plays: number }>(sql`
    select m.key, m.gamemodes, coalesce(r.play, 0) as plays
    from maps m left join map_results r on r.map_key = m.name_key and r.team = ''
    where m.key > ${after} order by m.key limit ${BATCH_SIZE}`);
  if (maps.length === 0) return [];
  const sums = await db.tuples(sql`
    select map_key, sum(rate_1 + rate_2 + rate_3 + rate_4 + rate_5),
      sum(rate_1 + 2 * rate_2 + 3 * rate_3 + 4 * rate_4 + 5 * rate_5)
    from map_rates where map_key in (${list(maps.map(({ key }) => key))}) group by map_key`);
  const byKey = new Map(sums.map(([key, votes, stars]) => [Number(key), [Number(votes), Number(stars)] as const]));
  return maps.map((map) => {
    const [votes, stars] = byKey.get(map.key) ?? [0, 0];
    return { ...map, votes, rating: votes < MIN_VOTES ? 0 : Math.round((1_000 * stars) / votes) };
  });
}

async function storedRows(db: Queryable, keys: readonly number[]): Promise<unknown[][]> {
  if (keys.length === 0) return [];
  return await db.tuples(sql`
    select gamemode_key, map_key, plays, votes, rating from map_ranks where map_key in (${list([...keys])})`);
}

/** Replaces the rows of the maps that still exist. */
async function writeRows(db: Db, keys: readonly number[], rows: readonly RankRow[]): Promise<void> {
  await db.transaction(async (tx) => {
    const alive = await tx.tuples(sql`select key from maps where key in (${list([...keys])})`);
    const existing = new Set(alive.map(([key]) => Number(key)));
    await tx.run(sql`delete from map_ranks where map_key in (${list([...keys])})`);
    await tx.runAll(
      insertAll(
        'insert into map_ranks (gamemode_key, map_key, plays, votes, rating) values',
        rows.filter(([, key]) => existing.has(key)),
        'on conflict (gamemode_key, map_key) do nothing',
      ),
    );
  });
}
