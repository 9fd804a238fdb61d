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

/**
 * Text that equals what is written of its value repeats no name: no need to count, which takes ten times as long. Senders
 * that write spaces, or numbers as 1.0, have their names counted.
 */
function repeatsNames(text: string, value: unknown, told: Told | Told[]): boolean {
  return !isWritten(text, told) && membersIn(text) !== membersOf(value);
}

function isWritten(text: string, told: Told | Told[]): boolean {
  try {
    return (Array.isArray(told) ? `[${told.map(jsonOf).join(',')}]` : jsonOf(told)) === text;
  } catch {
    // Nested too deep to be written.
    return false;
  }
}

function jsonOf({ input, data }: Told): string {
  if (data === undefined) return JSON.stringify(input);
  const members = Object.entries(input as object).map(
    ([name, value]) => `${JSON.stringify(name)}:${name === 'data' ? data : JSON.stringify(value)}`,
  );
  return `{${members.join(',')}}`;
}

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];

/** Counts the members that valid JSON names: each has one colon outside of strings. */
function membersIn(text: string): number {
  let count = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) inString = !inString;
    else if (code === BACKSLASH) at++;
    else if (code === COLON && !inString) count++;
  }
  return count;
}

function membersOf(value: unknown): number {
  let count = 0;
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const parts: unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += parts.length;
    for (const part of parts) if (typeof part === 'object' && part !== null) open.push(part);
  }
  return count;
}
