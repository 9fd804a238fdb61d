import { sameText } from '#platform/crypto/secrets.ts';
import { HttpError } from '#http/errors.ts';
import { type Form, isOwnForm, readForm } from '#http/form.ts';
import { countAttempt } from '#store/accounts/throttle.ts';
import { type Act, recordAudit } from '#store/audit/audit.ts';
import { type Application, managedApplication } from '#store/applications/applications.ts';
import { isOwner } from '#store/applications/owners.ts';
import type { Context, Deps, Person } from './deps.ts';
import { type PageContent, showPage } from './layout.ts';
import { actorOf, auditRefusal } from './session.ts';
import type { Texts } from './texts/index.ts';

/** One request of somebody who is signed in and may make it. */
export interface ConsoleRequest {
  c: Context;
  deps: Deps;
  texts: Texts;
  person: Person;
  /** What the form said; empty for a page. */
  form: Form;
  now: number;
  /** Keeps what this person has done. */
  record: (act: Act) => Promise<void>;
}

export interface OwnedRequest extends ConsoleRequest {
  application: Application;
}

/** A page, the path to go on to, or an answer of another kind. */
export type PageResult = PageContent | string | Response;

/** One page or form of the console. */
export interface Route {
  method: 'GET' | 'POST';
  /** Below `/console`. */
  path: string;
  /** Whom it is for; what is an application's is for its owners and for operators. */
  who: 'person' | 'owner' | 'operator';
  /** Reads the body itself, which is no plain form. */
  reads?: (c: Context) => Promise<Form>;
  answer(request: OwnedRequest): Promise<PageResult>;
}

type Show<V extends ConsoleRequest> = (request: V) => Promise<PageResult>;
const row =
  <V extends ConsoleRequest>(method: Route['method'], who: Route['who']) =>
  (path: string, answer: Show<V>): Route => ({ method, path, who, answer: answer as unknown as Route['answer'] });

export const page = row<ConsoleRequest>('GET', 'person');
export const form = row<ConsoleRequest>('POST', 'person');
export const ownedPage = row<OwnedRequest>('GET', 'owner');
export const ownedForm = row<OwnedRequest>('POST', 'owner');
export const operatorPage = row<ConsoleRequest>('GET', 'operator');
export const operatorForm = row<ConsoleRequest>('POST', 'operator');

/** Lets somebody in where they may come in, and answers. */
export async function serveRoute(c: Context, deps: Deps, row: Route): Promise<Response> {
  const sent = row.method === 'POST' ? await formOf(c, deps, row) : {};
  const person = c.get('person');
  if (person === undefined) return await askToSignIn(c, deps, row);
  if (row.method === 'POST' && !sameText(sent['form_token'] ?? '', person.formToken)) {
    await auditRefusal(c, deps, 'form of another session');
    throw new HttpError(403, 'other_session', 'The form is of another session.');
  }
  if (row.method === 'POST' && !person.isOperator) await countForm(deps, person);
  const application = await admit(c, deps, row, person);
  const request = requestOf(c, deps, person, sent);
  const answer = await row.answer({ ...request, application } as OwnedRequest);
  if (answer instanceof Response) return answer;
  return typeof answer === 'string' ? c.redirect(`/console${answer}`, 303) : await showPage(c, deps, answer);
}

/** Every form may leave rows behind: so many an hour are more than anybody fills in. */
const FORMS = { attempts: 300, windowMs: 3_600_000 };

/** @throws HttpError 429 */
async function countForm({ db, clock }: Deps, { account }: Person): Promise<void> {
  const { allowed, resets } = await countAttempt(db, clock.now(), `console forms ${account.id}`, FORMS);
  if (allowed) return;
  const seconds = String(Math.ceil((resets - clock.now()) / 1000));
  throw new HttpError(429, 'rate_limit', 'Too many forms within an hour.', { 'retry-after': seconds });
}

function requestOf(c: Context, deps: Deps, person: Person, sent: Form): ConsoleRequest {
  const now = deps.clock.now();
  const record = (act: Act): Promise<void> => recordAudit(deps.db, now, actorOf(c, person), act);
  return { c, deps, texts: c.get('texts'), person, form: sent, now, record };
}

/** @throws HttpError 403 for a form that comes from elsewhere, 400 for one that cannot be read */
async function formOf(c: Context, deps: Deps, { reads }: Route): Promise<Form> {
  const { origin, 'sec-fetch-site': site } = c.req.header();
  if (!isOwnForm(origin, site, deps.config.SITE_URL)) {
    await auditRefusal(c, deps, 'forged form', origin ?? '');
    throw new HttpError(403, 'access_denied', 'The form comes from elsewhere.');
  }
  return reads === undefined ? readForm(c.req.header('content-type'), await c.req.text()) : await reads(c);
}

/** Whoever is not signed in any more is asked to, comes back to the same page, and is told that nothing was changed. */
async function askToSignIn(c: Context, deps: Deps, { method }: Route): Promise<Response> {
  if (method === 'POST') await auditRefusal(c, deps, 'stale session');
  const to = method === 'POST' ? pathOfReferer(c, deps) : c.req.path;
  const query = new URLSearchParams({ to: method === 'POST' ? `${to}?done=stale` : to });
  return c.redirect(`/console/sign-in?${query.toString()}`, 303);
}

function pathOfReferer(c: Context, { config }: Deps): string {
  const url = URL.parse(c.req.header('referer') ?? '');
  return url?.origin === config.SITE_URL && url.pathname.startsWith('/console') ? url.pathname : '/console';
}

/** @throws HttpError 403 or 404 for those who may not come in */
async function admit(c: Context, deps: Deps, { who }: Route, person: Person): Promise<Application | undefined> {
  if (who === 'operator' && !person.isOperator) {
    await auditRefusal(c, deps, 'not an operator');
    throw new HttpError(403, 'not_operator', 'This is for operators.');
  }
  if (who !== 'owner') return undefined;
  const clientId = c.req.param('client_id') ?? '';
  const application = await managedApplication(deps.db, clientId.replaceAll('\0', ''));
  if (application !== undefined && (person.isOperator || (await isOwner(deps.db, application.key, person.account.id))))
    return application;
  await auditRefusal(c, deps, application === undefined ? 'no such application' : 'foreign application', clientId);
  throw new HttpError(404, 'not_found', 'There is no such application of yours.');
}
