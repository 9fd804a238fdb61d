import type { Form } from '#http/form.ts';
import { isOwner } from '#store/applications/owners.ts';
import type { Application } from '#store/applications/applications.ts';
import type { Deps, Person } from './deps.ts';

/** A password counts as entered for this long. */
export const PASSWORD_MS = 10 * 60_000;

/** Whether a form gives power: always, never, or by its fields. */
type Decision = 'always' | 'never' | ((form: Form) => boolean);

/**
 * Every form of operators and moderators, and those of application owners, which operators can use for applications of
 * others. A form gives power if it lets somebody act who could not before (roles, keys, secrets, access, a way into an
 * account): a stolen cookie or an unlocked computer must not be enough for that, nor for taking the place of the other
 * operators: removing roles, disabling and deleting accounts ask, too. Other forms that only take away, undo or moderate
 * never ask.
 */
export const POWER: Readonly<Record<string, Decision>> = {
  '/operator/accounts/:id': ({ change }) => change !== 'sign_out' && change !== 'unlink',
  '/operator/accounts/:id/password': 'always',
  '/operator/accounts/:id/email': 'always',
  '/operator/accounts/:id/verification': 'never',
  '/operator/applications/:client_id': ({ start, access, limit }) =>
    start !== undefined || access === 'approved' || (access === undefined && limit?.trim() !== ''),
  '/operator/requests/:id': ({ state }) => state === 'approved',
  '/operator/changes/:id': ({ state }) => state === 'approved',
  '/operator/servers': 'always',
  '/operator/servers/:id': 'never',
  '/operator/servers/:id/keys': ({ act }) => act !== 'revoke',
  '/operator/servers/:id/watch': 'never',
  '/operator/servers/:id/watch/remove': 'never',
  '/operator/servers/:id/management': 'always',
  '/operator/servers/:id/management/remove': 'never',
  '/operator/servers/:id/withdraw': 'never',
  '/operator/servers/:id/delete': 'never',
  '/operator/players/:uuid/erase': 'never',
  '/operator/players/merge': 'never',
  '/operator/counters': 'never',
  '/operator/counter-presets': 'never',
  '/operator/counters/:id': 'never',
  '/operator/counters/:id/delete': 'never',
  '/operator/jobs/:id': 'never',
  '/operator/names/:id': 'never',
  '/operator/punishments/new': 'never',
  '/operator/punishments/:id': 'never',
  '/operator/punishments/:id/change': 'never',
  '/operator/punishments/:id/undo': 'never',
  '/operator/punishments/changes': 'never',
  '/applications/:client_id/secrets': 'always',
  '/applications/:client_id/secrets/remove': 'never',
  '/applications/:client_id/settings': 'always',
  '/applications/:client_id/change/withdraw': 'never',
  '/applications/:client_id/owners': 'always',
  '/applications/:client_id/owners/remove': 'never',
  '/applications/:client_id/owners/uninvite': 'never',
  '/applications/:client_id/access': 'never',
  '/applications/:client_id/logo': 'always',
  '/applications/:client_id/logo/remove': 'never',
  '/applications/:client_id/delete': 'never',
};

/** Whether the person has to enter the password before this form is carried out. Forms that are not listed always ask. */
export async function needsPassword(
  { db, clock }: Deps,
  path: string,
  { person, form, application }: { person: Person; form: Form; application: Application | undefined },
): Promise<boolean> {
  if (!person.isStaff || clock.now() - person.authenticated <= PASSWORD_MS) return false;
  const decision = POWER[path] ?? 'always';
  if (!(typeof decision === 'function' ? decision(form) : decision === 'always')) return false;
  return application === undefined || !(await isOwner(db, application.key, person.account.id));
}
