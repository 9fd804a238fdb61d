/** The members of a match that the rules below check together, beyond the schema of each. */
export interface MatchParts {
  win: string;
  winners?: string[] | undefined;
  started: number;
  finished: number;
  teams: { name: string; players: { uuid: string; primary?: boolean | undefined }[] }[];
  kills: { killer: string | null; victim: string }[];
}

interface Problem {
  path: (string | number)[];
  message: string;
}

/** Maximum players of a match, in all teams, and maximum teams: in a free-for-all each player is a team. */
export const MAX_PLAYERS = 1_000;

/** The names of the winning teams, the one in `win` first; empty for a draw. */
export function winningTeams({ win, winners = [] }: Pick<MatchParts, 'win' | 'winners'>): string[] {
  return win === '' ? winners : [win, ...winners.filter((name) => name !== win)];
}

/**
 * Checks that `finished` is not before `started`, team names are unique, the winners are teams, each player has one
 * primary team, and killers and victims are players of the match.
 */
export function findProblems(match: MatchParts): Problem[] {
  const problems: Problem[] = [];
  if (match.finished < match.started)
    problems.push({ path: ['finished'], message: 'must not be earlier than started' });
  const teams = new Set(match.teams.map((team) => team.name));
  if (teams.size < match.teams.length)
    problems.push({ path: ['teams'], message: 'must have different names: two teams have the same one' });
  if (match.win !== '' && !teams.has(match.win)) {
    problems.push({ path: ['win'], message: 'must be the name of one of the teams, or empty' });
  }
  problems.push(...winnerProblems(match, teams));
  const players = collectPlayers(match, problems);
  const unlisted = match.kills.findIndex(
    ({ killer, victim }) => (killer !== null && !players.has(killer)) || !players.has(victim),
  );
  if (unlisted >= 0) {
    problems.push({
      path: ['kills', unlisted],
      message: 'must have a killer and a victim who are players of the match',
    });
  }
  return problems;
}

function winnerProblems({ win, winners }: MatchParts, teams: ReadonlySet<string>): Problem[] {
  if (winners === undefined) return [];
  const problems: Problem[] = [];
  const unknown = winners.findIndex((name) => !teams.has(name));
  if (unknown >= 0) problems.push({ path: ['winners', unknown], message: 'must be the name of one of the teams' });
  if (new Set(winners).size < winners.length)
    problems.push({ path: ['winners'], message: 'must have different names: one team is listed twice' });
  if (win !== '' && !winners.includes(win))
    problems.push({ path: ['winners'], message: 'must contain the team in win, or win be left out' });
  return problems;
}

const TWICE =
  'is in the match twice; give the entry in the team that decides the result primary: true, the others primary: false';

/** Players have one entry in most matches; of several, each in another team, exactly one is primary. */
function collectPlayers({ teams }: MatchParts, problems: Problem[]): ReadonlySet<string> {
  const primary = new Set<string>();
  let others: Map<string, { team: number; path: (string | number)[] }[]> | undefined;
  teams.forEach(({ players }, t) => {
    players.forEach((player, p) => {
      if (player.primary !== false && !primary.has(player.uuid)) return void primary.add(player.uuid);
      const path = ['teams', t, 'players', p, 'uuid'];
      if (player.primary !== false) return void problems.push({ path, message: TWICE });
      const entries = (others ??= new Map()).get(player.uuid) ?? [];
      others.set(player.uuid, [...entries, { team: t, path }]);
    });
  });
  if (others !== undefined) problems.push(...secondaryProblems({ teams }, primary, others));
  if (primary.size > MAX_PLAYERS) {
    problems.push({ path: ['teams'], message: `must not hold more than ${MAX_PLAYERS} players together` });
  }
  return primary;
}

function secondaryProblems(
  { teams }: Pick<MatchParts, 'teams'>,
  primary: ReadonlySet<string>,
  others: ReadonlyMap<string, { team: number; path: (string | number)[] }[]>,
): Problem[] {
  return [...others].flatMap(([uuid, entries]): Problem[] => {
    const { path } = entries[0]!;
    if (!primary.has(uuid)) return [{ path: [...path.slice(0, -1), 'primary'], message: 'must be true in one team' }];
    const twice = entries.find(({ team }) => teams[team]!.players.filter((player) => player.uuid === uuid).length > 1);
    return twice === undefined ? [] : [{ path: twice.path, message: 'is in this team twice' }];
  });
}
