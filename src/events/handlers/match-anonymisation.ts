import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { renamedJson } from '#store/game/renamed-json.ts';
import { renamedCounters } from './renamed-counters.ts';
import { anonymiseNames } from '../ledger/observations.ts';
import type { DeletedPlayers } from './event-effect.ts';

/** Replaces deleted players in the rows of a match. */
export async function anonymiseMatch(
  tx: Queryable,
  match: number,
  { pseudonyms, owner }: DeletedPlayers,
): Promise<void> {
  const details = await tx.get<{ teams: string; objectives: string; counters: string | null }>(sql`
    select d.teams, d.objectives, c.counters from match_details d left join match_counters c on c.match_key = d.match_key
    where d.match_key = ${match}`);
  if (details === undefined) return;
  const [teams, objectives] = [renamedJson(details.teams, pseudonyms), renamedJson(details.objectives, pseudonyms)];
  if (teams !== details.teams || objectives !== details.objectives) {
    await tx.run(sql`
      update match_details set teams = ${teams}, objectives = ${objectives}, revision = revision + 1
      where match_key = ${match}`);
  }
  await tx.runAll(renamedCounters(match, details.counters, pseudonyms));
  if (owner === undefined) return await clearMergedNames(tx, match);
  await anonymiseNames(tx, match, owner);
  await tx.runAll([
    sql`update player_matches set name = ${owner.name} where match_key = ${match} and player_key = ${owner.key}`,
    sql`update kills set killer_name = ${owner.name} where killer_key = ${owner.key} and match_key = ${match}`,
    sql`update kills set victim_name = ${owner.name} where victim_key = ${owner.key} and match_key = ${match}`,
  ]);
}

/** Deletes the names of merged players from the kills of a match: readers show the names of the surviving players. */
async function clearMergedNames(tx: Queryable, match: number): Promise<void> {
  const merged = sql`select player_key from merged_in_matches where match_key = ${match}`;
  await tx.runAll([
    sql`update kills set killer_name = '' where match_key = ${match} and killer_key in (${merged})`,
    sql`update kills set victim_name = '' where match_key = ${match} and victim_key in (${merged})`,
  ]);
}
