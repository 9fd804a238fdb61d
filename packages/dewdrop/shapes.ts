import { z } from 'zod';
import type { Members } from './core.ts';

/** The bodies that Dewdrop sends, as far as they are read. Members that are not listed are ignored. */

/** A count that Dewdrop may send as null or as a fraction. */
const amount = z
  .number()
  .nullish()
  .transform((value) => Math.min(1_000_000_000, Math.max(0, Math.round(value ?? 0))));

const points = z
  .number()
  .nullish()
  .transform((value) => (value === null || value === undefined ? undefined : Math.round(value)));

const stats = z.looseObject({
  kills: amount,
  deaths: amount,
  assists: amount,
  killstreak: amount,
  damageDealt: amount,
  damageDealtBow: amount,
  damageReceived: amount,
  damageReceivedBow: amount,
  arrowsHit: amount,
  arrowsShot: amount,
  wools: amount,
  woolsTouched: amount,
  monuments: amount,
  cores: amount,
  flags: amount,
  flagsPicked: amount,
  score: points,
});

/** The shapes of the bodies, with the members that they share with events. */
export function createShapes({ name, timestamp, uuid, maxPlayers }: Members) {
  const participation = z.looseObject({
    userUuid: uuid,
    primary: z.boolean().nullish(),
    duration: amount,
    stats: stats.nullish(),
  });

  const team = z.looseObject({
    name: z.string(),
    color: z.string().nullish(),
    score: points,
    participations: z.array(participation).max(maxPlayers),
  });

  const match = z.looseObject({
    createdAt: z.string().nullish(),
    startedAt: timestamp,
    endedAt: timestamp,
    status: z.literal('ENDED', 'must be ENDED'),
    serverName: z.string().max(128).nullish(),
    mapSlug: name,
    teams: z.array(team).max(100).nullish(),
    participations: z.array(participation).max(maxPlayers).nullish(),
    winnerTeam: z.looseObject({ name: z.string() }).nullish(),
    winnerUserUuid: uuid.nullish(),
  });

  const user = z.looseObject({ userUuid: uuid, username: z.string().regex(/^\S{1,32}$/, 'must be a name') });

  const map = z.looseObject({
    name,
    mapSlug: name,
    mapTags: z.array(z.string().max(32)).max(50).nullish(),
  });

  return { match, user, map };
}

export type Shapes = ReturnType<typeof createShapes>;
export type MatchBody = z.output<Shapes['match']>;
export type Participation = NonNullable<MatchBody['participations']>[number];
