import type { Form } from '#http/form.ts';
import type { Reauthenticate } from '#admin/operation.ts';
import { isOwner } from '#store/applications/owners.ts';
import type { Application } from '#store/applications/applications.ts';
import type { Deps, Person } from './deps.ts';

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
