import { z } from 'zod';
import { counterValues, rowsOfCounters } from './counters.ts';
import { count, name, namedPlayer, player, score, text, timestamp, uuid } from './members.ts';
import { labelled } from './player-names.ts';

/** The data of a finished match, and the members that a running one has too. */

/** Maximum players of a match, in all teams, and maximum teams: in a free-for-all each player is a team. */
export const MAX_PLAYERS = 1_000;

const matchPlayerMembers = z.strictObject({
  ...namedPlayer.shape,
  score: score.default(0),
  kill_count: count.default(0),
  death_count: count.default(0),
  shot_count: count.default(0),
  hit_count: count.default(0),
  paint_count: count.default(0),
  time_played: count.default(0).meta({ description: 'Seconds in this match' }),
  counters: counterValues.optional(),
  primary: z.boolean().optional().meta({
    description:
      'For a player in several teams: true or left out for the team that decides result and counters, false for the others',
  }),
});
const matchPlayer = matchPlayerMembers.overwrite(labelled);

export const matchTeam = z.strictObject({
  name,
  score: score.optional().meta({ description: 'Left out: the sum over its players' }),
  kill_count: count.optional().meta({ description: 'Left out: the sum over its players' }),
  death_count: count.optional().meta({ description: 'Left out: the sum over its players' }),
  color: text(32).optional().meta({ description: 'A colour name or #RRGGBB; left out: as the map names it' }),
  players: z.array(matchPlayer).max(MAX_PLAYERS),
});

export function weightOfCounters(teams: readonly z.output<typeof matchTeam>[]): number {
  let weight = 0;
  for (const { players } of teams) for (const { counters } of players) weight += rowsOfCounters(counters);
  return weight;
}

export const OBJECTIVE_TYPES = ['wool', 'core', 'destroyable', 'flag', 'control_point', 'other'] as const;

export const objective = z.strictObject({
  player: player.nullable().default(null),
  team: text(128),
  type: z.enum(OBJECTIVE_TYPES),
  name: text(128),
  color: text(32).default(''),
  percent: z
    .number()
    .min(0)
    .max(100)
    .optional()
    .meta({ description: "The player's share of a destroyable; left out: all of it" }),
  time: timestamp,
});

const coordinate = z.number().min(-100_000_000).max(100_000_000);

const kill = z.strictObject({
  killer: uuid.nullable().default(null).meta({ description: 'null or left out: a death without a killer' }),
  victim: uuid,
  location: z
    .strictObject({ world: text(64).default(''), x: coordinate, y: coordinate, z: coordinate })
    .optional()
    .meta({ description: 'Where the victim died' }),
  time: timestamp,
});

export const finishedMatch = z
  .strictObject({
    map: name,
    gamemode: text(32, 1),
    ranked: z.boolean().default(false),
    win: text(128).default('').meta({ description: 'Name of the winning team; empty for a draw' }),
    winners: z
      .array(name)
      .max(MAX_PLAYERS)
      .optional()
      .meta({ description: 'Names of all winning teams, if there are several; `win` may be left out then' }),
    started: timestamp,
    finished: timestamp,
    teams: z.array(matchTeam).max(MAX_PLAYERS).meta({ description: 'In a free-for-all each player is a team of one' }),
    objectives: z.array(objective).max(2_000).default([]),
    kills: z.array(kill).max(20_000).default([]).meta({
      description: 'Who killed whom, by UUID; both must be players of the match. Deaths without a killer too',
    }),
  })
  .superRefine(checkMatch);

export type FinishedMatch = z.output<typeof finishedMatch>;

/** The members of a finished match that `checkMatch` compares. */
const { win, winners, started, finished } = finishedMatch.shape;
const matchParts = z
  .object({
    ...{ win, winners, started, finished },
    teams: z.array(
      z.object({ name, players: z.array(matchPlayerMembers.pick({ uuid: true, primary: true }).strip()) }),
    ),
    kills: z.array(kill.pick({ killer: true, victim: true }).strip()).default([]),
  })
  .superRefine(checkMatch);

/**
 * Zod checks the rules of a finished match only if all members of it are valid. This finds the other problems if only the
 * compared members are valid.
 * @param found the issues that the schema found
 */
export function matchIssues(data: unknown, found: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const known = new Set(found.map(({ path, message }) => `${path.join('.')} ${message}`));
  const issues = matchParts.safeParse(data).error?.issues ?? [];
  return issues.flatMap((issue) => {
    const path = ['data', ...issue.path];
    return issue.code !== 'custom' || known.has(`${path.join('.')} ${issue.message}`) ? [] : [{ ...issue, path }];
  });
}

function checkMatch(match: MatchParts, ctx: z.RefinementCtx<MatchParts>): void {
  for (const { path, message } of findProblems(match)) ctx.addIssue({ code: 'custom', path, message });
}

/** The members of a match that `findProblems` compares, beyond the schema of each. */
interface MatchParts {
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
