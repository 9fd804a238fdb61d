import { z } from 'zod';
import { idOf } from '#platform/ids.ts';
import { notFound } from '#http/errors.ts';
import { MATCH_PHASES } from '#events/schema/live-matches.ts';
import {
  listLiveMatches,
  type ListedLiveMatch,
  type LiveMatchHead as Head,
  liveMatchOf,
  type UnreportedMatch,
  unreportedMatchesOf,
} from '#store/game/live-matches.ts';
import { type Deps, type Endpoint, endpoint, presenceSince, RenderedBody } from './endpoint.ts';
import { Objective, objectivesWire, Team } from './matches.ts';
import { count, id, timestamp } from './schemas.ts';
import { requiredServer } from './servers.ts';

/** Matches that run, and matches that were seen to run and have no result. They have no id; `/v1/matches` has the results. */

const LiveTeam = z
  .looseObject({
    ...Team.omit({ players: true }).shape,
    color: z.string().meta({ description: 'A colour name or #RRGGBB; empty if the server reported none' }),
  })
  .meta({ id: 'LiveTeam', description: 'Members may be added' });

const LiveMatchHead = z
  .looseObject({
    server: z.string(),
    server_id: id,
    phase: z.enum(MATCH_PHASES).meta({
      description: 'starting: it has not begun; finished: it is over, and its result has not been reported yet',
    }),
    map: z.string(),
    gamemode: z.string().meta({ description: 'Empty if no server reported it' }),
    started: timestamp.nullable().meta({ description: 'null while it is starting' }),
    time: timestamp.meta({ description: 'When the server last reported it' }),
    participants: count.meta({ description: 'Players taking part' }),
    observers: count.nullable().meta({ description: 'Players who only watch; null if no server counted them' }),
    teams: z.array(LiveTeam).meta({ description: 'Empty if only a status ping is known' }),
  })
  .meta({ id: 'LiveMatchHead', description: 'A match that runs. Members may be added' });

const LiveMatch = z
  .looseObject({
    ...LiveMatchHead.shape,
    teams: z.array(z.looseObject({ ...LiveTeam.shape, ...Team.pick({ players: true }).shape })),
    objectives: z.array(Objective).meta({ description: 'Completed so far' }),
  })
  .meta({ id: 'LiveMatch', description: 'A match that runs, with its players. Members may be added' });

const UnreportedMatchShape = z
  .looseObject({
    map: z.string(),
    gamemode: z.string().meta({ description: 'Empty if no server reported it' }),
    started: timestamp,
    seen: timestamp.meta({ description: 'When the server was last seen to play it' }),
  })
  .meta({
    id: 'UnreportedMatch',
    description: 'A match that a server no longer plays, without a result. Members may be added',
  });

export const liveMatches: Endpoint[] = [
  endpoint({
    path: '/v1/live-matches',
    tag: 'Server',
    summary: 'The matches that run now, in the order of their servers',
    query: {},
    response: z.array(LiveMatchHead),
    handle: async ({ deps }) => {
      const matches = await listLiveMatches(deps.db, presenceSince(deps));
      return new RenderedBody(`[${matches.map((match) => listedJson(deps, match)).join(',')}]`);
    },
  }),
  endpoint({
    path: '/v1/servers/:id/live-match',
    tag: 'Server',
    summary: 'The match that a server plays now, with its players; 404 if it plays none',
    id: 'A server id',
    query: {},
    response: LiveMatch,
    handle: async ({ deps, id: text }) => {
      const { key } = await requiredServer(deps, text);
      const match = await liveMatchOf(deps.db, key, presenceSince(deps));
      if (match === undefined) throw notFound('This server plays no match now.');
      const teams = match.teams.map(({ color = '', ...team }) => ({ ...team, color }));
      return { ...headWire(deps, match), teams, objectives: objectivesWire(deps, match.objectives) };
    },
  }),
  endpoint({
    path: '/v1/servers/:id/unreported-matches',
    tag: 'Server',
    summary: 'Matches that a server was seen to play and of which no result was reported, newest first, at most 20',
    id: 'A server id',
    query: {},
    response: z.array(UnreportedMatchShape),
    handle: async ({ deps, id: text }) => {
      const { key } = await requiredServer(deps, text);
      return (await unreportedMatchesOf(deps.db, key, presenceSince(deps))).map((unreported) =>
        unreportedWire(deps, unreported),
      );
    },
  }),
];

/** The teams are JSON in the form of `LiveTeam`, so nothing is parsed. */
export function listedJson(deps: Deps, match: ListedLiveMatch): string {
  const head = JSON.stringify(headWire(deps, match));
  return `${head.slice(0, -1)},"teams":${match.teamHeads}}`;
}

function headWire({ timestamp: write }: Deps, match: Head): Omit<z.input<typeof LiveMatchHead>, 'teams'> {
  const { serverKey, server, phase, map, gamemode, started, time, participants, observers } = match;
  return {
    ...{ server, server_id: idOf(serverKey), phase, map, gamemode },
    started: started === null ? null : write(started),
    time: write(time),
    ...{ participants, observers },
  };
}

function unreportedWire({ timestamp: write }: Deps, unreported: UnreportedMatch): z.input<typeof UnreportedMatchShape> {
  const { map, gamemode, started, seen } = unreported;
  return { map, gamemode, started: write(started), seen: write(seen) };
}
