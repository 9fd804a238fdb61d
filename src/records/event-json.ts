import { isUtf8 } from 'node:buffer';

/** JSON as senders write it: UTF-8, and no name twice in an object, since readers disagree on what that means. */
export type Parsed<T> = { told: T } | { problem: string };

/** What may be an event, beside the JSON of its data where there is some, which is long and written once. */
export interface Told {
  input: unknown;
  data?: string;
}

/** One value, as in a line. */
export const parseOne = (bytes: Buffer): Parsed<Told> => parse(bytes, toldOf);

/** One value of text that is decoded already. */
export const parseText = (text: string): Parsed<Told> => read(text, toldOf);

/** One value, or each of an array. */
export function parseAll(bytes: Buffer): Parsed<Told | Told[]> {
  return parse(bytes, (value) => (Array.isArray(value) ? value.map(toldOf) : toldOf(value)));
}

function parse<T extends Told | Told[]>(bytes: Buffer, toldIn: (value: unknown) => T): Parsed<T> {
  if (!isUtf8(bytes)) return { problem: 'is not UTF-8' };
  const text = bytes.toString('utf8');
  return read(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, toldIn);
}

function read<T extends Told | Told[]>(text: string, toldIn: (value: unknown) => T): Parsed<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `is not JSON: ${(error as Error).message.slice(0, 200)}` };
  }
  const told = toldIn(value);
  return repeatsNames(text, value, told) ? { problem: 'names the same member twice in one object' } : { told };
}

/** Data that is nested too deep to be written is too deep to be an event's, too, which its check says. */
function toldOf(input: unknown): Told {
  const data = (input as { data?: unknown } | null)?.data;
  if (typeof data !== 'object') return { input };
  try {
    return { input, data: JSON.stringify(data) };
  } catch {
    return { input };
  }
}

/** Compact JSON is as long as what is written of it again, unless a member was lost; for all else names are counted. */
function repeatsNames(text: string, value: unknown, told: Told | Told[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  try {
    if (lengthOf(told) === text.length) return false;
  } catch {
    // Nested too deep, as above.
    return false;
  }
  return namesIn(text) !== membersOf(value);
}

/** How long the JSON of it is. */
function lengthOf(told: Told | Told[]): number {
  if (Array.isArray(told)) return told.reduce((sum, one) => sum + lengthOf(one), 1 + Math.max(1, told.length));
  const { input, data } = told;
  if (data === undefined) return JSON.stringify(input).length;
  return JSON.stringify({ ...(input as object), data: 0 }).length - 1 + data.length;
}

const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/gs;

function namesIn(text: string): number {
  let count = 0;
  for (const [, colon] of text.matchAll(STRINGS)) if (colon !== undefined) count++;
  return count;
}

function membersOf(value: object): number {
  let count = 0;
  const open: object[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const parts: unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += parts.length;
    for (const part of parts) if (typeof part === 'object' && part !== null) open.push(part);
  }
  return count;
}
