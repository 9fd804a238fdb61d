import { type Renamed, renamedTeams } from './own-teams.ts';
import { rename } from './renamed-json.ts';

/** What a match has about players and teams: JSON, apart from the winner. */
export interface NamedInMatch {
  win?: string;
  teams?: string;
  objectives?: string;
  extras?: string | null;
  counters?: string | null;
}

const parsed = (json: string | null | undefined): unknown => (json ? JSON.parse(json) : undefined);

/** Renames players in the members that a match has, and the teams that follow them if it has `teams`. */
export function renamedMatch<M extends NamedInMatch>(
  match: M,
  renamed: Renamed,
): M & { newTeams: ReadonlyMap<string, string> } {
  const [teams, objectives, counters] = [match.teams, match.objectives, match.counters].map(parsed);
  const extras = parsed(match.extras) as { winners?: string[] } | undefined;
  const { win } = match;
  const members = { win, winners: extras?.winners, teams, objectives, counters };
  const shown = rename(members, renamed) as typeof members;
  return {
    ...match,
    ...(win !== undefined && { win: shown.win }),
    ...(teams !== undefined && { teams: JSON.stringify(shown.teams) }),
    ...(objectives !== undefined && { objectives: JSON.stringify(shown.objectives) }),
    ...(counters !== undefined && { counters: JSON.stringify(shown.counters) }),
    ...(shown.winners && { extras: JSON.stringify({ ...extras, winners: shown.winners }) }),
    newTeams: renamedTeams(teams, renamed),
  };
}
