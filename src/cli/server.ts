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
} from '#admin/servers.ts';
import { listServerKeys, type ServerKey } from '#store/game/server-keys.ts';
import { listServers, serverByKey, type ServerNow } from '#store/game/servers.ts';
import type { AppContext } from '#context/context.ts';
import { runWithProgress } from './job.ts';
import { type Command, commandAbout, type Input, JSON_OPTION, reading, timestampOf } from './command/command.ts';
import { command, optional } from './command/operation-command.ts';
import { createFrom, FROM } from './apply/command.ts';
import { wireHidden } from './command/hidden-players.ts';
import { manageCommands } from './server-manage.ts';
import { watchCommands } from './server-watch.ts';

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
    result: async (context, { name }, { job }) => ({ name, job: idOf(job), ...(await withdrawn(context, job)) }),
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

/** Runs a withdrawal to its end. @returns the events that were withdrawn, and how many of them cascaded */
async function withdrawn(context: AppContext, job: number): Promise<{ events: number; cascaded: number }> {
  const { events, cascaded } = JSON.parse((await runWithProgress(context, job)).cursor) as Record<string, number>;
  return { events: events! + cascaded!, cascaded: cascaded! };
}

function wire({ name, region, order, icon, max, punishments }: ServerNow): Record<string, unknown> {
  return { name, region, order, icon, max, punishments };
}

function wireKey({ id, test, created, expires }: ServerKey): Record<string, unknown> {
  return { id, test, created: timestampOf(created), expires: timestampOf(expires) };
}
