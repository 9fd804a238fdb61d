import { list, sql } from '#db/sql.ts';
import { changeResult } from '#store/game/leaderboards/leaderboard-projection.ts';
import { factsOf, type MatchTeam } from '#store/game/matches.ts';
import { hasMerged, recordMergedIn } from '#store/game/merged-players.ts';
import { type Renamed, teamsKeyOf } from '#store/game/own-teams.ts';
import { renamedMatch } from '#store/game/renamed-json.ts';
import { anonymiseNames } from '../ledger/observations.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';
import type { DeletedPlayers } from './event-effect.ts';

export async function anonymiseMatch(
  work: UnitOfWork,
  match: number,
  { pseudonyms, owner }: DeletedPlayers,
): Promise<void> {
  if (!(await renameInMatch(work, match, pseudonyms))) return;
  const { tx } = work;
  if (owner === undefined) return await clearMergedNames(tx, match);
  await anonymiseNames(tx, match, owner);
  await tx.runAll([
    sql`update player_matches set name = ${owner.name} where match_key = ${match} and player_key = ${owner.key}`,
    sql`update kills set killer_name = ${owner.name} where killer_key = ${owner.key} and match_key = ${match}`,
    sql`update kills set victim_name = ${owner.name} where victim_key = ${owner.key} and match_key = ${match}`,
    // Without merged UUIDs it was there for a missing or removed name.
    sql`
      delete from merged_in_matches where match_key = ${match} and player_key = ${owner.key} and not exists (
        select 1 from player_aliases where into_uuid = (select uuid from players where key = ${owner.key}))`,
  ]);
}

/** Removes a name of a player from a match, whose readers show the present name from then on. */
export async function removeNameInMatch(
  work: UnitOfWork,
  match: number,
  {
    renamed,
    player,
    spellings,
  }: { renamed: Renamed; player: { key: number; name: string } | undefined; spellings: readonly string[] },
): Promise<void> {
  if (!(await renameInMatch(work, match, renamed)) || player === undefined) return;
  const { tx } = work;
  const { key, name } = player;
  const names = list([...spellings]);
  await recordMergedIn(tx, key, [match]);
  await tx.runAll([
    sql`update player_matches set name = ${name} where match_key = ${match} and player_key = ${key} and name in (${names})`,
    sql`update kills set killer_name = ${name} where match_key = ${match} and killer_key = ${key} and killer_name in (${names})`,
    sql`update kills set victim_name = ${name} where match_key = ${match} and victim_key = ${key} and victim_name in (${names})`,
  ]);
}

interface StoredMatch {
  head: string;
  teams: string;
  objectives: string;
  extras: string | null;
  counters: string | null;
  merged: number;
}

/**
 * Renames players, and the teams that follow them, in what the rows of a match show.
 * @returns whether there is such a match, which is not being withdrawn
 */
export async function renameInMatch({ tx, changes }: UnitOfWork, match: number, renamed: Renamed): Promise<boolean> {
  const stored = await tx.get<StoredMatch>(sql`
    select d.head, d.teams, d.objectives, d.extras, c.counters, case when ${hasMerged(sql`d.match_key`)} then 1 else 0 end as merged
    from match_details d left join match_counters c on c.match_key = d.match_key where d.match_key = ${match}`);
  if (stored === undefined) return false;
  const facts = factsOf(stored.head);
  const { win, teams, objectives, extras, counters, newTeams } = renamedMatch({ ...stored, win: facts.win }, renamed);
  const isChanged =
    teams !== stored.teams || objectives !== stored.objectives || counters !== stored.counters || newTeams.size > 0;
  // Readers of a match with merged UUIDs see the present name and UUID.
  if (isChanged || stored.merged === 1) changes.add('match', match, 'changed');
  if (!isChanged) return true;
  const head = JSON.stringify({ ...facts, win }).slice(0, -1);
  const teamsKey = teamsKeyOf(JSON.parse(teams) as MatchTeam[]);
  const ofTeams = [...newTeams].map(
    ([before, after]) =>
      sql`update player_objectives set team = ${after} where match_key = ${match} and team = ${before}`,
  );
  const update = async (): Promise<void> =>
    await tx.runAll([
      sql`
        update match_details set head = ${head}, teams = ${teams}, objectives = ${objectives}, extras = ${extras},
          revision = revision + 1
        where match_key = ${match}`,
      sql`
        update matches set head = ${head}, teams_key = ${teamsKey}
        where key = ${match} and (head <> ${head} or teams_key is distinct from ${teamsKey})`,
      sql`update match_counters set counters = ${counters} where match_key = ${match} and counters <> ${counters}`,
      ...ofTeams,
    ]);
  await (newTeams.size === 0 ? update() : changeResult(tx, match, update));
  return true;
}

/** Deletes the names of merged players from the kills of a match: readers show the names of the surviving players. */
async function clearMergedNames(tx: UnitOfWork['tx'], match: number): Promise<void> {
  const merged = sql`select player_key from merged_in_matches where match_key = ${match}`;
  await tx.runAll([
    sql`update kills set killer_name = '' where match_key = ${match} and killer_key in (${merged})`,
    sql`update kills set victim_name = '' where match_key = ${match} and victim_key in (${merged})`,
  ]);
}
