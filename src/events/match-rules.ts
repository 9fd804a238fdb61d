/** The members of a match that the rules below check together, beyond the schema of each. */
export interface MatchParts {
  win: string;
  started: number;
  finished: number;
  teams: { name: string; players: { uuid: string }[] }[];
  kills: { killer: string | null; victim: string }[];
}

interface Problem {
  path: (string | number)[];
  message: string;
}

/** The most players of a match, in all teams together. */
const MAX_PLAYERS = 1_000;

/**
 * Checks that `finished` is not before `started`, team names are unique, the winner is one of the teams, no player is
 * listed twice, and killers and victims are players of the match.
 */
export function problemsOf(match: MatchParts): Problem[] {
  const problems: Problem[] = [];
  if (match.finished < match.started)
    problems.push({ path: ['finished'], message: 'must not be earlier than started' });
  const teams = new Set(match.teams.map((team) => team.name));
  if (teams.size < match.teams.length)
    problems.push({ path: ['teams'], message: 'must have different names: two teams have the same one' });
  if (match.win !== '' && !teams.has(match.win)) {
    problems.push({ path: ['win'], message: 'must be the name of one of the teams, or empty' });
  }
  const players = playersOf(match, problems);
  const unlisted = match.kills.findIndex(
    ({ killer, victim }) => (killer !== null && !players.has(killer)) || !players.has(victim),
  );
  if (unlisted >= 0) {
    problems.push({ path: ['kills', unlisted], message: 'killer and victim must both be players of the match' });
  }
  return problems;
}

function playersOf({ teams }: MatchParts, problems: Problem[]): Set<string> {
  const players = new Set<string>();
  teams.forEach((team, t) => {
    team.players.forEach((player, p) => {
      if (!players.has(player.uuid)) return void players.add(player.uuid);
      const path = ['teams', t, 'players', p, 'uuid'];
      problems.push({ path, message: 'is in the match twice; list each player in their last team only' });
    });
  });
  if (players.size > MAX_PLAYERS) {
    problems.push({ path: ['teams'], message: `must not hold more than ${MAX_PLAYERS} players together` });
  }
  return players;
}
