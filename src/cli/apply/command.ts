import { UsageError } from '#platform/errors.ts';
import type { AppContext } from '#context/context.ts';
import { type Command, flag, type Input, JSON_OPTION, option, withAppContext } from '../command/command.ts';
import { accountChange, readAccounts } from './accounts.ts';
import { applicationChange, readApplications } from './applications.ts';
import type { Change } from './change.ts';
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
      'Bring the network, servers, applications and roles to the state of a YAML file; doing so again changes nothing',
    operands: 'FILE',
    options: {
      'keys-to': KEYS_TO,
      'dry-run': DRY_RUN,
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

async function apply(input: Input): Promise<void> {
  const [path, ...more] = input.positionals;
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
  await applyAll(input, plans, { confirm: true });
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
  await applyAll(input, LISTS['servers']!(path, list), { confirm: false });
}

/**
 * Finds all changes before it makes the first one, so that a wrong file changes nothing. An interrupted run is repeated:
 * what is done already is unchanged then.
 */
async function applyAll(input: Input, plans: readonly Plan[], { confirm }: { confirm: boolean }): Promise<void> {
  const dryRun = input.has('dry-run');
  const keysTo = input.optional('keys-to');
  using keys = keysTo === undefined || dryRun ? undefined : new KeyFile(keysTo);
  await withAppContext(input, async (context) => {
    const changes: Change[] = [];
    for (const plan of plans) changes.push(await plan(context));
    const warnings = changes.flatMap(({ warning }) => warning ?? []);
    if (confirm && !dryRun && warnings.length > 0 && !input.has('yes'))
      throw new UsageError(`${warnings.join(' ')} Add --yes to do it, or --dry-run to see what it would change.`);
    const rows: Record<string, unknown>[] = [];
    for (const change of changes) {
      const { kind, name, changes: differences } = change;
      const action = change.isNew ? 'create' : differences.length > 0 ? 'change' : 'unchanged';
      const { secrets = {} } = dryRun || action === 'unchanged' ? {} : await change.apply(context, keys);
      rows.push({ kind, name, action, changes: differences, ...secrets });
    }
    await context.mail.settled();
    input.print(rows);
  });
}
