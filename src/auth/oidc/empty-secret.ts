import type { IncomingMessage } from 'node:http';
import { HttpError } from '#http/errors.ts';
import { readBody, withBody } from './request.ts';

/**
 * Whether a request authenticates by Basic with a Client ID and an empty password. Libraries send this for a public
 * application (RFC 6749 section 2.3.1 lets an empty secret be omitted); oidc-provider refuses it.
 */
export function hasEmptySecret({ headers }: IncomingMessage): boolean {
  return readBasicClientId(headers.authorization) !== undefined;
}

/**
 * Moves the Client ID from the header to the form, as a public application sends it.
 * @throws HttpError 400 if the form names another application
 */
export async function withClientIdInBody(request: IncomingMessage): Promise<IncomingMessage> {
  const clientId = readBasicClientId(request.headers.authorization)!;
  const form = new URLSearchParams(await readBody(request));
  const named = form.get('client_id') ?? '';
  if (named !== '' && named !== clientId)
    throw new HttpError(400, 'invalid_request', 'client_id in the body differs from the Authorization header.');
  if (named === '') form.set('client_id', clientId);
  const copy = withBody(request, form.toString());
  delete copy.headers.authorization;
  return copy;
}

/** The Client ID of a Basic header whose password is empty; undefined for any other header. */
function readBasicClientId(authorization = ''): string | undefined {
  const encoded = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const [, clientId] = /^([\w-]{1,64}):$/.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return clientId;
}
