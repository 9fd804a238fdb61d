import type { AnyOperation, Reauthenticate } from '#admin/operation.ts';
import { sameText } from '#platform/crypto/secrets.ts';
import type { Transaction } from '#db/db.ts';
import { HttpError, rateLimited } from '#http/errors.ts';
import { type Form, isOwnForm, readForm } from '#http/form.ts';
import { type Act, type Actor, recordAudit } from '#store/audit/audit.ts';
import { countIn } from '#http/rate-limits.ts';
import { type Application, managedApplication } from '#store/applications/applications.ts';
import { isOwner } from '#store/applications/owners.ts';
import type { Context, Deps, Person } from './deps.ts';
import { askForPassword, needsPassword } from './reauthentication.ts';
import { type PageContent, showPage } from './layout.ts';
import { actorOf, auditRefusal } from './session.ts';
import type { Texts } from './texts/index.ts';

/** An authorised request of a signed-in person. */
export interface ConsoleRequest {
  c: Context;
  deps: Deps;
  texts: Texts;
  person: Person;
  /** The submitted form; empty for GET. */
  form: Form;
  now: number;
  /** Who acts, for the audit log. */
  actor: Actor;
  /** Records an act of this person in the audit log, in the transaction of the act. */
  record: (tx: Transaction, act: Act) => Promise<void>;
}

/** A request about an application that the person owns or, as an operator, may manage. */
export interface OwnedRequest extends ConsoleRequest {
  application: Application;
}

/** A page to show, a path below `/console` to redirect to, or a complete response. */
export type PageResult = PageContent | string | Response;

/** One page or form of the console. */
export interface Route {
  method: 'GET' | 'POST';
  /** Below `/console`. */
  path: string;
  /** Who may use the route. Operators may use `owner` and `moderator` routes, too. */
  who: 'person' | 'owner' | 'moderator' | 'operator';
  /** Whether the form asks for the password again. */
  reauthenticate: Reauthenticate<Form>;
  /** The operations that the form carries out. */
  operations?: readonly AnyOperation[];
  /** Reads a body that is not URL-encoded, like an upload. */
  readBody?: (c: Context) => Promise<Form>;
  handle(request: OwnedRequest): Promise<PageResult>;
}

type Handler<R extends ConsoleRequest> = (request: R) => Promise<PageResult>;

/** `serveRoute` passes an application only to `owner` routes, which the type `Route` does not express; hence the cast. */
const pageFor =
  <R extends ConsoleRequest>(who: Route['who']) =>
  (path: string, handle: Handler<R>): Route => {
    const cast = handle as unknown as Route['handle'];
    return { method: 'GET', path, who, reauthenticate: 'never', handle: cast };
  };

const formFor =
  <R extends ConsoleRequest>(who: Route['who']) =>
  (path: string, reauthenticate: Route['reauthenticate'], handle: Handler<R>): Route => ({
    ...{ method: 'POST', path, who, reauthenticate, handle: handle as unknown as Route['handle'] },
  });

/** A form that is written by hand and carries out an operation, which says who may use it and whether it asks for the password. */
export const actForm = (path: string, operation: AnyOperation, handle: Handler<ConsoleRequest>): Route => ({
  ...formFor(operation.who)(path, operation.reauthenticate as Route['reauthenticate'], handle),
  operations: [operation],
});

export const page = pageFor<ConsoleRequest>('person');
export const form = (path: string, handle: Handler<ConsoleRequest>): Route =>
  formFor<ConsoleRequest>('person')(path, 'never', handle);
export const ownedPage = pageFor<OwnedRequest>('owner');
export const ownedForm = formFor<OwnedRequest>('owner');
export const moderatorPage = pageFor<ConsoleRequest>('moderator');
export const operatorPage = pageFor<ConsoleRequest>('operator');

/** Authorises a request, handles it and records refusals in the audit log. */
export async function serveRoute(c: Context, deps: Deps, route: Route): Promise<Response> {
  const submitted = route.method === 'POST' ? await readRouteForm(c, deps, route) : {};
  const person = c.get('person');
  if (person === undefined) return await redirectToSignIn(c, deps, route);
  if (route.method === 'POST' && !sameText(submitted['form_token'] ?? '', person.formToken)) {
    await auditRefusal(c, deps, 'form of another session');
    throw new HttpError(403, 'other_session', 'The form belongs to another session.');
  }
  if (route.method === 'POST' && !person.isStaff) await countForm(deps, person);
  const application = await authorize(c, deps, route, person);
  const ofStaff = route.method === 'POST' && route.who !== 'person';
  if (ofStaff && (await needsPassword(deps, route.reauthenticate, { person, form: submitted, application })))
    return askForPassword(c, deps, person, route.readBody === undefined ? submitted : undefined);
  const request = requestOf(c, deps, route, person, submitted);
  const result = await route.handle({ ...request, application } as OwnedRequest);
  if (result instanceof Response) return result;
  return typeof result === 'string' ? c.redirect(`/console${result}`, 303) : await showPage(c, deps, result);
}

/** @throws HttpError 429 if the person has sent too many forms within the hour */
async function countForm(deps: Deps, { account }: Person): Promise<void> {
  const { allowed, resets } = await countIn(deps.db, deps, 'consoleForm', { account: account.id });
  if (allowed) return;
  throw rateLimited('Too many forms were sent within an hour.', resets - deps.clock.now());
}

function requestOf(c: Context, deps: Deps, { who }: Route, person: Person, form: Form): ConsoleRequest {
  const now = deps.clock.now();
  const actor = actorOf(c, person, who === 'moderator');
  const record = (tx: Transaction, act: Act): Promise<void> => recordAudit(tx, now, actor, act);
  return { c, deps, texts: c.get('texts'), person, form, now, actor, record };
}

/** @throws HttpError 403 for a form of another origin, 400 for one that cannot be read */
async function readRouteForm(c: Context, deps: Deps, { readBody }: Route): Promise<Form> {
  const { origin, 'sec-fetch-site': site } = c.req.header();
  if (!isOwnForm(origin, site, deps.config.SITE_URL)) {
    await auditRefusal(c, deps, 'forged form', origin ?? '');
    throw new HttpError(403, 'access_denied', 'The form was sent from another site.');
  }
  return readBody === undefined ? readForm(c.req.header('content-type'), await c.req.text()) : await readBody(c);
}

/**
 * Redirects to the sign-in, which returns to the same page. After a form, the query `done=stale` makes that page say that
 * nothing was changed.
 */
async function redirectToSignIn(c: Context, deps: Deps, { method }: Route): Promise<Response> {
  if (method === 'POST') await auditRefusal(c, deps, 'stale session');
  const to = method === 'POST' ? `${pathOfReferer(c, deps)}?done=stale` : c.req.path;
  const query = new URLSearchParams({ to });
  return c.redirect(`/console/sign-in?${query.toString()}`, 303);
}

function pathOfReferer(c: Context, { config }: Deps): string {
  const url = URL.parse(c.req.header('referer') ?? '');
  return url?.origin === config.SITE_URL && url.pathname.startsWith('/console') ? url.pathname : '/console';
}

/**
 * @returns the application of an `owner` route
 * @throws HttpError 403 for a route of moderators or operators, 404 for an application that does not exist or belongs to others
 */
async function authorize(c: Context, deps: Deps, { who }: Route, person: Person): Promise<Application | undefined> {
  if (who === 'operator' && !person.isOperator) {
    await auditRefusal(c, deps, 'not an operator');
    throw new HttpError(403, 'not_operator', 'This page is for operators.');
  }
  if (who === 'moderator' && !person.isStaff) {
    await auditRefusal(c, deps, 'not a moderator');
    throw new HttpError(403, 'not_moderator', 'This page is for moderators.');
  }
  if (who !== 'owner') return undefined;
  const clientId = c.req.param('client_id') ?? '';
  const application = await managedApplication(deps.db, clientId.replaceAll('\0', ''));
  if (application !== undefined && (person.isOperator || (await isOwner(deps.db, application.key, person.account.id))))
    return application;
  await auditRefusal(c, deps, application === undefined ? 'no such application' : 'foreign application', clientId);
  throw new HttpError(404, 'not_found', 'You do not own such an application.');
}
