import { LAST_TIMESTAMP } from '../../text/time.ts';
import { isFuture } from '../clock-difference.ts';
import { ImportRefusal } from '../finding.ts';
import { withoutObjection } from '../../text/ban-reason.ts';
import { fit, oneLine, unstyled } from '../../text/line.ts';
import { dateIn, type Entry, entryOf, textIn, uuidIn } from './entries.ts';

/** An entry of banned-players.json. */
export interface Ban {
  uuid: string;
  /** Empty if the entry has none. */
  name: string;
  /** As recorded, also if it lies in the future: it is a part of the reference. */
  created: number;
  /** When the ban was issued, as far as that is known. */
  issued: number;
  expires: number | null;
  /** The name of the punisher; empty if it was not a player. */
  source: string;
  reason: string;
  /** Values that were corrected or left out. */
  notes: Note[];
}

interface Note {
  place: string;
  note: string;
}

/** Values that servers write instead of a player name. */
const NOBODY = new Set(['server', 'console', '(unknown)', 'unknown', 'rcon', '@', '']);

/** @param file when the file was written, and the present time */
export function readBan(value: unknown, file: { written: number; now: number }): Ban {
  const entry = entryOf(value);
  const uuid = uuidIn(entry);
  const created = dateIn(entry, 'created');
  const notes: Note[] = [];
  const issued = issuedIn(entry, created, file, notes);
  const expires = expiresIn(entry, created, notes);
  const source = oneLine(notedTextIn(entry, 'source', notes));
  return {
    uuid,
    name: fit(textIn(entry, 'name'), 64),
    created,
    issued,
    expires,
    source: NOBODY.has(source.toLowerCase()) ? '' : source,
    reason: fit(unstyled(withoutObjection(notedTextIn(entry, 'reason', notes))), 2_000),
    notes,
  };
}

/** Minecraft wrote the end of a ban in the place of its beginning when it rewrote the file (MC-112684). */
function issuedIn(entry: Entry, created: number, file: { written: number; now: number }, notes: Note[]): number {
  if (!isFuture(created, file.now)) return created;
  const note = `"${fit(textIn(entry, 'created'), 64)}" is in the future; the ban is imported with the time of the file`;
  notes.push({ place: 'created', note });
  return Math.min(file.written, file.now);
}

/** A date with a year of more than four digits, such as the largest `Date` of Java. */
const LATEST_DATE = /^\d{5,}-\d{2}-\d{2} /;

/** The expiry in epoch milliseconds; null if the ban is permanent or ends later than an event can express. */
function expiresIn(entry: Entry, created: number, notes: Note[]): number | null {
  if (isForever(entry['expires'])) return null;
  const text = textIn(entry, 'expires').trim();
  const expires = LATEST_DATE.test(text) ? Infinity : dateIn(entry, 'expires');
  if (expires < created) throw new ImportRefusal('is before the ban was created', 'expires');
  if (expires < LAST_TIMESTAMP) return expires;
  notes.push({
    place: 'expires',
    note: `"${fit(text, 64)}" is too far in the future; the ban is imported as permanent`,
  });
  return null;
}

function isForever(raw: unknown): boolean {
  return typeof raw === 'string' ? ['', 'forever'].includes(raw.trim().toLowerCase()) : (raw ?? null) === null;
}

function notedTextIn(entry: Entry, name: string, notes: Note[]): string {
  if (typeof (entry[name] ?? '') !== 'string') notes.push({ place: name, note: 'is not text and is left out' });
  return textIn(entry, name);
}
