import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '#http/errors.ts';
import { MAX_PARAMETERS } from './parameter-bounds.ts';
import { isForm, readBody } from './request.ts';

/**
 * Answers a POST to the authorization or sign-out endpoint (OpenID Connect Core section 3.1.2.1) by a redirect to the same
 * request as GET. Browsers send the session cookie, which is `SameSite=Lax`, with the redirect but not with a form of
 * another site.
 */
export async function redirectToGet(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if ((request.headers['content-type'] ?? '') !== '' && !isForm(request))
    throw new HttpError(400, 'invalid_request', 'The body must be a form (application/x-www-form-urlencoded).');
  const query = new URLSearchParams(await readBody(request)).toString();
  if (query.length > MAX_PARAMETERS)
    throw new HttpError(413, 'invalid_request', `The parameters must not be longer than ${MAX_PARAMETERS} characters.`);
  const path = request.url!.split('?', 1)[0]!;
  response.writeHead(303, { location: `${path}?${query}`, 'cache-control': 'no-store' }).end();
}
