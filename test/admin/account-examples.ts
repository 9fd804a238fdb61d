import { randomUUID } from 'node:crypto';
import { sql } from '#db/sql.ts';
import { setDisabled } from '#store/accounts/account-changes.ts';
import { account, giveApp } from '#test/support/builders.ts';
import type { TestAppContext } from '#test/support/context.ts';
import type { Example, Twin } from './examples.ts';

interface AccountTwin extends Twin {
  id: string;
}

async function prepare(context: TestAppContext, name: string, uuid?: string): Promise<AccountTwin> {
  const { id } = await account(context, name, uuid);
  return { name, id, words: { [name]: 'NAME', [id]: 'ID' } };
}

const at = ({ id }: AccountTwin): string => `/operator/accounts/${id}`;

const disable: Example<AccountTwin> = {
  prepare,
  page: (twin) => [at(twin), { change: 'disable' }],
  command: ({ id }) => ['account', 'disable', '--account', id],
};

const enable: Example<AccountTwin> = {
  prepare: async (context, name) => {
    const twin = await prepare(context, name);
    await setDisabled(context.db, twin.id, context.clock.now());
    return twin;
  },
  page: (twin) => [at(twin), { change: 'enable' }],
  command: ({ name }) => ['account', 'disable', '--account', name, '--undo'],
};

const role: Example<AccountTwin> = {
  prepare,
  page: (twin) => [at(twin), { change: 'make_moderator' }],
  command: ({ name }) => ['account', 'role', '--account', name, '--role', 'moderator', '--yes'],
  file: ({ name }) => ({ accounts: [{ name, role: 'moderator' }] }),
};

const signOut: Example<AccountTwin> = {
  prepare,
  page: (twin) => [at(twin), { change: 'sign_out' }],
  command: ({ name }) => ['account', 'sign-out', '--account', name],
};

const unlink: Example<AccountTwin> = {
  prepare: (context, name) => prepare(context, name, randomUUID()),
  page: (twin) => [at(twin), { change: 'unlink' }],
  command: ({ name }) => ['account', 'unlink', '--account', name, '--yes'],
};

const remove: Example<AccountTwin> = {
  prepare,
  page: (twin) => [at(twin), { change: 'delete', name: twin.name }],
  command: ({ name }) => ['account', 'delete', '--account', name, '--yes'],
};

const rename: Example<AccountTwin> = {
  prepare,
  page: ({ id, name }) => [`/operator/names/${id}`, { name: `New${name}` }],
  command: ({ name }) => ['account', 'rename', '--account', name, '--name', `New${name}`],
};

const resetPassword: Example<AccountTwin> = {
  prepare,
  page: (twin) => [`${at(twin)}/password`, { way: 'paper' }],
  command: ({ name }) => ['account', 'reset-password', '--account', name, '--paper'],
};

const email: Example<AccountTwin> = {
  prepare,
  page: (twin) => [`${at(twin)}/email`, { email: `New${twin.name}@Example.org`, way: 'now' }],
  command: ({ name }) => [
    ...['account', 'email', '--account', name],
    ...['--email', `New${name}@Example.org`, '--verified'],
  ],
};

const verification: Example<AccountTwin> = {
  prepare: async (context, name) => {
    const twin = await prepare(context, name);
    await context.db.run(sql`update accounts set email_verified = 0 where id = ${twin.id}`);
    return twin;
  },
  page: (twin) => [`${at(twin)}/verification`, {}],
  command: ({ name }) => ['account', 'send-verification', '--account', name],
};

const resetFactors: Example<AccountTwin> = {
  prepare: async (context, name) => {
    const twin = await prepare(context, name);
    await giveApp(context, twin.id);
    return twin;
  },
  page: (twin) => [`${at(twin)}/factors`, {}],
  command: ({ name }) => ['account', 'reset-factors', '--account', name, '--yes'],
};

export const ACCOUNT_EXAMPLES = {
  'account.disable': disable,
  'account.enable': enable,
  'account.role': role,
  'account.sign_out': signOut,
  'account.unlink': unlink,
  'account.delete': remove,
  'account.rename': rename,
  'account.reset_password': resetPassword,
  'account.email': email,
  'account.verification': verification,
  'account.reset_factors': resetFactors,
};
