import { problemOf, type Problem } from './problems.ts';
import { EventSchema, type Event, parseBySchema, VERSION } from './index.ts';

/** The largest version: a greater one is a mistake of the sender. */
const MAX_VERSION = 1_000_000;
/** Maximum unknown members that a receipt names. */
const MAX_NAMED = 5;
/** Maximum unknown members of an event. */
const MAX_UNKNOWN = 10_000;

export interface ReadEvent {
  event: Event;
  /** Of an event of a newer version: JSON of `version` and of the unknown members outside of `data`. */
  envelope?: string;
  /** The unknown members of an event of a newer version; undefined if there are none. */
  unknown?: Problem[];
}

/**
 * Checks one event. An event of a newer version than the schema's may have unknown members, which are left out of the parsed
 * event.
 */
export function readEvent(input: unknown): ReadEvent | { problems: Problem[] } {
  return isNewer(input) ? readNewer(input) : parseBySchema(input);
}

type Members = Record<string, unknown>;
type Path = readonly PropertyKey[];

function isNewer(input: unknown): input is Members & { version: number } {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false;
  const { version } = input as Members;
  return Number.isInteger(version) && (version as number) > VERSION && (version as number) <= MAX_VERSION;
}

function readNewer(input: Members & { version: number }): ReadEvent | { problems: Problem[] } {
  const asKnown = { ...input, version: VERSION };
  const unknown = findUnknownMembers(asKnown);
  const read = parseBySchema(unknown.length === 0 ? asKnown : without(asKnown, unknown));
  if ('problems' in read) return read;
  const beside = unknown.flatMap((path) => (path.length === 1 ? [[path[0], input[path[0] as string]]] : []));
  const envelope = JSON.stringify({ version: input.version, ...(Object.fromEntries(beside) as Members) });
  return { ...read, envelope, ...(unknown.length === 0 ? {} : { unknown: warningsAbout(unknown) }) };
}

/** The paths of the members that the schema does not know. */
function findUnknownMembers(input: Members): Path[] {
  const issues = EventSchema.safeParse(input).error?.issues ?? [];
  return issues
    .flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : []))
    .slice(0, MAX_UNKNOWN);
}

function without(input: Members, members: readonly Path[]): Members {
  const copy = structuredClone(input);
  for (const path of members) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], copy);
    Reflect.deleteProperty(parent as object, path.at(-1)!);
  }
  return copy;
}

function warningsAbout(unknown: readonly Path[]): Problem[] {
  const reason = 'is not a member that this version of Scorehall knows; it is stored with the event and not used';
  const warnings = unknown.slice(0, MAX_NAMED).map((path) => problemOf(reason, path.join('.')));
  const more = unknown.length - warnings.length;
  return more === 0 ? warnings : [...warnings, problemOf(`has ${more} more unknown members`, '')];
}
