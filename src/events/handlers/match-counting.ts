import type { Clock } from '#platform/clock.ts';
import type { Queryable, Transactional } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { isExcluded, saveExcluded } from '#store/game/excluded-matches.ts';
import {
  addMatchToLeaderboards,
  removeMatchResult,
  removePlayersFromLeaderboards,
} from '#store/game/leaderboards/leaderboard-projection.ts';
import { deriveRecords } from '#store/game/rivals/player-records.ts';
import { recountRivals } from '#store/game/rivals/rival-projection.ts';
import { groupOf } from '#store/game/statistics-groups.ts';
import { createJob, hasOpenJob, markStale, nextStale } from '#store/jobs.ts';
import { Keys } from '#store/sequence.ts';
import { LEDGER, type LedgerRow, parseStoredEvents } from '../ledger/ledger-rows.ts';
import { UnitOfWork } from '../ledger/unit-of-work.ts';
import type { MatchSummary } from '../schema/match-summary.ts';
import { applyReports, withdrawReports } from './counter-reports.ts';
import { countUuidsApart } from './match-retraction.ts';

/** Why a match is not counted or excluded. `busy`: a job may be moving its rows. */
export type CountingRefusal = 'no_match' | 'unchanged' | 'busy';

/**
 * Counts a match that was excluded, or excludes one that counts, in the transaction size of the event that reported it.
 * @returns why it is refused; undefined on success
 */
export async function setCounted(
  db: Transactional,
  clock: Clock,
  key: number,
  counted: boolean,
): Promise<CountingRefusal | undefined> {
  return await db.transaction(async (tx) => {
    const work = new UnitOfWork(tx, await Keys.lock(tx), clock.now());
    const row = await storedMatch(tx, key);
    if (row === undefined) return 'no_match';
    if ((await isExcluded(tx, key)) !== counted) return 'unchanged';
    if (await hasOpenJob(tx)) return 'busy';
    const [stored] = await parseStoredEvents<'match.finished'>(tx, [row]);
    await (counted ? count(work, row, stored!.event.data) : exclude(work, row, stored!.event.data));
    work.changes.declare(['match']);
    work.changes.add('match', key, 'changed');
    await work.flush();
    await work.keys.save();
    // A job without UUIDs derives what is stale: the maxima of players whose reports are gone.
    if ((await nextStale(tx)) !== undefined)
      await createJob(tx, work.now, { kind: 'anonymisation', label: '', params: { hashes: [] } });
    return undefined;
  });
}

async function storedMatch(tx: Queryable, key: number): Promise<LedgerRow | undefined> {
  return await tx.get<LedgerRow>(sql`
    ${LEDGER} where l.key = ${key} and l.type = 'match.finished' and l.withdrawn is null
      and exists (select 1 from match_details d where d.match_key = l.key)`);
}

async function count(work: UnitOfWork, row: LedgerRow, match: MatchSummary): Promise<void> {
  const { key } = row;
  await countPlayers(work, row, match, 1);
  await saveExcluded(work.tx, key, false);
  if (match.counters !== undefined)
    await applyReports({ work, key }, groupOf(match.facts.gamemode), match.counters.reported);
  await addMatchToLeaderboards(work.tx, key, work.now);
  await markStale(work.tx, 'records', await deriveRecords(work.tx, await recountRivals(work.tx, key, 1)));
}

async function exclude(work: UnitOfWork, row: LedgerRow, match: MatchSummary): Promise<void> {
  const { tx } = work;
  const { key } = row;
  await countPlayers(work, row, match, -1);
  await withdrawReports(work, key);
  const countedFor = await removeMatchResult(tx, key);
  const players = await tx.tuples(sql`select player_key from player_matches where match_key = ${key}`);
  await removePlayersFromLeaderboards(
    tx,
    key,
    players.map(([player]) => player as number),
    countedFor,
  );
  const rivals = await recountRivals(tx, key, -1);
  await saveExcluded(tx, key, true);
  await markStale(tx, 'records', await deriveRecords(tx, rivals));
}

/** Adds the match to the counters of its players; merged ones have it once (`joinPlayed`). */
async function countPlayers(work: UnitOfWork, row: LedgerRow, match: MatchSummary, by: 1 | -1): Promise<void> {
  const { players } = work;
  await work.load(match.players.map(([uuid]) => uuid));
  const group = groupOf(match.facts.gamemode);
  for (const [uuid, , , , , , , , , sums] of match.players) players.count(players.find(uuid)!, group, sums, by);
  await countUuidsApart(work, row, by === 1 ? -1 : 1);
}
