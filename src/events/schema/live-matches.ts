import { z } from 'zod';
import { eventType, NO_CHECKS, OTHER_WEIGHT, PLAIN, type Refusal } from './event-type.ts';
import { MAX_PLAYERS, findProblems, matchTeam, objective, weightOfCounters } from './match-schema.ts';
import { count, EXAMPLE_PLAYER, name, text, timestamp } from './members.ts';

export const MATCH_PHASES = ['starting', 'running', 'finished'] as const;

/** The members of `match.finished`, all optional that may not be known yet. */
const data = z
  .strictObject({
    phase: z.enum(MATCH_PHASES).default('running'),
    map: name,
    gamemode: text(32).default(''),
    started: timestamp.optional().meta({
      description:
        'When the match began: the same in all its reports, and in `match.finished`. Left out while it is starting',
    }),
    participants: count.optional().meta({ description: 'Players taking part; left out: those of the teams' }),
    observers: count.optional().meta({ description: 'Players who only watch' }),
    teams: z.array(matchTeam).max(MAX_PLAYERS).default([]),
    objectives: z.array(objective).max(2_000).default([]),
  })
  .superRefine(({ phase, started, teams }, ctx) => {
    const message = 'is missing: only a match in the phase starting has not begun';
    if (phase !== 'starting' && started === undefined) ctx.addIssue({ code: 'custom', path: ['started'], message });
    for (const { path, message: reason } of findProblems({ win: '', started: 0, finished: 0, teams, kills: [] }))
      ctx.addIssue({ code: 'custom', path, message: reason });
  });

/** The number of players and objectives of a running match that fill a page of the database. */
const LISTED_PER_PAGE = 20;

/** The start identifies a running match among the matches of the server. */
function startsAfter({ started }: z.output<typeof data>, time: number): Refusal[] {
  if (started === undefined || started <= time) return [];
  return [{ place: 'data.started', predicate: 'must not be later than the time of the event' }];
}

export const LIVE_MATCH_EVENTS = {
  'match.progress': eventType({
    description: 'The match that a server plays now; only the newest report is stored',
    data,
    example: {
      map: 'Twin Peaks',
      gamemode: 'ctw',
      started: '2026-03-01T11:50:00Z',
      participants: 1,
      teams: [{ name: 'Red', players: [EXAMPLE_PLAYER] }],
    },
    ...PLAIN,
    sender: 'servers',
    needsServer: true,
    stored: 'never',
    weight({ teams, objectives }) {
      const listed = teams.reduce((sum, team) => sum + team.players.length, objectives.length);
      // Counters are rows of the finished match only, but checking and copying them costs as much here.
      return OTHER_WEIGHT + Math.ceil(listed / LISTED_PER_PAGE) + weightOfCounters(teams);
    },
    checks: { ...NO_CHECKS, misdated: startsAfter },
  }),
};
