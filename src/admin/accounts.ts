import { z } from 'zod';
import { type Account, ROLES } from '#store/accounts/accounts.ts';
import { setDisabled, setName, setRole, unlinkPlayer } from '#store/accounts/account-changes.ts';
import { accountImpact, deleteAccount as deleteStored } from '#store/accounts/account-deletions.ts';
import { isNameShape, nameProblem } from '#store/accounts/account-names.ts';
import { endSessions } from '#store/accounts/account-sessions.ts';
import { oneOf, readable } from './fields.ts';
import { type Acting, operation, refuse } from './operation.ts';

const subject = ({ id, name }: Account) => ({ subject: id, label: name });
const noFields = z.strictObject({});
const noDetail = () => ({});

const impactOf = ({ db, clock }: Acting, { id }: Account) => accountImpact(db, clock.now(), id);

/** Blocks an account for its owner and for every application. */
export const disableAccount = operation({
  name: 'account.disable',
  subject,
  fields: noFields,
  who: 'operator',
  reauthenticate: 'always',
  impact: impactOf,
  run: async ({ db, clock }, { id }) =>
    (await setDisabled(db, id, clock.now())) ? undefined : refuse('last_operator'),
  detail: noDetail,
});

export const enableAccount = operation({
  name: 'account.enable',
  subject,
  fields: noFields,
  who: 'operator',
  reauthenticate: 'always',
  impact: undefined,
  run: async ({ db }, { id }: Account) => void (await setDisabled(db, id, null)),
  detail: noDetail,
});

export const changeRole = operation({
  name: 'account.role',
  subject,
  fields: z.strictObject({ role: oneOf(ROLES) }),
  who: 'operator',
  reauthenticate: 'always',
  impact: undefined,
  run: async ({ db }, { id }: Account, { role }) =>
    (await setRole(db, id, role)) ? undefined : refuse('last_operator'),
  detail: (fields) => fields,
});

/** Ends the sessions of an account; applications keep their access. */
export const signOutAccount = operation({
  name: 'account.sign_out',
  subject,
  fields: noFields,
  who: 'operator',
  reauthenticate: 'never',
  impact: undefined,
  run: async ({ db }, { id }: Account) => await db.transaction((tx) => endSessions(tx, id)),
  detail: noDetail,
});

export const unlinkAccount = operation({
  name: 'account.unlink',
  subject,
  fields: noFields,
  who: 'operator',
  reauthenticate: 'never',
  impact: undefined,
  run: async ({ db }, { id }: Account) => void (await unlinkPlayer(db, id)),
  detail: noDetail,
});

/** Deletes an account. The job replaces its game account in the stored events, if it has one. */
export const deleteAccount = operation({
  name: 'account.delete',
  subject,
  fields: noFields,
  who: 'operator',
  reauthenticate: 'always',
  impact: impactOf,
  run: async ({ db, clock }, { id }) => {
    const deleted = await deleteStored(db, clock.now(), id);
    return deleted === 'last operator' ? refuse('last_operator') : { job: deleted?.job };
  },
  detail: noDetail,
});

/** Replaces the name of an account that is not linked. */
export const renameAccount = operation({
  name: 'account.rename',
  subject: ({ id }: Account, _: undefined, { name }: { name: string }) => ({ subject: id, label: name }),
  fields: z.strictObject({
    name: readable((text) => (isNameShape(text) ? text : undefined), '3 to 16 letters, digits and underscores'),
  }),
  who: 'moderator',
  reauthenticate: 'never',
  impact: undefined,
  run: async ({ db }, { id, player_uuid }: Account, { name }) => {
    if (player_uuid !== null) return refuse('linked');
    if ((await nameProblem(db, name)) !== undefined || !(await setName(db, id, name))) return refuse('taken');
    return undefined;
  },
  detail: (_, __, { name }) => ({ from: name }),
});
