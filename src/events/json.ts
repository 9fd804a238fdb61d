import { isUtf8 } from 'node:buffer';

/** JSON as senders write it: UTF-8, and no name twice in an object, since readers disagree on what that means. */
export type Parsed<T> = { raw: T } | { problem: string };

/** What may be an event, beside the JSON of its data where there is some, which is long and written once. */
export interface RawEvent {
  input: unknown;
  data?: string;
}

/** One value, as in a line. */
export const parseOne = (bytes: Buffer): Parsed<RawEvent> => parse(bytes, rawOf);

/** One value of text that is decoded already. */
export const parseText = (text: string): Parsed<RawEvent> => read(text, rawOf);

/** One value, or each of an array. */
export function parseAll(bytes: Buffer): Parsed<RawEvent | RawEvent[]> {
  return parse(bytes, (value) => (Array.isArray(value) ? value.map(rawOf) : rawOf(value)));
}

function parse<T extends RawEvent | RawEvent[]>(bytes: Buffer, toldIn: (value: unknown) => T): Parsed<T> {
  if (!isUtf8(bytes)) return { problem: 'is not UTF-8' };
  const text = bytes.toString('utf8');
  return read(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, toldIn);
}

function read<T extends RawEvent | RawEvent[]>(text: string, toldIn: (value: unknown) => T): Parsed<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `is not JSON: ${(error as Error).message.slice(0, 200)}` };
  }
  const raw = toldIn(value);
  return repeatsNames(text, value, raw) ? { problem: 'names the same member twice in one object' } : { raw };
}

/** Data that is nested too deep to be written is too deep to be an event's, too, which its check says. */
function rawOf(input: unknown): RawEvent {
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
function repeatsNames(text: string, value: unknown, raw: RawEvent | RawEvent[]): boolean {
  return !isWritten(text, raw) && membersIn(text) !== membersOf(value);
}

function isWritten(text: string, raw: RawEvent | RawEvent[]): boolean {
  try {
    return (Array.isArray(raw) ? `[${raw.map(jsonOf).join(',')}]` : jsonOf(raw)) === text;
  } catch {
    // Nested too deep to be written.
    return false;
  }
}

function jsonOf({ input, data }: RawEvent): string {
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
