import { HttpError } from './errors.ts';

/** Bytes of the longest form that there is. */
export const MAX_FORM = 32 * 1024;
const MAX_VALUE = 4 * 1024;

/** What a form said: each field once, as text. */
export type Form = Readonly<Record<string, string>>;

/**
 * Reads a form.
 * @throws HttpError 400 for another type, a field that stands twice or is longer than any of ours, or broken text
 */
export function readForm(contentType: string | undefined, body: string): Form {
  if (!/^application\/x-www-form-urlencoded\s*(;\s*charset=utf-8\s*)?$/i.test(contentType ?? '')) throw broken();
  if (body.length > MAX_FORM) throw broken();
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(body)) {
    if (name in fields || value.length > MAX_VALUE || /[\0\ufffd]/.test(value)) throw broken();
    fields[name] = value;
  }
  return fields;
}

/** @throws HttpError 413, for `limitBody`: nothing that is longer than it may be is read to its end */
export function tooLong(): never {
  throw new HttpError(413, 'invalid_request', 'The form is too long.', { connection: 'close' });
}

const broken = (): HttpError => new HttpError(400, 'invalid_request', 'The form could not be read.');

/**
 * Whether a form comes from a page of ours (OWASP: verify the origin). Browsers send `Origin` with every form that
 * changes something; whoever sends none is no browser that carries somebody's cookies.
 */
export function isOwnForm(origin: string | undefined, fetchSite: string | undefined, own: string): boolean {
  return origin === own && (fetchSite === undefined || fetchSite === 'same-origin');
}
