/** What has to be right about a match beyond the shape of its parts. */
export interface MatchParts {
  win: string;
  started: number;
  finished: number;
  teams: { name: string; players: { uuid: string }[] }[];
  kills: { killer: string; victim: string }[];
}

interface Problem {
  path: (string | number)[];
  message: string;
}

/** How many players may stand in a match, all teams together. */
const MAX_PLAYERS = 1_000;

/** Moments in order, a winner that played, nobody twice, kills among players. */
export function problemsOf(match: MatchParts): Problem[] {
  const problems: Problem[] = [];
  if (match.finished < match.started) problems.push({ path: ['finished'], message: 'must not lie before started' });
  const teams = new Set(match.teams.map((team) => team.name));
  if (teams.size < match.teams.length) problems.push({ path: ['teams'], message: 'two teams bear the same name' });
  if (match.win !== '' && !teams.has(match.win)) {
    problems.push({ path: ['win'], message: 'must be the name of one of the teams, or empty' });
  }
  const players = playersOf(match, problems);
  const stranger = match.kills.findIndex((kill) => !players.has(kill.killer) || !players.has(kill.victim));
  if (stranger >= 0) {
    problems.push({ path: ['kills', stranger], message: 'killer and victim must both be players of the match' });
  }
  return problems;
}

function playersOf({ teams }: MatchParts, problems: Problem[]): Set<string> {
  const players = new Set<string>();
  teams.forEach((team, t) => {
    team.players.forEach((player, p) => {
      if (!players.has(player.uuid)) return void players.add(player.uuid);
      const path = ['teams', t, 'players', p, 'uuid'];
      problems.push({ path, message: 'stands in the match twice; list each player in the last team only' });
    });
  });
  if (players.size > MAX_PLAYERS) {
    problems.push({ path: ['teams'], message: `hold more than ${MAX_PLAYERS} players together` });
  }
  return players;
}
