import { z } from 'zod';
import { isEmail } from '#platform/mail/email.ts';
import { type Account, accountByEmail, isNameShape, nameProblem, ROLES } from '#store/accounts/accounts.ts';
import { setDisabled, setEmail, setName, setRole, unlinkPlayer } from '#store/accounts/account-changes.ts';
import { accountImpact, deleteAccount as deleteStored } from '#store/accounts/account-deletions.ts';
import { endSessions } from '#store/accounts/account-sessions.ts';
import { issueMailToken, type MailToken } from '#store/accounts/mail-tokens.ts';
import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { oneOf, readable, withoutFields } from './fields.ts';
import { type Asking, ofOperators, operation, refuse, type Working } from './operation.ts';
import { byAccount } from './targets.ts';

const DAY_MS = 86_400_000;

export const onAccount = {
  ...ofOperators,
  ...withoutFields,
  target: byAccount,
  subject: ({ id, name }: Account) => ({ subject: id, label: name }),
};
const lastOperator = {
  last_operator: ({ name }: Account): string =>
    `${name} is the last operator and has to stay one; make somebody else an operator first: scorehall account role --help`,
};
const isDisabled = ({ name }: Account): string =>
  `The account ${name} is disabled; enable it first: scorehall account disable --undo`;

const impactOf = ({ db, clock }: Asking, { id }: Account) => accountImpact(db, clock.now(), id);

export const disableAccount = operation({
  ...onAccount,
  name: 'account.disable',
  summary: 'Block an account immediately, for its owner and for every application; --undo unblocks it',
  reauthenticate: 'always',
  impact: impactOf,
  run: async ({ tx, clock }, { id }) =>
    (await setDisabled(tx, id, clock.now())) ? undefined : refuse('last_operator'),
  refused: lastOperator,
});

export const enableAccount = operation({
  ...onAccount,
  name: 'account.enable',
  summary: 'Unblock an account',
  reauthenticate: 'always',
  run: async ({ tx }, { id }: Account) => void (await setDisabled(tx, id, null)),
});

export const changeRole = operation({
  ...onAccount,
  name: 'account.role',
  summary: 'Set the role of an account: operator (everything), moderator (punishments and names) or user',
  fields: z.strictObject({ role: oneOf(ROLES) }),
  options: { role: 'The role: user, moderator or operator' },
  reauthenticate: 'always',
  run: async ({ tx }, { id }: Account, { role }) =>
    (await setRole(tx, id, role)) ? undefined : refuse('last_operator'),
  refused: lastOperator,
  detail: (fields) => fields,
});

export const signOutAccount = operation({
  ...onAccount,
  name: 'account.sign_out',
  summary: 'Sign an account out of every browser, the console included; applications keep their access',
  run: async ({ tx }, { id }: Account) => await endSessions(tx, id),
});

export const unlinkAccount = operation({
  ...onAccount,
  name: 'account.unlink',
  summary: 'Unlink the game account from an account',
  loss: 'restorable',
  run: async ({ tx }, { id }: Account) => void (await unlinkPlayer(tx, id)),
});

/** The job replaces the game account in the stored events, if there is one. */
export const deleteAccount = operation({
  ...onAccount,
  name: 'account.delete',
  summary: 'Delete an account; its matches stay under a pseudonym',
  loss: 'permanent',
  reauthenticate: 'always',
  changes: NAMED_KINDS,
  impact: impactOf,
  run: async ({ tx, clock }, { id }) => {
    const deleted = await deleteStored(tx, clock.now(), id);
    return deleted === 'last operator' ? refuse('last_operator') : { job: deleted?.job };
  },
  refused: lastOperator,
});

export const renameAccount = operation({
  ...onAccount,
  name: 'account.rename',
  summary: 'Give an account another name; the name of a linked one follows the game',
  subject: ({ id }: Account, _: undefined, { name }: { name: string }) => ({ subject: id, label: name }),
  fields: z.strictObject({
    name: readable((text) => (isNameShape(text) ? text : undefined), '3 to 16 letters, digits and underscores'),
  }),
  options: { name: 'The new name: 3 to 16 letters, digits and underscores' },
  who: 'moderator',
  run: async ({ tx }, { id, player_uuid }: Account, { name }) => {
    if (player_uuid !== null) return refuse('linked');
    if ((await nameProblem(tx, name)) !== undefined || !(await setName(tx, id, name))) return refuse('taken');
    return undefined;
  },
  refused: {
    linked: () => 'The account is linked to a game account: its name follows the name in the game.',
    taken: (_, { name }) => `An account or a player has the name ${name}.`,
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
  ...onAccount,
  name: 'account.reset_password',
  summary: 'Send a link with which the person chooses a new password; it works once, for one day',
  fields: z.strictObject({ paper: z.boolean().default(false) }),
  options: { paper: 'Print the link to hand it over, instead of sending it by mail' },
  reauthenticate: 'always',
  run: async (working, { id, email, disabled }: Account, { paper }) => {
    if (disabled !== null) return refuse('disabled');
    const data: Record<string, string> = paper ? { flow: '', paper: '1' } : { flow: '' };
    return await issueLink(working, { kind: 'reset', account_id: id, data }, paper ? '' : email);
  },
  refused: { disabled: isDisabled },
  detail: ({ paper }) => ({ way: paper ? 'paper' : 'mail' }),
});

/** Changes the address at once as confirmed, or when its owner opens the link of the token. */
export const changeEmail = operation({
  ...onAccount,
  name: 'account.email',
  summary: 'Change the e-mail address of an account, once its owner opens a link that is sent to it',
  fields: z.strictObject({
    email: readable((text) => (isEmail(text) ? text : undefined), 'an address like name@example.org'),
    verified: z.boolean().default(false),
  }),
  options: {
    email: 'The new e-mail address',
    verified: 'Change it now, as confirmed: you have checked whose address it is',
  },
  reauthenticate: 'always',
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
  refused: {
    disabled: isDisabled,
    same: ({ name }, { email }) => `${email} is already the address of ${name}.`,
    taken: (_, { email }) => `Another account has the address ${email}.`,
  },
  detail: ({ verified }) => ({ confirmed: verified }),
});

export const sendVerification = operation({
  ...onAccount,
  name: 'account.verification',
  summary: 'Send the link that confirms the e-mail address of an account again',
  run: async (working, { id, email, email_verified, disabled }: Account) => {
    if (disabled !== null) return refuse('disabled');
    if (email_verified) return refuse('verified');
    return await issueLink(working, { kind: 'verify', account_id: id, data: { email } }, email);
  },
  refused: { disabled: isDisabled, verified: ({ email }) => `The address ${email} is confirmed already.` },
});
