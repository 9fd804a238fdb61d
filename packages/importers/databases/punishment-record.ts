import type { Event } from '../../sender/event.ts';
import { LAST_TIMESTAMP } from '../../text/time.ts';
import { isFuture } from '../clock-difference.ts';
import type { ImportedRow, KnownPunishment, PunishmentTerms } from '../core.ts';
import type { SourcePlayer } from './cells.ts';

/** The present state of a punishment in another program's database. */
export interface PunishmentRecord extends PunishmentTerms {
  table: string;
  place: string;
  /** The id of its row, in the order of the table's key. */
  rowId: string;
  reference: string;
  punished: SourcePlayer;
  punisher: SourcePlayer | null;
  time: number;
  /** The last change of its terms, if the program records it. */
  changed?: number;
  revocation: RevocationRecord | undefined;
}

export interface RevocationRecord {
  /** Undefined if the program does not record it. */
  time: number | undefined;
  reason: string;
  revoker: SourcePlayer | null;
}

/** Keys of rows as text in the order of their numbers. */
export const orderedId = (id: number): string => String(id).padStart(16, '0');

/** The content of a punishment that may change, as text to be hashed. */
export const termsText = ({ type, reason, expires }: PunishmentTerms): string =>
  JSON.stringify([type, reason, expires]);

/** The end, or null for a permanent punishment. An end before the beginning becomes the beginning. */
export function expiryOf(until: number, time: number): number | null {
  return until <= 0 || until >= LAST_TIMESTAMP ? null : Math.max(until, time);
}

/**
 * The events for the changes of a row since the last import.
 * @param before the row at the last import
 * @param known its punishment in the network, if `before` or its hash is unknown
 */
export function eventsOf(
  read: PunishmentRecord,
  hash: string,
  before: ImportedRow | undefined,
  known: KnownPunishment | undefined,
  now: number,
): Event[] {
  const record = isFuture(read.time, now) ? { ...read, time: now } : read;
  const events: Event[] = [];
  if (before === undefined && known === undefined) events.push(issuedEvent(record));
  else if (isChanged(record, hash, before, known)) events.push(changedEvent(record, hash, before, now));
  const revoked = before?.revoked === true || known?.revoked === true;
  if (record.revocation !== undefined && !revoked) events.push(revokedEvent(record, record.revocation, now));
  return events;
}

function isChanged(
  record: PunishmentRecord,
  hash: string,
  before: ImportedRow | undefined,
  known: KnownPunishment | undefined,
): boolean {
  if (before !== undefined && before.hash !== '') return before.hash !== hash;
  // Compared with the reported terms, not with the present ones, which an operator may have changed.
  return known?.reported !== undefined && termsText(known.reported) !== termsText(record);
}

function issuedEvent({ reference, time, punished, punisher, type, reason, expires }: PunishmentRecord): Event {
  return {
    version: 1,
    id: reference,
    type: 'punishment.issued',
    time: toTimestamp(time),
    data: {
      punishment: reference,
      punished,
      punisher,
      type,
      reason,
      expires: expires === null ? null : toTimestamp(expires),
    },
  };
}

/** The id contains the number of the change, so that each change counts if one is reverted and repeated. */
function changedEvent(record: PunishmentRecord, hash: string, before: ImportedRow | undefined, now: number): Event {
  const { reference, time, type, reason, expires, changed = now } = record;
  return {
    version: 1,
    id: `${reference}:${(before?.version ?? 0) + 1}:${hash.slice(0, 16)}`,
    type: 'punishment.changed',
    time: toTimestamp(Math.min(now, Math.max(time, changed))),
    data: { punishment: reference, type, reason, expires: expires === null ? null : toTimestamp(expires) },
  };
}

export function revokedEvent(
  { reference, time }: Pick<PunishmentRecord, 'reference' | 'time'>,
  revocation: RevocationRecord,
  now: number,
): Event {
  const { reason, revoker } = revocation;
  return {
    version: 1,
    id: `${reference}:revoked`,
    type: 'punishment.revoked',
    time: toTimestamp(Math.min(now, Math.max(time, revocation.time ?? now))),
    data: { punishment: reference, reason, revoker },
  };
}

const toTimestamp = (time: number): string => new Date(time).toISOString();
