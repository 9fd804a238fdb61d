import { secretHash } from '#platform/crypto/secrets.ts';
import { invalidRequest, HttpError } from './errors.ts';
import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';

/** Maximum bytes of a form's body. */
export const MAX_FORM = 32 * 1024;
/** Maximum characters of a field's value. The longest are lists of 200 hidden players. */
const MAX_VALUE = 16 * 1024;

/** The fields of a form by name. */
export type Form = Readonly<Record<string, string>>;

/**
 * Parses a URL-encoded form.
 * @throws HttpError 400 for another content type, a repeated field, a value over 16,384 characters, NUL or invalid UTF-8
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

const broken = (): HttpError => invalidRequest('The form could not be read.');

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

/** Methods without a body: no service reads one, and a web `Request` cannot have one. */
const BODILESS = /^(GET|HEAD|TRACE)$/;

/**
 * Refuses request bodies over a limit. A body with `Content-Length` is checked by that header and left unread. A chunked
 * body is read here, up to the limit, and passed on in a new `Request`. Hono's own body limit does not work here: it copies
 * the request, and the `Request` of @hono/node-server is a lightweight stand-in that cannot be copied.
 * @param maxBytes maximum length of a body
 * @throws HttpError 413
 */
export function limitBody(maxBytes: number): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (c, next) => {
    const { headers, method = 'GET' } = c.env.incoming;
    if (!BODILESS.test(method)) {
      if (Number(headers['content-length'] ?? 0) > maxBytes) tooLong();
      // A request without Content-Length and Transfer-Encoding has no body (RFC 9112 section 6.3).
      if (headers['transfer-encoding'] !== undefined) {
        const body = await readUpTo(maxBytes, c.env.incoming);
        c.req.raw = new Request(c.req.raw.url, { method, headers: c.req.raw.headers, body });
      }
    }
    await next();
  };
}

async function readUpTo(maxBytes: number, incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Destroying the body stream would destroy the connection, on which the 413 still has to be sent.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
