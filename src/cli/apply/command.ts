import { TemporaryError, Unavailable, UsageError } from '#platform/errors.ts';
import { output } from '#platform/process/output.ts';
import type { AppContext } from '#context/context.ts';
import { type Command, flag, type Input, JSON_OPTION, option, withAppContext } from '../command/command.ts';
import { accountChange, readAccounts } from './accounts.ts';
import { applicationChange, readApplications } from './applications.ts';
import type { Change } from './change.ts';
import { exportNetwork, unmanagedRows } from './export.ts';
import { parseFile } from './file.ts';
import { KeyFile } from './key-file.ts';
import { networkChange, readNetwork } from './network.ts';
import { readServers, serverChange } from './servers.ts';

const KEYS_TO: NonNullable<Command['options']>[string] = option(
  'FILE',
  'Write new keys and secrets to this file (mode 0600) instead of printing them',
);
const DRY_RUN: NonNullable<Command['options']>[string] = flag('Only show what would change');

/** The options of `server create` with a file. */
export const FROM: NonNullable<Command['options']> = {
  from: option(
    'FILE',
    'Create or change all servers of a YAML file: a list of name, region, order, icon, max, punishments, hidden, watch and manage',
  ),
  'keys-to': { ...KEYS_TO, help: `With --from: ${KEYS_TO.help[0]!.toLowerCase()}${KEYS_TO.help.slice(1)}` },
  'dry-run': { ...DRY_RUN, help: 'With --from: only show what would change' },
};

export const commands: Command[] = [
  {
    words: 'apply',
    begins: true,
    summary:
      'Bring the network, servers, applications and roles to the state of a YAML file, or print it; doing so again changes nothing',
    operands: 'FILE',
    options: {
      'keys-to': KEYS_TO,
      'dry-run': DRY_RUN,
      'exit-code': flag('With --dry-run: exit code 1 if something would change, 2 after an error'),
      export: flag('Print the present state as such a file instead'),
      yes: flag('Also change roles and take access away'),
      json: JSON_OPTION,
    },
    run: apply,
  },
];

/** Compares an entry of the file with the network. */
type Plan = (context: AppContext) => Promise<Change>;

/** The members that a file may have, in the order in which they are applied. */
const LISTS: Record<string, (path: string, list: unknown) => Plan[]> = {
  network: (path, entry) => {
    const wanted = readNetwork(path, entry);
    return [(context) => networkChange(context, wanted)];
  },
  servers: (path, list) => readServers(path, list).map((entry) => (context) => serverChange(context, entry)),
  applications: (path, list) =>
    readApplications(path, list).map((entry) => (context) => applicationChange(context, entry)),
  accounts: (path, list) => readAccounts(path, list).map((entry) => (context) => accountChange(context, entry)),
};

async function apply(input: Input): Promise<number> {
  if (!input.has('exit-code')) return await applyFile(input);
  if (!input.has('dry-run')) throw new UsageError('--exit-code belongs to --dry-run, which is missing.');
  try {
    return await applyFile(input);
  } catch (error) {
    // Exit code 1 means differences, so that every error has another one.
    if (error instanceof Unavailable) throw new UsageError(`${error.message}. See DATABASE_URL.`);
    throw error instanceof TemporaryError ? new UsageError(error.message) : error;
  }
}

/** @returns the exit code for `--exit-code` */
async function applyFile(input: Input): Promise<number> {
  const [path, ...more] = input.positionals;
  if (input.has('export')) {
    if (path !== undefined) throw new UsageError('--export prints the file: scorehall apply --export > network.yml');
    await withAppContext(input, async (context) => void output().write(await exportNetwork(context)));
    return 0;
  }
  if (path === undefined || more.length > 0) throw new UsageError('Give one FILE: scorehall apply network.yml');
  const content = parseFile(path);
  const names = Object.keys(LISTS);
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new UsageError(`${path} must have the members ${names.join(', ')}, or some of them.`);
  const unknown = Object.keys(content).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new UsageError(`${path} has the member ${unknown}; there are ${names.join(', ')}.`);
  const plans = names
    .filter((name) => name in content)
    .flatMap((name) => LISTS[name]!(path, (content as Record<string, unknown>)[name]));
  const changes = await applyAll(input, plans, { confirm: true, lists: Object.keys(content) });
  return input.has('exit-code') && changes > 0 ? 1 : 0;
}

/** `server create --from FILE`: the servers of a file, which may also be a plain list. */
export async function createFrom(input: Input, path: string, exclusive: readonly string[]): Promise<void> {
  const own = exclusive.find((option) => input.values[option] !== undefined);
  if (own !== undefined) throw new UsageError(`Give --from or --${own}, not both.`);
  const content = parseFile(path);
  const list = (content as { servers?: unknown } | null)?.servers ?? content;
  if (!Array.isArray(list)) throw new UsageError(`${path} must be a list of servers with name and region.`);
  if (list !== content) {
    const other = Object.keys(content as object).find((name) => name !== 'servers');
    if (other !== undefined)
      throw new UsageError(`${path} has the member ${other}; for all of it see: scorehall apply --help`);
  }
  await applyAll(input, LISTS['servers']!(path, list), { confirm: false, lists: [] });
}

/**
 * Finds all changes before it makes the first one, so that a wrong file changes nothing. An interrupted run is repeated:
 * what is done already is unchanged then.
 * @param lists the lists whose other entries in the network are printed as unmanaged
 * @returns the number of changes
 */
async function applyAll(
  input: Input,
  plans: readonly Plan[],
  { confirm, lists }: { confirm: boolean; lists: readonly string[] },
): Promise<number> {
  const dryRun = input.has('dry-run');
  const keysTo = input.optional('keys-to');
  using keys = keysTo === undefined || dryRun ? undefined : new KeyFile(keysTo);
  return await withAppContext(input, async (context) => {
    const changes: Change[] = [];
    for (const plan of plans) changes.push(await plan(context));
    const warnings = changes.flatMap(({ warning }) => warning ?? []);
    if (confirm && !dryRun && warnings.length > 0 && !input.has('yes'))
      throw new UsageError(`${warnings.join(' ')} Add --yes to do it, or --dry-run to see what it would change.`);
    const unmanaged = await unmanagedRows(context.db, lists, changes);
    const rows: Record<string, unknown>[] = [];
    for (const change of changes) {
      const { kind, name, changes: differences } = change;
      const action = change.isNew ? 'create' : differences.length > 0 ? 'change' : 'unchanged';
      const secrets = dryRun || action === 'unchanged' ? {} : await change.apply(context, keys);
      rows.push({ kind, name, action, changes: differences, ...secrets });
    }
    await context.mail.settled();
    input.print([...rows, ...unmanaged]);
    return rows.filter(({ action }) => action !== 'unchanged').length;
  });
}
