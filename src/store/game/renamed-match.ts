import { type Renamed, renamedTeams } from './own-teams.ts';
import { parseExtras } from './matches.ts';
import { rename } from './renamed-json.ts';

/** What the rows and the summary of a match store about players and teams: JSON, apart from the winner. */
export interface NamedInMatch {
  win: string;
  teams: string;
  objectives: string;
  extras: string | null;
  counters: string | null;
}

/** Renames players in a match, and the teams that follow them. */
export function renamedMatch(
  { win, ...stored }: NamedInMatch,
  renamed: Renamed,
): NamedInMatch & { newTeams: ReadonlyMap<string, string> } {
  const extras = parseExtras(stored.extras);
  const [teams, objectives] = [stored.teams, stored.objectives].map((json) => JSON.parse(json) as unknown);
  const counters = stored.counters === null ? undefined : (JSON.parse(stored.counters) as unknown);
  const { winners } = extras;
  const match = rename({ win, winners, teams, objectives, counters }, renamed) as Record<string, unknown>;
  return {
    win: match['win'] as string,
    teams: JSON.stringify(match['teams']),
    objectives: JSON.stringify(match['objectives']),
    extras: winners === undefined ? stored.extras : JSON.stringify({ ...extras, winners: match['winners'] }),
    counters: stored.counters && JSON.stringify(match['counters']),
    newTeams: renamedTeams(teams, renamed),
  };
}
