import type { z } from 'zod';
import { sanitised } from '#text/text.ts';

/** A sentence about a problem of an event, and the path of the faulty member: `data.teams.0.players.3.uuid`. */
export interface Problem {
  reason: string;
  place: string;
}

export const MAX_PROBLEMS = 20;
/** An option of zod's own: it stops at the first problem. Each problem takes some microseconds, and 1 MiB has 700,000. */
export const FIRST_ONLY: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true };
const MAX_PREDICATE_LENGTH = 300;
const MAX_PLACE_LENGTH = 200;

/**
 * Makes a sentence of a predicate (`must be a UUID`) about a member, or about the event if the place is empty. Sanitises both,
 * because they may quote arbitrary text of the event.
 */
export function problemOf(predicate: string, place: string): Problem {
  const shown = sanitised(place, MAX_PLACE_LENGTH);
  const subject = shown === '' ? 'The event' : `\`${shown.replaceAll('`', '').replace(/\.(\d+)(?=\.|$)/g, '[$1]')}\``;
  return { reason: `${subject} ${sanitised(predicate, MAX_PREDICATE_LENGTH)}.`, place: shown };
}

/** The sentence of a problem under the name that a form or a command has for the member. */
export const reasonAbout = (subject: string, { reason }: Pick<Problem, 'reason'>): string =>
  reason.replace(/^(?:`[^`]*`|The event)/, () => subject);

/**
 * The problems that the schema found, in sentences for the author of a plugin.
 * @param types the types of events to suggest if the type is wrong
 */
export function problemsIn(issues: readonly Issue[], input: unknown, types: readonly string[]): Problem[] {
  const problems: Problem[] = [];
  for (const issue of issues) {
    for (const [predicate, ...rest] of issueFindings(issue, valueAt(input, issue.path), types)) {
      if (problems.length === MAX_PROBLEMS) return problems;
      problems.push(problemOf(predicate, [...issue.path, ...rest].join('.')));
    }
  }
  return problems;
}

type Issue = z.core.$ZodIssue;
/** A predicate, and the wrong member if it is below the path of the issue. */
type Finding = [predicate: string, ...member: string[]];

function issueFindings(issue: Issue, value: unknown, types: readonly string[]): Finding[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, MAX_PROBLEMS).map((key) => ['is not a member of this object; check the spelling', key]);
  if (issue.code === 'invalid_type' && issue.path.length === 0)
    return [
      Array.isArray(value)
        ? ['must be an object, not an array: a line has one event, and an array is sent as application/json']
        : ['must be an object with the members version, id, type, time and data'],
    ];
  const isType = issue.code === 'invalid_union' && issue.path.at(-1) === 'type';
  const predicate = isType ? `must be one of ${types.join(', ')}` : issuePredicate(issue);
  return [[value === undefined && issue.code !== 'custom' ? `is missing: it ${predicate}` : predicate]];
}

/** How zod begins a message that the schema does not set. */
const DEFAULT_MESSAGE = 'Invalid input';

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function issuePredicate(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.startsWith(DEFAULT_MESSAGE)
        ? `must be ${NOUNS[issue.expected] ?? issue.expected}`
        : issue.message;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return `must ${describeAmount(issue.origin, Number(issue.maximum), 'most')}`;
    case 'too_small':
      return issue.origin === 'string' && Number(issue.minimum) === 1
        ? 'must not be empty'
        : `must ${describeAmount(issue.origin, Number(issue.minimum), 'least')}`;
    case 'invalid_format':
      return issue.format === 'base64' ? 'must be base64, with padding' : issue.message;
    default:
      return issue.message;
  }
}

function describeAmount(origin: string, limit: number, bound: 'most' | 'least'): string {
  if (origin === 'string') return `have at ${bound} ${limit} characters`;
  if (origin === 'array') return `have at ${bound} ${limit} entries`;
  return `be at ${bound} ${limit}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input);
}
