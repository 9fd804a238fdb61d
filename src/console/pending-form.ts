import type { Form } from '#http/form.ts';
import type { Context, Deps, Person } from './deps.ts';

const COOKIE = 'console_pending';
const LIFETIME_S = 600;
/** Browsers store 4,096 bytes of a cookie with its name and flags; sealing makes them four thirds. */
const MAX_BYTES = 2_500;

/** A form that waits for the password. It stays in the browser that sent it, sealed, so that it cannot be changed. */
interface PendingForm {
  account: string;
  /** Below `/console`. */
  path: string;
  form: Form;
}

/**
 * Sends the browser to the sign-in service for the password, and from there to `/console/continue`, which offers the form
 * again. A form that is too long for a cookie has to be filled in once more.
 * @param form undefined for an upload, which has to be sent once more
 */
export function askForPassword(c: Context, deps: Deps, person: Person, form: Form | undefined): Response {
  const { form_token: _, ...fields } = form ?? {};
  const pending: PendingForm = { account: person.account.id, path: c.req.path.replace(/^\/console/, ''), form: fields };
  const isStored = form !== undefined && Buffer.byteLength(JSON.stringify(pending)) <= MAX_BYTES;
  if (isStored) deps.cookies.setSealed(c, COOKIE, pending, LIFETIME_S);
  else deps.cookies.delete(c, COOKIE);
  return c.redirect('/console/sign-in?again=1&to=/console/continue', 303);
}

/** The form that waits in this browser for the password of this person. */
export function consumePendingForm(c: Context, deps: Deps, person: Person): PendingForm | undefined {
  const pending = deps.cookies.consumeSealed(c, COOKIE) as PendingForm | undefined;
  return pending?.account === person.account.id ? pending : undefined;
}
