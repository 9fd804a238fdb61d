import { amount } from '#text/amount.ts';
import { UsageError } from '#platform/errors.ts';
import { idOf } from '#platform/ids.ts';
import {
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
import { type Command, inContext, type Input, JSON_OPTION, option, SERVER, timestampOf } from './command/command.ts';
import { command } from './command/operation-command.ts';
import { createFrom, FROM } from './apply/command.ts';
import { byName, requireServer } from './server-name.ts';
import { wireHidden } from './command/hidden-players.ts';
import { HIDDEN_OPTION } from './network.ts';
import { manageCommands } from './server-manage.ts';
import { watchCommands } from './server-watch.ts';

const SETTINGS = {
  region: { help: 'The region, as players read it' },
  order: { value: 'N', help: 'The position in lists (default: 0)' },
  icon: { value: 'TEXT', help: 'The icon, in the notation of the network' },
  max: { value: 'N', help: 'The maximum number of players; 0 for a lobby' },
  punishments: {
    value: 'network|own',
    help: 'Which punishments the server may change: all of the network (the default), or those that it issued',
  },
  hidden: HIDDEN_OPTION,
};

const creation = command(createServer, {
  words: 'server create',
  begins: true,
  summary: 'Register a game server, or all of a file, and print the ingest keys of new servers',
  row: { options: {}, find: async () => undefined },
  options: { name: { help: 'The name of the server' }, ...SETTINGS },
  refused: {
    exists: (_, { name }) =>
      `There is already a server ${name}; for a further key see: scorehall server key create --help`,
  },
  result: async (context, _, { server, secret }) => ({ ...(await shownServer(context, server)), ingest_key: secret }),
});

const { name: _, region: __, ...others } = creation.options!;
/** With `--from`, neither a name nor a region is required. */
const createOrApply: Command = {
  ...creation,
  options: {
    name: option('VALUE', 'The name of the server'),
    json: JSON_OPTION,
    region: { type: 'string', ...SETTINGS.region },
    ...others,
    ...FROM,
  },
  run: create,
};

export const commands: Command[] = [
  ...watchCommands,
  ...manageCommands,
  createOrApply,
  {
    words: 'server list',
    summary: 'List all game servers',
    options: { json: JSON_OPTION },
    run: inContext(async ({ db }) => (await listServers(db, 0)).map(wire)),
  },
  command(changeServer, {
    words: 'server set',
    summary:
      'Change the region, order, icon or player limit of a server, which punishments it may change, and whom it never shows',
    row: byName,
    options: SETTINGS,
    refused: {},
    result: shownServer,
  }),
  command(createKey, {
    words: 'server key create',
    summary: 'Create a further ingest key for a server',
    row: byName,
    options: {
      test: { help: 'A test key: its events are validated and get receipts, but are not stored' },
    },
    refused: {},
    result: (_, { name }, { secret }, { test }) => ({ name, test, ingest_key: secret }),
  }),
  {
    words: 'server key list',
    summary: 'List the keys of a server, without their secrets',
    options: SERVER,
    run: inContext(listKeys),
  },
  command(rotateKey, {
    words: 'server key rotate',
    summary: 'Create a new key for a server; its other keys stay valid for a while',
    row: byName,
    options: {
      overlap: {
        value: 'HOURS',
        help: 'How long the other keys stay valid (default: 24); 0 revokes them immediately',
      },
    },
    refused: {},
    result: (_, { name }, { secret, until }) => ({ name, ingest_key: secret, others_until: timestampOf(until) }),
  }),
  command(revokeKey, {
    words: 'server key revoke',
    summary: 'Revoke one key or all keys of a server immediately',
    row: byName,
    options: { key: { value: 'ID', help: 'The id of one key (default: all keys)' } },
    confirm: ({ name }, { valid, revoked }) => ({
      act: `This revokes ${revoked.length} of ${valid.length} valid keys of ${name}.`,
      impact: { name, keys: revoked.map(({ id }) => id) },
    }),
    refused: {
      unknown_key: ({ name }, { key }) => `${name} has no valid key ${key}; see: scorehall server key list`,
    },
    result: (_, { name }, { revoked }) => ({ name, revoked }),
  }),
  command(deleteServer, {
    words: 'server delete',
    summary: 'Remove a server from all lists and revoke its keys; its matches stay',
    row: byName,
    options: {},
    confirm: ({ name }, { keys }) => ({
      act: `This removes ${name} from all lists and revokes ${keys.length} of its keys; its matches stay.`,
      impact: { name, keys: keys.map(({ id }) => id) },
    }),
    refused: {},
    result: (_, { name }) => ({ name, deleted: true }),
  }),
  command(withdrawEvents, {
    words: 'server withdraw',
    summary: 'Retract events of a server, as if they had never been sent',
    row: { options: SERVER, find: ({ db }, input) => requireServer(db, input, true) },
    options: {
      receipt: { name: 'match', value: 'ID', help: 'The id of one match, or the receipt of any event' },
      since: { value: 'TIME', help: 'All events accepted since then, for example 2026-01-31T12:00:00Z' },
      key: { value: 'ID', help: 'All events that this key sent; with --since those since then' },
    },
    together: 'Give either --match, or --since, --key or both.',
    confirm: ({ name }, { total, types }) => ({
      act: `This withdraws ${amount(total, 'event')} of ${name}, as if never sent.`,
      impact: { name, events: total, types: Object.fromEntries(types) },
    }),
    refused: {
      unknown_receipt: ({ name }, { receipt }) =>
        `${name} has sent no event with the receipt ${receipt}, or the event is already withdrawn.`,
      nothing_by_key: ({ name }, { key }) => `There is no event of ${name} in force that the key ${idOf(key!)} sent.`,
    },
    result: async (context, { name }, { job }) => ({ name, job: idOf(job), ...(await withdrawn(context, job)) }),
  }),
];

async function create(input: Input): Promise<void> {
  const from = input.optional('from');
  if (from !== undefined) return await createFrom(input, from, ['name', ...Object.keys(SETTINGS)]);
  for (const option of Object.keys(FROM)) {
    if (input.values[option] !== undefined) throw new UsageError(`--${option} belongs to --from, which is missing.`);
  }
  input.requireAll(['name', 'region']);
  await creation.run(input);
}

async function shownServer({ db }: AppContext, { key }: { key: number }): Promise<Record<string, unknown>> {
  return { ...wire((await serverByKey(db, key, 0))!), ...(await wireHidden(db, key)) };
}

async function listKeys({ db }: AppContext, input: Input) {
  const { key } = await requireServer(db, input);
  return (await listServerKeys(db, key)).map(wireKey);
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
