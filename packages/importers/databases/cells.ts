import { isIP } from 'node:net';
import { LAST_TIMESTAMP } from '../../text/time.ts';
import { uuidOf } from '../../text/text.ts';
import { ImportRefusal } from '../finding.ts';
import { fit, oneLine, withoutTypedStyles } from '../../text/line.ts';
import type { SourceRow } from './source-database.ts';

/** Reads the cells of rows of other programs. Errors never quote a cell, because it may contain an address. */

export interface SourcePlayer {
  uuid: string;
  name: string;
}

/** Thrown for a row whose player is an IP address. */
export class AddressInRow extends Error {}

export const MAX_NAME = 64;
export const MAX_REASON = 2_000;

export function textIn(row: SourceRow, column: string): string {
  const value = row[column];
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === 'string' || typeof value === 'bigint' || typeof value === 'number' ? String(value) : '';
}

/** A whole number, which MySQL may return as text. @throws ImportRefusal */
export function numberIn(row: SourceRow, column: string): number {
  const text = textIn(row, column).trim();
  const number = /^-?\d{1,16}(\.0+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new ImportRefusal('is not a whole number', column);
  return number;
}

/** Epoch milliseconds. @throws ImportRefusal */
export function timeIn(row: SourceRow, column: string): number {
  const time = numberIn(row, column);
  if (time > 0 && time < LAST_TIMESTAMP) return time;
  throw new ImportRefusal('is not a time in milliseconds since 1970', column);
}

export function flagIn(row: SourceRow, column: string): boolean {
  return !['', '0', 'false'].includes(textIn(row, column).toLowerCase());
}

/** @throws ImportRefusal, or AddressInRow for an address */
export function uuidIn(row: SourceRow, column: string): string {
  const text = textIn(row, column).trim();
  if (isAddress(text)) throw new AddressInRow();
  const uuid = uuidOf(text);
  if (uuid === undefined) throw new ImportRefusal('is not a UUID', column);
  return uuid;
}

/** A name in one line, empty if there is none. @throws AddressInRow for an address */
export function nameIn(row: SourceRow, column: string): string {
  const name = fit(textIn(row, column), MAX_NAME);
  if (isAddress(name)) throw new AddressInRow();
  return name;
}

/** A reason as events accept it, in one line without styles. Addresses in it are replaced. */
export function reasonIn(row: SourceRow, column: string): string {
  const text = oneLine(withoutTypedStyles(textIn(row, column)).replaceAll('\\n', ' '));
  return fit(text.split(' ').map(withoutAddress).join(' '), MAX_REASON);
}

const MASK = '[address]';
/** An IPv4 address between other characters, as in `ip:203.0.113.9|203.0.113.10`. */
const IPV4_WITHIN = /(?<![\d.])\d{1,3}(?:\.(?:\d{1,3}|\*)){3}(?!\.?\d)/g;
/** A possible IPv6 address between other characters. */
const IPV6_WITHIN = /(?<!\w)[0-9A-Fa-f]*:[0-9A-Fa-f:.]*[0-9A-Fa-f]/g;

function withoutAddress(word: string): string {
  if (isAddress(word.replace(/^[("']+|[)"'.,;!?]+$/g, ''))) return /[0-9a-f]/i.test(word) ? MASK : word;
  return word
    .replaceAll(IPV6_WITHIN, (part) => (isIP(part) === 6 && /\d/.test(part) ? MASK : part))
    .replaceAll(IPV4_WITHIN, MASK);
}

const IPV4_PATTERN = /^(\d{1,3}|\*)(\.(\d{1,3}|\*)){3}$/;

/** Whether a text is an IP address, also with a port, a prefix length, wildcards or the slash that Java writes before it. */
export function isAddress(text: string): boolean {
  const trimmed = text.trim().replace(/^\//, '');
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed) ?? [];
  const host = (bracketed ?? trimmed).replace(/\/\d{1,3}$/, '').replace(/%.*$/, '');
  return isIP(host) !== 0 || IPV4_PATTERN.test(host.replace(/:\d{1,5}$/, ''));
}
