import type { z } from 'zod';
import { sanitised } from '#platform/text.ts';

/** What is wrong with an event, and the path of the faulty member: `data.teams.0.players.3.uuid`. */
export interface Problem {
  reason: string;
  place: string;
}

/** The most problems of one event that a receipt lists. */
export const MAX_PROBLEMS = 20;
const MAX_REASON_LENGTH = 300;
const MAX_PLACE_LENGTH = 200;

/** Sanitises reason and path, because both may quote arbitrary text of the event. */
export const problemOf = (reason: string, place: string): Problem => ({
  reason: sanitised(reason, MAX_REASON_LENGTH),
  place: sanitised(place, MAX_PLACE_LENGTH),
});

/** Both lists; undefined where there is none. */
export const joined = (one: Problem[] | undefined, other: Problem[] | undefined): Problem[] | undefined =>
  one === undefined || other === undefined ? (one ?? other) : [...one, ...other];

/**
 * The problems that the schema found, in sentences for the author of a plugin.
 * @param types the types of events to suggest where the type is wrong
 */
export function problemsIn(issues: readonly Issue[], input: unknown, types: readonly string[]): Problem[] {
  const problems: Problem[] = [];
  for (const issue of issues) {
    const sentences = sentencesOf(issue, valueAt(input, issue.path), types);
    for (const [reason, ...rest] of sentences) {
      if (problems.length === MAX_PROBLEMS) return problems;
      problems.push(problemOf(reason, [...issue.path, ...rest].join('.')));
    }
  }
  return problems;
}

type Issue = z.core.$ZodIssue;
/** A reason, and a member below the path of the issue where that is the wrong one. */
type Sentence = [reason: string, ...member: string[]];

function sentencesOf(issue: Issue, value: unknown, types: readonly string[]): Sentence[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, MAX_PROBLEMS).map((key) => ['is not a member of this object; check the spelling', key]);
  if (issue.code === 'invalid_type' && issue.path.length === 0)
    return [['An event must be an object with the members version, id, type, time and data']];
  const isType = issue.code === 'invalid_union' && issue.path.at(-1) === 'type';
  const reason = isType ? `must be one of ${types.join(', ')}` : reasonOf(issue);
  return [[value === undefined && issue.code !== 'custom' ? `is missing: it ${reason}` : reason]];
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function reasonOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${NOUNS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return `must ${amountOf(issue.origin, Number(issue.maximum), 'most')}`;
    case 'too_small':
      return issue.origin === 'string' && Number(issue.minimum) === 1
        ? 'must not be empty'
        : `must ${amountOf(issue.origin, Number(issue.minimum), 'least')}`;
    case 'invalid_format':
      return issue.format === 'base64' ? 'must be base64, with padding' : issue.message;
    default:
      return issue.message;
  }
}

function amountOf(origin: string, limit: number, bound: 'most' | 'least'): string {
  if (origin === 'string') return `have at ${bound} ${limit} characters`;
  if (origin === 'array') return `have at ${bound} ${limit} entries`;
  return `be at ${bound} ${limit}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input);
}
