import { nameKey, uuidOf } from '#text/text.ts';
import { isReplaced, type Renamed, renamedTeams } from './own-teams.ts';

/** Like `rename`, for JSON. */
export const renamedJson = (json: string, renamed: Renamed, replacedNames?: Set<string>): string =>
  JSON.stringify(rename(JSON.parse(json), renamed, replacedNames));

type Members = Record<string, unknown>;

/**
 * Copies a value and replaces every renamed UUID, the member `name` of an object with its `uuid`, the names of teams that
 * bear the name of their only player, and the names of a punished player in the reason.
 * @param replacedNames gets the names that were replaced
 */
export function rename(value: unknown, renamed: Renamed, replacedNames?: Set<string>): unknown {
  if (typeof value === 'string') return renamedText(value, renamed);
  if (Array.isArray(value)) return value.map((part) => rename(part, renamed, replacedNames));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, rename(part, renamed, replacedNames)]),
  );
  const { uuid, name, teams, punished, reason } = value as Members;
  if (Array.isArray(teams)) return withTeams(copy, renamedTeams(value, renamed));
  if (typeof reason === 'string' && punished !== undefined) return { ...copy, reason: renamedReason(value, renamed) };
  const other = typeof uuid === 'string' ? renamed.get(uuidOf(uuid) ?? '') : undefined;
  if (other === undefined || !isReplaced(name, other)) return copy;
  if (typeof name === 'string') replacedNames?.add(name);
  return { ...copy, name: other.name };
}

const UUID_LENGTH = 32;
const UUIDS = /[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** The UUIDs in a text, such as the id of an event or the reference of a punishment. */
export function uuidsIn(text: string): string[] {
  if (text.length < UUID_LENGTH) return [];
  // Most texts of this length are a UUID, and the pattern takes half as long again to find it.
  const whole = uuidOf(text);
  return whole === undefined ? (text.match(UUIDS) ?? []).map((found) => uuidOf(found)!) : [whole];
}

/** Replaces the UUIDs in a text. */
export function renamedText(text: string, renamed: Renamed): string {
  if (text.length < UUID_LENGTH) return text;
  const whole = uuidOf(text);
  if (whole !== undefined) return otherUuid(whole, renamed) ?? text;
  return text.replace(UUIDS, (found) => {
    const other = otherUuid(uuidOf(found)!, renamed);
    return other === undefined ? found : found.includes('-') ? other : other.replaceAll('-', '');
  });
}

/** Undefined if the player keeps the UUID. */
function otherUuid(uuid: string, renamed: Renamed): string | undefined {
  const other = renamed.get(uuid)?.uuid;
  return other === uuid ? undefined : other;
}

/** The members of a match that name teams: the member of each element, or none for the name itself. */
const TEAM_NAMES = { teams: 'name', objectives: 'team', counters: 'team', win: null, winners: null } as const;

function withTeams(match: Members, names: ReadonlyMap<string, string>): Members {
  if (names.size === 0) return match;
  const newName = (name: unknown): unknown => names.get(name as string) ?? name;
  const entries = Object.entries(TEAM_NAMES).flatMap(([key, member]) => {
    const part = match[key];
    if (!Array.isArray(part)) return part === undefined ? [] : [[key, newName(part)]];
    const named = (one: unknown): unknown =>
      member === null ? newName(one) : { ...(one as Members), [member]: newName((one as Members)[member]) };
    return [[key, part.map(named)]];
  });
  return { ...match, ...(Object.fromEntries(entries) as Members) };
}

/** What a match has about players and teams: JSON, apart from the winner. */
export interface NamedInMatch {
  win?: string;
  teams?: string;
  objectives?: string;
  extras?: string | null;
  counters?: string | null;
}

const parsed = (json: string | null | undefined): unknown => (json ? JSON.parse(json) : undefined);

/** Renames players in the members that a match has, and the teams that follow them if it has `teams`. */
export function renamedMatch<M extends NamedInMatch>(
  match: M,
  renamed: Renamed,
): M & { newTeams: ReadonlyMap<string, string> } {
  const [teams, objectives, counters] = [match.teams, match.objectives, match.counters].map(parsed);
  const extras = parsed(match.extras) as { winners?: string[] } | undefined;
  const { win } = match;
  const members = { win, winners: extras?.winners, teams, objectives, counters };
  const shown = rename(members, renamed) as typeof members;
  return {
    ...match,
    ...(win !== undefined && { win: shown.win }),
    ...(teams !== undefined && { teams: JSON.stringify(shown.teams) }),
    ...(objectives !== undefined && { objectives: JSON.stringify(shown.objectives) }),
    ...(counters !== undefined && { counters: JSON.stringify(shown.counters) }),
    ...(shown.winners && { extras: JSON.stringify({ ...extras, winners: shown.winners }) }),
    newTeams: renamedTeams({ teams, objectives }, renamed),
  };
}

function renamedReason(value: object, renamed: Renamed): string {
  const { punished, reason } = value as { punished: Members | null; reason: string };
  const [text, other] = [renamedText(reason, renamed), renamed.get(uuidOf(String(punished?.['uuid'])) ?? '')];
  if (other === undefined) return text;
  const name = punished!['name'];
  const names = typeof name === 'string' && isReplaced(name, other) ? [name] : [];
  return withoutNames(text, [...names, ...(other.names ?? [])], other.name);
}

/** Whether `withoutNames` leaves a name, which is too often a word of another meaning. */
export const isShortName = (name: string): boolean => Array.from(name).length < 3;

/** A pattern for some names as whole words, in any case. */
function wordsOf(names: readonly string[]): RegExp {
  const longestFirst = [...names].sort((a, b) => b.length - a.length).map((name) => RegExp.escape(name));
  return new RegExp(`(?<![\\p{L}\\p{M}\\p{N}_])(?:${longestFirst.join('|')})(?![\\p{L}\\p{M}\\p{N}_])`, 'giu');
}

/** Replaces names in a text that are whole words, in any case; shorter ones stay. */
export function withoutNames(text: string, names: Iterable<string>, replacement: string): string {
  const replaced = [...names].filter((name) => !isShortName(name) && nameKey(name) !== nameKey(replacement));
  return text === '' || replaced.length === 0 ? text : text.replace(wordsOf(replaced), () => replacement);
}

/** Whether a text has one of some names as a whole word, in any case. */
export const hasName = (text: string, names: readonly string[]): boolean => wordsOf(names).test(text);
