import { z } from 'zod';
import { isShownText, uuidOf } from '#text/text.ts';
import { isName, labelled, NOT_SHOWN, playerName } from './player-names.ts';
import { LAST_TIMESTAMP, readTime } from '#text/time.ts';

/** The form of an id, in receipts and in the data API. */
export const RECEIPT_ID = /^[0-9a-hjkmnp-tv-z]{11}$/;

export const text = (max: number, min = 0) =>
  z.string().min(min).max(max, `must have at most ${max} characters`).refine(isShownText, NOT_SHOWN);

export const count = z.int().min(0).max(1_000_000_000);
export const score = z.int().min(-1_000_000_000).max(1_000_000_000);
export const name = text(128, 1);

/** What is wrong with a time; with the right text for the seconds or milliseconds since 1970. */
function timeProblem(input: unknown): string {
  const since1970 =
    typeof input === 'number' || (typeof input === 'string' && /^\d{9,14}$/.test(input)) ? Number(input) : 0;
  // Up to the year 5138 in seconds, and since 1973 in milliseconds.
  const time = Math.round(since1970 < 1e11 ? since1970 * 1000 : since1970);
  if (since1970 < 1e8 || time >= LAST_TIMESTAMP) return 'must be an RFC 3339 time like 2026-01-31T12:34:56.789+09:00';
  return `must be an RFC 3339 time: the text "${new Date(time).toISOString()}" instead of ${String(input)}`;
}

/** An RFC 3339 timestamp with offset, converted to epoch milliseconds. */
export const timestamp = z
  .string({ error: ({ input }) => timeProblem(input) })
  .meta({ format: 'date-time' })
  .transform((value, context) => {
    const time = readTime(value);
    if (time !== undefined) return time;
    context.addIssue({ code: 'custom', message: timeProblem(value) });
    return z.NEVER;
  })
  .refine((value) => value >= 0, 'must not lie before 1970')
  .refine((value) => value < LAST_TIMESTAMP, 'must lie before the end of the year 9999');

export const EXAMPLE_UUID = '7f0c6a4e-52b1-4c2f-9b7d-1f2f8a6f9a10';
const NOT_UUID = `must be a UUID such as ${EXAMPLE_UUID}, with or without dashes`;
export const uuid = z
  .string({ error: NOT_UUID })
  .max(36)
  .refine((value) => uuidOf(value) !== undefined, NOT_UUID)
  .meta({ pattern: '^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$' })
  .transform((value) => uuidOf(value)!);

export const EXAMPLE_PLAYER = { uuid: EXAMPLE_UUID, name: 'Saltmarten' };
export const namedPlayer = z.strictObject(
  { uuid, name: playerName },
  {
    error: ({ code }) =>
      code === 'invalid_type' ? `must be an object such as ${JSON.stringify(EXAMPLE_PLAYER)}` : undefined,
  },
);
export const player = namedPlayer.overwrite(labelled);
export const unnamedPlayer = namedPlayer
  .partial({ name: true })
  .overwrite((one) => (one.name === undefined || isName(one.name) ? one : { uuid: one.uuid }))
  .meta({ description: 'Without a name, a player who is not known yet is shown under a label made of the UUID' });
