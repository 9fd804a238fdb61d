import type { IncomingMessage } from 'node:http';
import { HttpError } from '#http/errors.ts';
import { parametersProblem } from './parameter-bounds.ts';
import { formFromJson, isForm, isJson, readBody, withBody } from './request.ts';
import { adjustPushedForm } from './scopes.ts';

const PUSHED = /^\/oauth\/par\/?(\?|$)/i;

/**
 * Rewrites a request of an application to what oidc-provider accepts: a JSON body becomes a form, and credentials that are
 * sent twice or without a secret are sent once.
 * @throws HttpError 400 if the body is not valid
 */
export async function withClientForm(request: IncomingMessage): Promise<IncomingMessage> {
  const basic = readBasic(request.headers.authorization);
  const isPushed = PUSHED.test(request.url!);
  if (!isJson(request) && !(isForm(request) && (isPushed || basic !== undefined))) return request;
  const body = await readBody(request);
  const form = new URLSearchParams(isJson(request) ? formFromJson(body) : body);
  if (isPushed) {
    const problem = parametersProblem(form.toString());
    if (problem !== undefined) throw new HttpError(400, 'invalid_request', problem);
    adjustPushedForm(form);
  }
  if (basic?.secret === '') moveClientId(form, basic.clientId);
  else if (basic !== undefined) dropEqualSecret(form, basic);
  const copy = withBody(request, form.toString());
  if (basic?.secret === '') delete copy.headers.authorization;
  return copy;
}

/**
 * Libraries send Basic with an empty password for a public application (RFC 6749 section 2.3.1 lets an empty secret be
 * omitted), which oidc-provider refuses. The form then names the application, as that of a public one does.
 */
function moveClientId(form: URLSearchParams, clientId: string): void {
  const named = form.get('client_id') ?? '';
  if (named !== '' && named !== clientId)
    throw new HttpError(400, 'invalid_request', 'client_id in the body differs from the Authorization header.');
  if (named === '') form.set('client_id', clientId);
}

/** Some libraries send the same credentials by Basic and in the form, which oidc-provider refuses (RFC 6749 section 2.3). */
function dropEqualSecret(form: URLSearchParams, { clientId, secret }: BasicCredentials): void {
  const [named, ...more] = form.getAll('client_secret');
  if (more.length === 0 && named === secret && (form.get('client_id') ?? clientId) === clientId)
    form.delete('client_secret');
}

interface BasicCredentials {
  clientId: string;
  secret: string;
}

/** Reads the credentials of a Basic header; undefined for any other header. */
function readBasic(authorization = ''): BasicCredentials | undefined {
  const encoded = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const [, clientId, secret] = /^([\w-]{1,64}):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return clientId === undefined ? undefined : { clientId, secret: formDecoded(secret!) };
}

/** RFC 6749 section 2.3.1: id and secret are encoded like the values of a form. */
function formDecoded(text: string): string {
  return new URLSearchParams(`x=${text.replaceAll('&', '%26')}`).get('x')!;
}
