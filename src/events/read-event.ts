import { parseMatchFast } from './match-fast-path.ts';
import { type Event, parseBySchema, type Rejection } from './schema.ts';

/** Checks one event, finished matches of the usual form by the fast path. */
export function readEvent(input: unknown): { event: Event } | { refusal: Rejection } {
  const match = parseMatchFast(input);
  return match === undefined ? parseBySchema(input) : { event: match };
}
