import { HttpError } from '#http/errors.ts';
import type { Form } from '#http/form.ts';
import { IMAGE_HEADERS, imageResponse } from '#http/image-response.ts';
import { detectImageType } from '#platform/uploaded-image.ts';
import { changeLogo, waitingLogo } from '#store/applications/application-changes.ts';
import { findLogo, removeLogo } from '#store/applications/logos.ts';
import type { Context, Deps } from '../deps.ts';
import { type OwnedRequest, ownedForm, ownedPage, type Route } from '../routes.ts';
import { notFound } from '../sign-in.ts';
import { announceChange } from './changes.ts';

const MAX_LOGO = 256 * 1024;
export const MAX_UPLOAD = MAX_LOGO + 8 * 1024;

/** Bytes of uploads, from reading the body until the request is authorised and handled. */
const uploads = new WeakMap<Context, Uint8Array>();

async function readUpload(c: Context): Promise<Form> {
  const body = await c.req.parseBody().catch(() => {
    throw new HttpError(400, 'invalid_request', 'The form could not be read.');
  });
  const { logo, form_token } = body;
  if (logo instanceof File) uploads.set(c, await logo.bytes());
  return { form_token: typeof form_token === 'string' ? form_token : '' };
}

async function upload(request: OwnedRequest): Promise<string> {
  const { deps, application, c, person, now } = request;
  const { client_id, name } = application;
  const bytes = uploads.get(c) ?? new Uint8Array();
  const type = detectImageType(bytes);
  if (type === undefined || bytes.length > MAX_LOGO) return `/applications/${client_id}/settings?done=bad_logo`;
  const by = person.isOperator ? undefined : person.account.id;
  const waiting = await deps.db.transaction(async (tx) => {
    const change = await changeLogo(tx, now, client_id, { content_type: type, bytes }, by);
    const action = change === undefined ? 'application.logo' : 'application.logo.ask';
    await request.record(tx, { action, subject: client_id, label: name, detail: { bytes: bytes.length } });
    return change;
  });
  await announceChange(deps, waiting);
  return `/applications/${client_id}/settings?done=${waiting === undefined ? 'saved' : 'waits'}`;
}

/** The logo that waits for an operator. Its address has the id of the change, so that a newer logo is never taken for it. */
async function showWaitingLogo({ c, deps, application }: OwnedRequest): Promise<Response> {
  const logo = await waitingLogo(deps.db, application.key, c.req.param('id') ?? '');
  if (logo === undefined) throw notFound();
  const { body, status, headers } = imageResponse(logo, c.req.header('if-none-match'));
  return c.newResponse(body, status, { ...headers, 'cache-control': 'private, no-cache' });
}

export const logoRoutes: readonly Route[] = [
  { ...ownedForm('/applications/:client_id/logo', 'always', upload), readBody: readUpload },
  ownedForm('/applications/:client_id/logo/remove', 'never', async (request) => {
    const { key, client_id, name } = request.application;
    await request.deps.db.transaction(async (tx) => {
      await removeLogo(tx, key);
      await request.record(tx, { action: 'application.logo', subject: client_id, label: name });
    });
    return `/applications/${client_id}/settings?done=saved`;
  }),
  ownedPage('/applications/:client_id/change/logo/:id', showWaitingLogo),
];

/** The logo of an application, public and embeddable by other sites; a placeholder if it has none. */
export async function showLogo(c: Context, { db }: Deps): Promise<Response> {
  const logo = await findLogo(db, (c.req.param('client_id') ?? '').replaceAll('\0', ''));
  if (logo === undefined) return c.body(PLACEHOLDER, 200, { ...IMAGE_HEADERS, 'content-type': 'image/svg+xml' });
  const { body, status, headers } = imageResponse(logo, c.req.header('if-none-match'));
  return c.newResponse(body, status, headers);
}

/** Shown for an application without a logo. */
const PLACEHOLDER = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8" shape-rendering="crispEdges"><path fill="#8a8f98" d="M0 0h8v8H0z"/><path fill="#fff" opacity=".85" d="M2 2h2v2H2zm2 2h2v2H4z"/></svg>`;
