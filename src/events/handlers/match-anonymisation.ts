import { sql } from '#db/sql.ts';
import { hasMerged } from '#store/game/merged-players.ts';
import { renamedJson } from '#store/game/renamed-json.ts';
import { renamedCounters } from './renamed-counters.ts';
import { anonymiseNames } from '../ledger/observations.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';
import type { DeletedPlayers } from './event-effect.ts';

/** Replaces deleted players in the rows of a match. */
export async function anonymiseMatch(
  { tx, changes }: UnitOfWork,
  match: number,
  { pseudonyms, owner }: DeletedPlayers,
): Promise<void> {
  const details = await tx.get<{ teams: string; objectives: string; counters: string | null; merged: number }>(sql`
    select d.teams, d.objectives, c.counters, ${hasMerged(sql`d.match_key`)} as merged from match_details d left join match_counters c on c.match_key = d.match_key
    where d.match_key = ${match}`);
  if (details === undefined) return;
  const [teams, objectives] = [renamedJson(details.teams, pseudonyms), renamedJson(details.objectives, pseudonyms)];
  if (teams !== details.teams || objectives !== details.objectives) {
    await tx.run(sql`
      update match_details set teams = ${teams}, objectives = ${objectives}, revision = revision + 1
      where match_key = ${match}`);
  }
  const counters = renamedCounters(match, details.counters, pseudonyms);
  await tx.runAll(counters);
  // Readers of a match with merged UUIDs see the present name and UUID.
  if (details.merged === 1 || counters.length > 0 || teams !== details.teams || objectives !== details.objectives)
    changes.add('match', match, 'changed');
  if (owner === undefined) return await clearMergedNames(tx, match);
  await anonymiseNames(tx, match, owner);
  await tx.runAll([
    sql`update player_matches set name = ${owner.name} where match_key = ${match} and player_key = ${owner.key}`,
    sql`update kills set killer_name = ${owner.name} where killer_key = ${owner.key} and match_key = ${match}`,
    sql`update kills set victim_name = ${owner.name} where victim_key = ${owner.key} and match_key = ${match}`,
  ]);
}

/** Deletes the names of merged players from the kills of a match: readers show the names of the surviving players. */
async function clearMergedNames(tx: UnitOfWork['tx'], match: number): Promise<void> {
  const merged = sql`select player_key from merged_in_matches where match_key = ${match}`;
  await tx.runAll([
    sql`update kills set killer_name = '' where match_key = ${match} and killer_key in (${merged})`,
    sql`update kills set victim_name = '' where match_key = ${match} and victim_key in (${merged})`,
  ]);
}
