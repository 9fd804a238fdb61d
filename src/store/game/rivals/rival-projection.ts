import type { Db, Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { isCounted } from '../excluded-matches.ts';
import { type BatchLimit, lockProjection, offsetOf, type ProjectedBatch, projectNext } from '../projections.ts';
import { countKills } from './kill-pairs.ts';
import { addToRecords, noRecords, type PlayerRecords, recordsOf, saveRecords } from './player-records.ts';

/**
 * Counts finished matches into the pairs of killers and victims and into the records of players, as the leaderboards are counted:
 * once each, in the order of their keys, with an offset that moves in the same transaction.
 */

/** Each transaction writes most pages of the records, so that smaller ones cost more: with 400, a third. */
const BATCH_PLAYERS = 1_000;

/** Counts the next batch of matches. @returns whether there may be more matches */
export async function projectRivals(db: Db, limit?: BatchLimit): Promise<boolean> {
  if ((await offsetOf(db, 'rivals')).isUpToDate) return false;
  return await projectNext(db, 'rivals', { maxPlayers: BATCH_PLAYERS, limit, count: addRivals });
}

async function addRivals(tx: Queryable, { keys, players }: Pick<ProjectedBatch, 'keys' | 'players'>): Promise<void> {
  const rows = await tx.tuples(sql`
    select match_key from match_details d where match_key in (${list(keys)}) and ${isCounted(sql`d.match_key`)}`);
  const counted = new Set(rows.map(([key]) => key as number));
  await countKills(tx, [...counted]);
  const played = players.filter(({ match_key }) => counted.has(match_key));
  const records = await recordsOf(tx, [...new Set(played.map(({ player_key }) => player_key))]);
  const better = new Map<number, PlayerRecords>();
  for (const match of played) {
    const own = records.get(match.player_key) ?? noRecords();
    records.set(match.player_key, own);
    if (addToRecords(own, match)) better.set(match.player_key, own);
  }
  await saveRecords(tx, better, new Map([...records].filter(([player]) => !better.has(player))));
}

/** Whether a match, which is not excluded, is counted. Takes the lock of the projection. */
export async function hasCountedRivals(tx: Queryable, matchKey: number): Promise<boolean> {
  return matchKey <= (await lockProjection(tx, 'rivals')).last;
}

/**
 * Counts a match that is no longer excluded, or subtracts one that is about to be, unless the projection will count it.
 * @returns the players whose records are to be derived again, after the match is excluded or counted
 */
export async function recountRivals(tx: Queryable, matchKey: number, by: 1 | -1): Promise<number[]> {
  if (!(await hasCountedRivals(tx, matchKey))) return [];
  await countKills(tx, [matchKey], by);
  const rows = await tx.tuples(sql`select player_key from player_matches where match_key = ${matchKey}`);
  return rows.map(([player]) => player as number);
}
