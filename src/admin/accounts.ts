import { z } from 'zod';
import { isEmail } from '#platform/mail/email.ts';
import { type Account, accountByEmail, ROLES } from '#store/accounts/accounts.ts';
import { setDisabled, setEmail, setName, setRole, unlinkPlayer } from '#store/accounts/account-changes.ts';
import { accountImpact, deleteAccount as deleteStored } from '#store/accounts/account-deletions.ts';
import { isNameShape, nameProblem } from '#store/accounts/account-names.ts';
import { endSessions } from '#store/accounts/account-sessions.ts';
import { issueMailToken, type MailToken } from '#store/accounts/mail-tokens.ts';
import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { oneOf, readable, withoutFields } from './fields.ts';
import { type Asking, operation, refuse, type Working } from './operation.ts';

const DAY_MS = 86_400_000;

const subject = ({ id, name }: Account) => ({ subject: id, label: name });

const impactOf = ({ db, clock }: Asking, { id }: Account) => accountImpact(db, clock.now(), id);

/** Blocks an account for its owner and for every application. */
export const disableAccount = operation({
  name: 'account.disable',
  subject,
  ...withoutFields,
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: impactOf,
  run: async ({ tx, clock }, { id }) =>
    (await setDisabled(tx, id, clock.now())) ? undefined : refuse('last_operator'),
});

export const enableAccount = operation({
  name: 'account.enable',
  subject,
  ...withoutFields,
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async ({ tx }, { id }: Account) => void (await setDisabled(tx, id, null)),
});

export const changeRole = operation({
  name: 'account.role',
  subject,
  fields: z.strictObject({ role: oneOf(ROLES) }),
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async ({ tx }, { id }: Account, { role }) =>
    (await setRole(tx, id, role)) ? undefined : refuse('last_operator'),
  detail: (fields) => fields,
});

/** Ends the sessions of an account; applications keep their access. */
export const signOutAccount = operation({
  name: 'account.sign_out',
  subject,
  ...withoutFields,
  who: 'operator',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async ({ tx }, { id }: Account) => await endSessions(tx, id),
});

export const unlinkAccount = operation({
  name: 'account.unlink',
  subject,
  ...withoutFields,
  who: 'operator',
  loss: 'restorable',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async ({ tx }, { id }: Account) => void (await unlinkPlayer(tx, id)),
});

/** Deletes an account. The job replaces its game account in the stored events, if it has one. */
export const deleteAccount = operation({
  name: 'account.delete',
  subject,
  ...withoutFields,
  who: 'operator',
  loss: 'permanent',
  reauthenticate: 'always',
  changes: NAMED_KINDS,
  impact: impactOf,
  run: async ({ tx, clock }, { id }) => {
    const deleted = await deleteStored(tx, clock.now(), id);
    return deleted === 'last operator' ? refuse('last_operator') : { job: deleted?.job };
  },
});

/** Replaces the name of an account that is not linked. */
export const renameAccount = operation({
  name: 'account.rename',
  subject: ({ id }: Account, _: undefined, { name }: { name: string }) => ({ subject: id, label: name }),
  fields: z.strictObject({
    name: readable((text) => (isNameShape(text) ? text : undefined), '3 to 16 letters, digits and underscores'),
  }),
  who: 'moderator',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async ({ tx }, { id, player_uuid }: Account, { name }) => {
    if (player_uuid !== null) return refuse('linked');
    if ((await nameProblem(tx, name)) !== undefined || !(await setName(tx, id, name))) return refuse('taken');
    return undefined;
  },
  detail: (_, __, { name }) => ({ from: name }),
});

/**
 * Issues the token of a link that is valid for a day. The console and the command make the link and send it.
 * @param email where the link is sent; empty: nowhere
 */
async function issueLink({ tx, clock }: Working, token: MailToken, email: string) {
  const expires = clock.now() + DAY_MS;
  return { secret: await issueMailToken(tx, expires, token, email), expires };
}

/** A link with which the owner chooses a new password: sent by mail, or handed over on paper. */
export const resetPassword = operation({
  name: 'account.reset_password',
  subject,
  fields: z.strictObject({ paper: z.boolean().default(false) }),
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async (working, { id, email, disabled }: Account, { paper }) => {
    if (disabled !== null) return refuse('disabled');
    const data: Record<string, string> = paper ? { flow: '', paper: '1' } : { flow: '' };
    return await issueLink(working, { kind: 'reset', account_id: id, data }, paper ? '' : email);
  },
  detail: ({ paper }) => ({ way: paper ? 'paper' : 'mail' }),
});

/** Changes the address at once as confirmed, or when its owner opens the link of the token. */
export const changeEmail = operation({
  name: 'account.email',
  subject,
  fields: z.strictObject({
    email: readable((text) => (isEmail(text) ? text : undefined), 'an address like name@example.org'),
    verified: z.boolean().default(false),
  }),
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async (working, { id, email: present, disabled }: Account, { email, verified }) => {
    if (disabled !== null) return refuse('disabled');
    if (email === present) return refuse('same');
    if (verified) {
      const isSet = await setEmail(working.tx, working.clock.now(), id, { email, verified });
      return isSet ? { secret: undefined } : refuse('taken');
    }
    const holder = await accountByEmail(working.tx, email);
    if (holder !== undefined && holder.id !== id) return refuse('taken');
    return await issueLink(working, { kind: 'email', account_id: id, data: { email, by: 'operator' } }, email);
  },
  detail: ({ verified }) => ({ confirmed: verified }),
});

/** Issues the link that confirms the present address again. */
export const sendVerification = operation({
  name: 'account.verification',
  subject,
  ...withoutFields,
  who: 'operator',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async (working, { id, email, email_verified, disabled }: Account) => {
    if (disabled !== null) return refuse('disabled');
    if (email_verified) return refuse('verified');
    return await issueLink(working, { kind: 'verify', account_id: id, data: { email } }, email);
  },
});
