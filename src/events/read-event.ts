import { parseMatchFast } from './match-fast-path.ts';
import type { Problem } from './checks/problems.ts';
import { type Event, parseBySchema } from './schema.ts';

/** Checks one event, finished matches of the usual form by the fast path. */
export function readEvent(input: unknown): { event: Event } | { problems: Problem[] } {
  const match = parseMatchFast(input);
  return match === undefined ? parseBySchema(input) : { event: match };
}
