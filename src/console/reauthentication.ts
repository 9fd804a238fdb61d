import type { Form } from '#http/form.ts';
import type { Reauthenticate } from '#admin/operation.ts';
import { isOwner } from '#store/applications/owners.ts';
import type { Application } from '#store/applications/applications.ts';
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

/** A sign-in, by the password and a second factor or by a passkey, counts as fresh for this long. */
export const PASSWORD_MS = 10 * 60_000;

/**
 * Whether the person has to sign in again before a form is carried out: by a passkey, or by the password, which alone is not
 * enough if staff needs a second factor. A form asks if it gives power (roles, keys, secrets, access, a way into an account),
 * takes it from other operators (roles, disabled and deleted accounts), or cannot be undone (the permanent loss of an
 * operation): a stolen cookie or an unlocked computer must not be enough for that. Other forms never ask.
 */
export async function needsPassword(
  { db, clock }: Deps,
  decision: Reauthenticate<Form>,
  { person, form, application }: { person: Person; form: Form; application: Application | undefined },
): Promise<boolean> {
  if (!person.isStaff || clock.now() - person.authenticated <= PASSWORD_MS) return false;
  if (!(typeof decision === 'function' ? decision(form) : decision === 'always')) return false;
  return application === undefined || !(await isOwner(db, application.key, person.account.id));
}
