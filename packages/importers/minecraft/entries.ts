import { uuidOf } from '../../text/text.ts';
import { ImportRefusal } from '../finding.ts';
import { parseLenientJson } from '../lenient-json.ts';
import { readText } from '../read-file.ts';
import { fit, oneLine } from '../../text/line.ts';
import { readDate } from './date.ts';

const MAX_BYTES = 50_000_000;

export type Entry = Record<string, unknown>;

/** Parses a JSON file strictly, as the game reads `stats/`. @throws ImportRefusal */
export async function readJson(path: string): Promise<unknown> {
  const text = await readText(path, MAX_BYTES);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ImportRefusal(`is not JSON: ${oneLine((error as Error).message)}`);
  }
}

/** Parses a JSON file that contains an array, as leniently as the game reads such lists. @throws ImportRefusal */
export async function readEntries(path: string): Promise<unknown[]> {
  const list = parseLenientJson(await readText(path, MAX_BYTES));
  if (!Array.isArray(list)) throw new ImportRefusal('is not a JSON array');
  return list as unknown[];
}

export function entryOf(value: unknown): Entry {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Entry;
  throw new ImportRefusal('is not a JSON object');
}

/** Accepts any UUID, also those of offline mode (version 3). @throws ImportRefusal */
export function uuidIn(entry: Entry): string {
  const uuid = uuidOf(textIn(entry, 'uuid'));
  if (uuid === undefined) throw new ImportRefusal(`${shown(entry['uuid'])} is not a UUID`, 'uuid');
  return uuid;
}

export function dateIn(entry: Entry, name: string): number {
  const date = readDate(textIn(entry, name));
  if (date === undefined)
    throw new ImportRefusal(`${shown(entry[name])} is not a date like 2026-01-31 12:34:56 +0900`, name);
  return date;
}

export function textIn(entry: Entry, name: string): string {
  const value = entry[name];
  return typeof value === 'string' ? value : '';
}

/** A wrong value as an error shows it. */
function shown(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return `"${typeof value === 'string' ? fit(value, 64) : ''}"`;
}
