import { Keys } from '#store/sequence.ts';
import type { Clock } from '#platform/clock.ts';
import { amount } from '#text/amount.ts';
import { UsageError } from '#platform/errors.ts';
import { type Config, dataFolder } from '#platform/config/config.ts';
import { isBreached } from '#platform/crypto/breached-passwords.ts';
import { hashPassword, MAX_PASSWORD, MIN_PASSWORD, passwordProblem } from '#platform/crypto/passwords.ts';
import { isEmail } from '#platform/mail/email.ts';
import { isUuidLabel } from '#text/text.ts';
import {
  changeRole,
  deleteAccount,
  disableAccount,
  enableAccount,
  renameAccount,
  signOutAccount,
  unlinkAccount,
} from '#admin/accounts.ts';
import type { Db, Transaction } from '#db/db.ts';
import { linkGameAccount } from '#events/handlers/returning-players.ts';
import {
  type Account,
  accountById,
  accountByPlayer,
  createAccount,
  listAccounts,
  nameProblem,
  type Role,
  ROLES,
} from '#store/accounts/accounts.ts';
import { playerByUuid } from '#store/game/players.ts';
import type { AppContext } from '#context/context.ts';
import { runWithProgress } from './job.ts';
import { commands as factorCommands } from './account-factors.ts';
import { commands as helpCommands } from './account-help.ts';
import { readSecret } from './command/secret-input.ts';
import { readSettings } from './command/settings.ts';
import {
  carryOut,
  type Command,
  commandAbout,
  flag,
  type Input,
  JSON_OPTION,
  mandatory,
  oneOf,
  option,
  optionsOf,
  reading,
  timestampOf,
  withAppContext,
} from './command/command.ts';
import { CONFIRMATION, isConfirmed, command } from './command/operation-command.ts';
import { byAccount } from '#admin/targets.ts';
import {
  type NamedPlayer,
  playerImpact,
  playerOption,
  requireNamedPlayer,
  shownPlayer,
} from './command/player-option.ts';

const PLAYER = playerOption('The game account');

const disable = command(disableAccount, 'account disable', { result: shownAccount });
const enable = command(enableAccount, 'account disable', { result: shownAccount });

const disableOrEnable: Command = {
  ...disable,
  operations: [disableAccount, enableAccount],
  options: { ...disable.options, undo: flag('Unblock the account') },
  run: (input) => (input.has('undo') ? enable : disable).run(input),
};

const role = command(changeRole, 'account role', {
  confirm: (account, _, fields) => ({
    act: effectOf(account, fields.role),
    impact: { id: account.id, name: account.name, role: account.role, new_role: fields.role },
  }),
  result: shownAccount,
});

export const commands: Command[] = [
  {
    words: 'account create',
    begins: true,
    audit: { action: 'account.create', about: 'id' },
    summary: 'Create an account that can sign in',
    options: {
      name: mandatory('VALUE', 'The name; with --uuid the name of that player replaces it'),
      email: mandatory('VALUE', 'The e-mail address'),
      'password-stdin': flag(
        'Read the password from stdin, or ask for it; without a password its owner sets one with "Forgot your password?"',
      ),
      password: option('VALUE', 'The password; everybody on this machine can see it in the process list'),
      uuid: PLAYER,
      verified: flag('Mark the e-mail address as verified'),
      role: option('VALUE', 'The role: user (the default), moderator or operator', oneOf(ROLES)),
      ...CONFIRMATION,
      json: JSON_OPTION,
    },
    run: create,
  },
  reading('account list', 'List all accounts', async ({ db }) => (await listAccounts(db)).map(wire)),
  commandAbout(byAccount, 'account show', 'Show one account', async (_, account) => wire(account)),
  disableOrEnable,
  role,
  command(renameAccount, 'account rename', { result: shownAccount }),
  command(signOutAccount, 'account sign-out', { result: shownAccount }),
  {
    words: 'account link',
    audit: { action: 'account.link', about: 'id' },
    summary: 'Link a game account to an account',
    options: { ...optionsOf(byAccount), uuid: { ...PLAYER, required: true }, ...CONFIRMATION },
    run: link,
  },
  command(unlinkAccount, 'account unlink', {
    confirm: ({ id, name, player_uuid }) => ({
      act:
        player_uuid === null
          ? `${name} has no game account; nothing changes.`
          : `This unlinks the game account ${player_uuid} of ${name}: applications no longer see its player.`,
      impact: { id, name, uuid: player_uuid },
    }),
    result: shownAccount,
  }),
  command(deleteAccount, 'account delete', {
    confirm: (account, { sessions, connected, suspended }) => ({
      act:
        `This deletes the account ${account.name}, ends ${amount(sessions, 'session')} and the access of ` +
        `${amount(connected.length, 'application')}, and suspends ${amount(suspended.length, 'application')}.`,
      impact: { ...wire(account), sessions, connected, suspended },
    }),
    result: async (context, account, { job }) => {
      if (job !== undefined) await runWithProgress(context, job);
      return { ...wire(account), deleted: true };
    },
  }),
  ...helpCommands,
  ...factorCommands,
];

async function create(input: Input): Promise<void> {
  const role = (input.optional('role') as Role | undefined) ?? 'user';
  const email = input.required('email');
  if (!isEmail(email)) throw new UsageError(`--email must be an address like name@example.org (it is "${email}").`);
  const password = await passwordFor(input);
  await withAppContext(input, async ({ db, clock }) => {
    const player = input.optional('uuid') === undefined ? undefined : await requireNamedPlayer(db, input, 'uuid');
    const uuid = player?.uuid;
    const name = await nameFor(db, input, uuid);
    if (!isThePlayer(input, player, { name, email, role })) return;
    const hashed = password === undefined ? null : await hashPassword(password);
    const facts = { name, email, role, password: hashed, email_verified: input.has('verified') };
    const created = await carryOut(input, { db, clock }, async (tx) => {
      // First, because linking takes the first lock and the account the second one; see `Keys`.
      if (uuid !== undefined) await Keys.lock(tx);
      const account = await createAccount(tx, clock.now(), facts);
      if (typeof account === 'string')
        throw new UsageError(`Another account has this ${account.replace(' taken', '')} already.`);
      if (uuid !== undefined) await linkTo(tx, clock, account, uuid);
      return wire((await accountById(tx, account.id))!);
    });
    input.print(created);
  });
}

async function passwordFor(input: Input): Promise<string | undefined> {
  const given = input.optional('password');
  const fromStdin = input.has('password-stdin');
  if (given !== undefined && fromStdin) throw new UsageError('Give --password-stdin or --password, not both.');
  const password = fromStdin ? await readSecret('Password: ') : given;
  if (password === undefined) return undefined;
  await refuseWeakPassword(readSettings(), password, input.required('name'), input.required('email'));
  return password;
}

/** @throws UsageError that says what is wrong with the password of an account */
export async function refuseWeakPassword(
  config: Pick<Config, 'NETWORK_NAME' | 'DATA_FOLDER' | 'DATABASE_URL'>,
  password: string,
  name: string,
  email: string,
): Promise<void> {
  const problem = passwordProblem(password, config.NETWORK_NAME, name, email);
  if (problem === undefined) {
    if (!(await isBreached(dataFolder(config), password))) return;
    throw new UsageError(
      'The password is in the list of breached passwords of "passwords import". Choose another one.',
    );
  }
  if (problem === 'common')
    throw new UsageError('The password is too common: it is one of the 3,000 that people use most. Use several words.');
  throw new UsageError(
    `The password is too ${problem}: it needs ${MIN_PASSWORD} to ${MAX_PASSWORD} characters that are not the name of the ` +
      'network or the account; several words, for example.',
  );
}

/** The name of the new account: the linked player's, otherwise `--name`, which must be free among accounts and players. */
async function nameFor(db: Db, input: Input, uuid: string | undefined): Promise<string> {
  const name = input.required('name');
  const holder = uuid === undefined ? undefined : await accountByPlayer(db, uuid);
  if (holder !== undefined)
    throw new UsageError(`The game account ${uuid} is already linked to the account ${holder.name}.`);
  const player = uuid === undefined ? undefined : await playerByUuid(db, uuid);
  if (player !== undefined && !isUuidLabel(player.name)) return player.name;
  const problem = await nameProblem(db, name);
  if (problem === undefined) return name;
  if (problem === 'taken')
    throw new UsageError(
      `An account or a player has the name ${name} already; choose another name, or link that player's game account with --uuid.`,
    );
  throw new UsageError(`--name must be 3 to 16 letters, digits or underscores (it is "${name}").`);
}

function effectOf({ name, role: present }: Account, role: Role): string {
  if (role === 'operator')
    return `This gives ${name} every power over the network: servers, players, punishments, accounts and applications.`;
  if (present === 'operator' && role === 'moderator')
    return `This takes the operator role away from ${name}, who stays a moderator.`;
  if (role === 'moderator')
    return `This lets ${name} issue, change and revoke punishments, look up names and rename accounts that are not linked.`;
  return present === 'user'
    ? `${name} has no role; nothing changes.`
    : `This takes the ${present} role away from ${name}.`;
}

async function shownAccount({ db }: AppContext, { id }: Account): Promise<Record<string, unknown>> {
  return wire((await accountById(db, id))!);
}

async function link(input: Input): Promise<void> {
  await withAppContext(input, async (context) => {
    const account = await input.find(byAccount, context.db);
    const player = await requireNamedPlayer(context.db, input, 'uuid');
    if (!isThePlayer(input, player, { id: account.id })) return;
    const linked = await carryOut(input, context, async (tx) => {
      await linkTo(tx, context.clock, account, player.uuid);
      return wire((await accountById(tx, account.id))!);
    });
    input.print(linked);
  });
}

/** Decides whether a command continues: with `--yes` if the player is given by name or was erased. `--dry-run` prints the impact. */
function isThePlayer(input: Input, player: NamedPlayer | undefined, impact: Record<string, unknown>): boolean {
  const isAsked = input.has('dry-run') || player?.isExact === false || player?.erased === true;
  if (!isAsked) return true;
  if (player === undefined) return isConfirmed(input, '', impact);
  const question = player.erased ? returnOf(player.uuid) : `${shownPlayer(player)}. Is this the player?`;
  return isConfirmed(input, question, { ...impact, ...playerImpact(player) });
}

const returnOf = (uuid: string): string =>
  `The player with the UUID ${uuid} was erased. Linking is the return: new events are recorded under the player's own name, ` +
  'the punishments that were in force at the erasure or came later apply again, and the earlier records stay under the pseudonym.';

async function linkTo(tx: Transaction, clock: Clock, account: Account, uuid: string): Promise<void> {
  const player = await playerByUuid(tx, uuid);
  const name = player === undefined || isUuidLabel(player.name) ? account.name : player.name;
  const refusal = await linkGameAccount(tx, clock, account.id, { uuid, name });
  if (refusal === 'player linked')
    throw new UsageError(`The game account ${uuid} is already linked to another account.`);
  if (refusal === 'pseudonym')
    throw new UsageError(`${uuid} is the pseudonym of an erased player; give the UUID of the game account.`);
  if (refusal === 'player leaving')
    throw new UsageError(
      `The game account ${uuid} belonged to an account that was just deleted; try again in a moment.`,
    );
  if (refusal !== undefined) throw new UsageError(`The account ${account.name} already has a linked game account.`);
}

function wire({ player_uuid, created, disabled, locale: _, ...account }: Account): Record<string, unknown> {
  return {
    ...account,
    uuid: player_uuid,
    created: timestampOf(created),
    disabled: timestampOf(disabled),
  };
}
