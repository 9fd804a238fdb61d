import type { Db, Queryable, Transaction } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/**
 * Projections count matches once each, in the order of their keys: the offset is the key of the last one and moves in the
 * transaction that counts. Several processes may run a projection; its lock makes them take turns.
 */

/** The leaderboards with the results of maps, and who killed whom with the records of players. */
type Projection = 'boards' | 'rivals';

interface ProjectionOffset {
  /** The key of the last match that is counted. */
  last: number;
  /** The setting that the leaderboards depend on: the time zone of their days. */
  made_for: string;
}

export interface ProjectedPlayer {
  player_key: number;
  match_key: number;
  result: string;
  score: number;
  kill_count: number;
  death_count: number;
  time_played: number;
}

export interface ProjectedBatch {
  /** Of the matches, in their order. */
  keys: number[];
  players: ProjectedPlayer[];
  mayBeMore: boolean;
}

/** Maximum matches per transaction. */
const BATCH_SIZE = 100;
/** The CPU time for which a transaction should hold the lock of SQLite, for which the ingest and sign-ins wait. */
const LOCK_MS = 20;
/** Smaller batches would be a match each. */
const MIN_PLAYERS = 32;

/**
 * The maximum of players in the next transaction on SQLite, derived from the time of the last one: what a player costs depends
 * on the size of the database and on the kills of the matches.
 */
export class BatchLimit {
  players = MIN_PLAYERS;

  took(players: number, ms: number): void {
    this.players = Math.max(MIN_PLAYERS, Math.floor(players * Math.min(2, LOCK_MS / ms)));
  }
}

interface Counting {
  /** Maximum players per transaction. A match with more players has a separate transaction. */
  maxPlayers: number;
  /** Left out: only `maxPlayers` counts. */
  limit?: BatchLimit | undefined;
  count: (tx: Transaction, batch: ProjectedBatch, offset: ProjectionOffset) => Promise<void>;
}

/** Counts the next batch of matches. @returns whether there may be more matches */
export async function projectNext(db: Db, name: Projection, { maxPlayers, limit, count }: Counting): Promise<boolean> {
  const limited = db.remote ? undefined : limit;
  let [started, players] = [0, 0];
  const countNext = async (tx: Transaction): Promise<boolean> => {
    const offset = await lockProjection(tx, name);
    started = threadCpuMs();
    const batch = await matchesAfter(tx, offset.last, Math.min(maxPlayers, limited?.players ?? maxPlayers));
    players = batch.players.length;
    if (batch.keys.length === 0) return false;
    await count(tx, batch, offset);
    await advanceProjection(tx, { ...offset, last: batch.keys.at(-1)! }, name);
    return batch.mayBeMore;
  };
  // Matches that a power failure makes uncounted are counted again.
  const mayBeMore = await db.transaction(countNext, { durable: false });
  limited?.took(players, threadCpuMs() - started);
  return mayBeMore;
}

/** The clock would also count what other programs take: on a busy machine batches would become small, and dearer. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

async function matchesAfter(tx: Queryable, last: number, limit: number): Promise<ProjectedBatch> {
  const rows = await tx.tuples(sql`select key from matches where key > ${last} order by key limit ${BATCH_SIZE}`);
  const keys = rows.map(([key]) => key as number);
  if (keys.length === 0) return { keys, players: [], mayBeMore: false };
  const played = sql`${PLAYERS} where match_key > ${last} and match_key <= ${keys.at(-1)!}`;
  const players = await tx.all<ProjectedPlayer>(sql`
    ${played} order by match_key, player_key limit ${limit}`);
  if (players.length < limit) return { keys, players, mayBeMore: keys.length === BATCH_SIZE };
  // Without the last match, whose players may be incomplete.
  const cut = players.at(-1)!.match_key;
  const whole = keys.filter((key) => key < cut);
  if (whole.length > 0)
    return { keys: whole, players: players.filter((player) => player.match_key < cut), mayBeMore: true };
  return { keys: [cut], players: await playersIn(tx, cut), mayBeMore: true };
}

const PLAYERS = sql`
  select player_key, match_key, result, score, kill_count, death_count, time_played from player_matches`;

export const playersIn = (tx: Queryable, matchKey: number): Promise<ProjectedPlayer[]> =>
  tx.all<ProjectedPlayer>(sql`${PLAYERS} where match_key = ${matchKey}`);

/** The offset, and the key of the newest match, without the lock. */
export async function offsetOf(db: Queryable, name: Projection): Promise<ProjectionOffset & { isUpToDate: boolean }> {
  const { newest, ...offset } = (await db.get<ProjectionOffset & { newest: number | null }>(sql`
    select last, made_for, (select max(key) from matches) as newest from projections where name = ${name}`))!;
  return { ...offset, isUpToDate: (newest ?? 0) <= offset.last };
}

/** Takes the lock of a projection, which every transaction that counts or subtracts matches needs. */
export async function lockProjection(tx: Queryable, name: Projection): Promise<ProjectionOffset> {
  const offset = await tx.get<ProjectionOffset>(
    sql`update projections set last = last where name = ${name} returning last, made_for`,
  );
  return offset!;
}

export async function advanceProjection(
  tx: Queryable,
  { last, made_for }: ProjectionOffset,
  name: Projection,
): Promise<void> {
  await tx.run(sql`update projections set last = ${last}, made_for = ${made_for} where name = ${name}`);
}
