import { z } from 'zod';
import { invalidRequest } from '#http/errors.ts';
import { name, timestamp, uuid } from '#events/schema/members.ts';
import { MAX_PLAYERS } from '#events/schema/match-schema.ts';
import { FIRST_ONLY } from '#events/schema/problems.ts';

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
  participations: z.array(participation).max(MAX_PLAYERS),
});

export const matchShape = z.looseObject({
  createdAt: z.string().nullish(),
  startedAt: timestamp,
  endedAt: timestamp,
  status: z.literal('ENDED', 'must be ENDED'),
  serverName: z.string().max(128).nullish(),
  mapSlug: name,
  teams: z.array(team).max(100).nullish(),
  participations: z.array(participation).max(MAX_PLAYERS).nullish(),
  winnerTeam: z.looseObject({ name: z.string() }).nullish(),
  winnerUserUuid: uuid.nullish(),
});

export const userShape = z.looseObject({ userUuid: uuid, username: z.string().regex(/^\S{1,32}$/, 'must be a name') });

export const mapShape = z.looseObject({
  name,
  mapSlug: name,
  mapTags: z.array(z.string().max(32)).max(50).nullish(),
});

export type MatchBody = z.output<typeof matchShape>;
export type Participation = z.output<typeof participation>;

/** @throws HttpError 400 that names the first wrong member */
export function readShape<T extends z.ZodType>(shape: T, body: unknown): z.output<T> {
  const read = shape.safeParse(body, FIRST_ONLY);
  if (read.success) return read.data;
  const { path, message } = read.error.issues[0]!;
  throw invalidRequest(`${path.join('.') || 'The body'}: ${message}.`);
}
