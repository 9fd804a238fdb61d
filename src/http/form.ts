import { secretHash } from '#platform/crypto/secrets.ts';
import { HttpError } from './errors.ts';

/** Maximum bytes of a form's body. */
export const MAX_FORM = 32 * 1024;
/** Maximum characters of a field's value. */
const MAX_VALUE = 4 * 1024;

/** The fields of a form by name. */
export type Form = Readonly<Record<string, string>>;

/**
 * Parses a URL-encoded form.
 * @throws HttpError 400 for another content type, a repeated field, a value over 4,096 characters, NUL or invalid UTF-8
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

/** @throws HttpError 413 that closes the connection, because the rest of the body is not read */
export function tooLong(): never {
  throw new HttpError(413, 'invalid_request', 'The form is too long.', { connection: 'close' });
}

const broken = (): HttpError => new HttpError(400, 'invalid_request', 'The form could not be read.');

/**
 * Whether a form was sent from our own pages: the protection against cross-site request forgery by checking the origin
 * (OWASP). Browsers send `Origin` with every POST. A request without it comes from no browser, so no victim's cookies are
 * at stake, and it is refused.
 */
export function isOwnForm(origin: string | undefined, fetchSite: string | undefined, own: string): boolean {
  return origin === own && (fetchSite === undefined || fetchSite === 'same-origin');
}

/** The token in the forms of a session, derived from the secret in its cookie, which it does not reveal. */
export const deriveFormToken = (sessionSecret: string): string => secretHash(`form ${sessionSecret}`);
