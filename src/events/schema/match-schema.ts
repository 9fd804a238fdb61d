import { z } from 'zod';
import { counterValues } from './counters.ts';
import { type MatchParts, MAX_PLAYERS, findProblems } from './match-rules.ts';
import { count, name, player, score, text, timestamp, uuid } from './members.ts';

/** The data of a finished match, and the members that a running one has too. */

const matchPlayer = z.strictObject({
  ...player.shape,
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

export const matchTeam = z.strictObject({
  name,
  score: score.optional().meta({ description: 'Left out: the sum over its players' }),
  kill_count: count.optional().meta({ description: 'Left out: the sum over its players' }),
  death_count: count.optional().meta({ description: 'Left out: the sum over its players' }),
  color: text(32).optional().meta({ description: 'A colour name or #RRGGBB; left out: as the map names it' }),
  players: z.array(matchPlayer).max(MAX_PLAYERS),
});

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
      .meta({ description: 'Names of all winning teams, where there are several; `win` may be left out then' }),
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
    teams: z.array(z.object({ name, players: z.array(matchPlayer.pick({ uuid: true, primary: true }).strip()) })),
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
