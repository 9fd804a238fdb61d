import { isUtf8 } from 'node:buffer';

/** JSON as senders write it: UTF-8, and no name twice in an object, since readers disagree on what that means. */
export type Parsed = { value: unknown } | { problem: string };

export function parseJson(bytes: Buffer): Parsed {
  if (!isUtf8(bytes)) return { problem: 'is not UTF-8' };
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    return { problem: `is not JSON: ${(error as Error).message.slice(0, 200)}` };
  }
  return repeatsNames(text, value) ? { problem: 'names the same member twice in one object' } : { value };
}

/** Compact JSON is as long as what is written of it again, unless a member was lost; for all else names are counted. */
function repeatsNames(text: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  try {
    if (JSON.stringify(value).length === text.length) return false;
  } catch {
    // Nested too deep to be written; too deep to be an event, too, which its check says.
    return false;
  }
  return namesIn(text) !== membersOf(value);
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
