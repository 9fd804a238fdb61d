import { amount } from '#text/amount.ts';
import { UsageError } from '#platform/errors.ts';
import { idOf } from '#platform/ids.ts';
import {
  byServerName,
  changeServer,
  createKey,
  createServer,
  deleteServer,
  revokeKey,
  rotateKey,
  withdrawEvents,
  unwatchServer,
  watchServer,
  manageServer,
  unmanageServer,
} from '#admin/servers.ts';
import { listServerKeys, type ServerKey } from '#store/game/server-keys.ts';
import { listServers, serverByKey, type ServerNow } from '#store/game/servers.ts';
import type { AppContext } from '#context/context.ts';
import { runWithdrawal } from './job.ts';
import { type Command, commandAbout, type Input, JSON_OPTION, reading, timestampOf } from './command/command.ts';
import { command, optional } from './command/operation-command.ts';
import { createFrom, FROM } from './apply/command.ts';
import { wireHidden } from './command/hidden-players.ts';
import { listWatches, type Watch, watchOf } from '#store/game/watches/server-watches.ts';
import { installed } from '#platform/process/installed.ts';
import { errorOutput } from '#platform/process/output.ts';
import { readGameAddress } from '#store/game/watches/game-address.ts';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { managementProperties } from '#store/game/watches/management-url.ts';
import { listManaged, type Managed, managedServer } from '#store/game/watches/managed-servers.ts';

const creation = command(createServer, 'server create', {
  begins: true,
  result: async (context, _, { server, secret }) => ({ ...(await shownServer(context, server)), ingest_key: secret }),
});

const { name, ...others } = creation.options!;
/** With `--from`, no name is required. */
const createOrApply: Command = {
  ...creation,
  options: { name: optional(name!), json: JSON_OPTION, ...others, ...FROM },
  run: create,
};

const watchCommands: Command[] = [
  reading('server watch list', 'List the watched servers with the outcome of the last poll', async ({ db }) =>
    (await listWatches(db)).map(({ server, ...watched }) => ({ name: server, ...wireWatch(watched) })),
  ),
  command(unwatchServer, 'server watch remove', { result: (_, { name }) => ({ name, watched: false }) }),
  command(watchServer, 'server watch', {
    result: async ({ db }, { key, name }) => {
      const watched = (await watchOf(db, key))!;
      await noteProblem(watched);
      return { name, ...wireWatch(watched) };
    },
  }),
];

const manageCommands: Command[] = [
  reading(
    'server manage list',
    'List the servers that are followed by the management protocol, with the state of their connections',
    async ({ db }) =>
      (await listManaged(db)).map(({ server, ...managed }) => ({ name: server, ...wireManaged(managed) })),
  ),
  command(unmanageServer, 'server manage remove', { result: (_, { name }) => ({ name, managed: false }) }),
  command(manageServer, 'server manage', {
    read: async (input) => {
      const caFile = input.optional('ca-file');
      return {
        url: input.required('url'),
        secret: await readFrom('secret-file', input.required('secret-file')),
        ca: caFile === undefined ? undefined : await readFrom('ca-file', caFile),
      };
    },
    result: async ({ db }, { key, name }) => {
      const managed = (await managedServer(db, key))!;
      errorOutput().write(propertiesHint(managed));
      return { name, ...wireManaged(managed) };
    },
  }),
];

export const commands: Command[] = [
  ...watchCommands,
  ...manageCommands,
  createOrApply,
  reading('server list', 'List all game servers', async ({ db }) => (await listServers(db, 0)).map(wire)),
  command(changeServer, 'server set', { result: shownServer }),
  command(createKey, 'server key create', {
    result: (_, { name }, { secret }, { test }) => ({ name, test, ingest_key: secret }),
  }),
  commandAbout(
    byServerName,
    'server key list',
    'List the keys of a server, without their secrets',
    async ({ db }, { key }) => (await listServerKeys(db, key)).map(wireKey),
  ),
  command(rotateKey, 'server key rotate', {
    result: (_, { name }, { secret, until }) => ({ name, ingest_key: secret, others_until: timestampOf(until) }),
  }),
  command(revokeKey, 'server key revoke', {
    confirm: ({ name }, { valid, revoked }) => ({
      act: `This revokes ${revoked.length} of ${valid.length} valid keys of ${name}.`,
      impact: { name, keys: revoked.map(({ id }) => id) },
    }),
    result: (_, { name }, { revoked }) => ({ name, revoked }),
  }),
  command(deleteServer, 'server delete', {
    confirm: ({ name }, { keys }) => ({
      act: `This removes ${name} from all lists and revokes ${keys.length} of its keys; its matches stay.`,
      impact: { name, keys: keys.map(({ id }) => id) },
    }),
    result: (_, { name }) => ({ name, deleted: true }),
  }),
  command(withdrawEvents, 'server withdraw', {
    together: 'Give either --match, or --since, --key or both.',
    confirm: ({ name }, { total, types }) => ({
      act: `This withdraws ${amount(total, 'event')} of ${name}, as if never sent.`,
      impact: { name, events: total, types: Object.fromEntries(types) },
    }),
    result: async (context, { name }, { job }) => ({ name, job: idOf(job), ...(await runWithdrawal(context, job)) }),
  }),
];

async function create(input: Input): Promise<void> {
  const from = input.optional('from');
  if (from !== undefined) return await createFrom(input, from, Object.keys(createServer.options));
  for (const option of Object.keys(FROM)) {
    if (input.values[option] !== undefined) throw new UsageError(`--${option} belongs to --from, which is missing.`);
  }
  input.requireAll(['name']);
  await creation.run(input);
}

async function shownServer({ db }: AppContext, { key }: { key: number }): Promise<Record<string, unknown>> {
  return { ...wire((await serverByKey(db, key, 0))!), ...(await wireHidden(db, key)) };
}

function wire({ name, region, order, icon, max, punishments }: ServerNow): Record<string, unknown> {
  return { name, region, order, icon, max, punishments };
}

function wireKey({ id, test, created, expires }: ServerKey): Record<string, unknown> {
  return { id, test, created: timestampOf(created), expires: timestampOf(expires) };
}

/** A host may get its record later, and the watcher may be installed later, so it is watched all the same. */
async function noteProblem({ address, protocol }: Watch): Promise<void> {
  const target = readGameAddress(address)!;
  try {
    const { isKnownHost } = await installed('packages/watch', () => import('#watch/minecraft-address.ts'));
    if (await isKnownHost(target, protocol)) return;
    errorOutput().write(
      `The host ${target.host} does not resolve now: it is polled all the same; is it spelt right?\n`,
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    errorOutput().write(`${error.message}\n`);
  }
}

function wireWatch({ address, protocol, error, succeeded, playerCount, max }: Watch): Record<string, unknown> {
  return { address, protocol, last_success: timestampOf(succeeded), error, player_count: playerCount, max };
}

const propertiesHint = ({ url }: Managed): string =>
  `In server.properties of the game server, which writes the secret itself; then restart it:\n\n${managementProperties(url).join('\n')}\n\n`;

async function readFrom(option: string, file: string): Promise<string> {
  if (file === '-') return await text(process.stdin);
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--${option} names a file that cannot be read (${error.code}).`);
  });
}

function wireManaged({ url, ca, state, contact }: Managed): Record<string, unknown> {
  return { url, own_ca: ca !== '', state, last_contact: timestampOf(contact) };
}
