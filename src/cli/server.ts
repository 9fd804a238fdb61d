import { UsageError } from '#platform/errors.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import {
  createServerKey,
  listServerKeys,
  revokeServerKeys,
  rotateServerKey,
  type ServerKey,
} from '#store/game/server-keys.ts';
import {
  listServers,
  PUNISHMENT_SCOPES,
  type PunishmentScope,
  serverByKey,
  serverByName,
  type ServerNow,
} from '#store/game/servers.ts';
import { createWithdrawal, receiptImpact, withdrawalImpact } from '#events/jobs/withdrawal.ts';
import type { AppContext } from '#context/context.ts';
import { CONFIRMATION, isConfirmed } from './command/confirmation.ts';
import { runWithProgress } from './job.ts';
import {
  type Command,
  type Input,
  JSON_OPTION,
  optional,
  print,
  printTable,
  required,
  requireAll,
  SERVER,
  withAppContext,
} from './command/command.ts';
import { createFrom, FROM } from './apply/command.ts';
import { ingestEvent } from './apply/servers.ts';
import { oneOf, timestampOf, wholeNumber } from './command/values.ts';
import { requireServer } from './server-name.ts';
import { manageCommands } from './server-manage.ts';
import { watchCommands } from './server-watch.ts';

const PROPERTIES: NonNullable<Command['options']> = {
  region: { type: 'string', help: 'The region, as players read it' },
  order: { type: 'string', value: 'N', help: 'The position in lists (default: 0)' },
  icon: { type: 'string', value: 'TEXT', help: 'The icon, in the notation of the network' },
  max: { type: 'string', value: 'N', help: 'The maximum number of players; 0 for a lobby' },
  punishments: {
    type: 'string',
    value: 'network|own',
    help: 'Which punishments the server may change: all of the network (the default), or those that it issued',
  },
};
const HOUR_MS = 3_600_000;
const MAX_OVERLAP_HOURS = 24 * 90;

export const commands: Command[] = [
  ...watchCommands,
  ...manageCommands,
  {
    words: 'server create',
    begins: true,
    audit: { action: 'server.create', about: 'name' },
    summary: 'Register a game server, or all of a file, and print the ingest keys of new servers',
    options: { name: { type: 'string', help: 'The name of the server' }, json: JSON_OPTION, ...PROPERTIES, ...FROM },
    run: create,
  },
  { words: 'server list', summary: 'List all game servers', options: { json: JSON_OPTION }, run: listAll },
  {
    words: 'server set',
    audit: { action: 'server.set', about: 'name' },
    summary: 'Change the region, order, icon or player limit of a server, and which punishments it may change',
    options: { ...SERVER, ...PROPERTIES },
    run: change,
  },
  {
    words: 'server key create',
    audit: { action: 'server.key.create', about: 'name' },
    summary: 'Create a further ingest key for a server',
    options: {
      ...SERVER,
      test: { type: 'boolean', help: 'A test key: its events are validated and get receipts, but are not stored' },
    },
    run: createKey,
  },
  {
    words: 'server key list',
    summary: 'List the keys of a server, without their secrets',
    options: SERVER,
    run: listKeys,
  },
  {
    words: 'server key rotate',
    audit: { action: 'server.key.rotate', about: 'name' },
    summary: 'Create a new key for a server; its other keys stay valid for a while',
    options: {
      ...SERVER,
      overlap: {
        type: 'string',
        value: 'HOURS',
        help: 'How long the other keys stay valid (default: 24); 0 revokes them immediately',
      },
    },
    run: rotateKey,
  },
  {
    words: 'server key revoke',
    audit: { action: 'server.key.revoke', about: 'name' },
    summary: 'Revoke one key or all keys of a server immediately',
    options: {
      ...SERVER,
      key: { type: 'string', value: 'ID', help: 'The id of one key (default: all keys)' },
      ...CONFIRMATION,
    },
    run: revokeKey,
  },
  {
    words: 'server delete',
    audit: { action: 'server.delete', about: 'name' },
    summary: 'Remove a server from all lists and revoke its keys; its matches stay',
    options: { ...SERVER, ...CONFIRMATION },
    run: remove,
  },
  {
    words: 'server withdraw',
    audit: { action: 'server.withdraw', about: 'name' },
    summary: 'Retract events of a server, as if they had never been sent',
    options: {
      ...SERVER,
      match: { type: 'string', value: 'ID', help: 'The id of one match, or the receipt of any event' },
      since: {
        type: 'string',
        value: 'TIME',
        help: 'All events accepted since then, for example 2026-01-31T12:00:00Z',
      },
      ...CONFIRMATION,
    },
    run: withdraw,
  },
];

async function create(input: Input): Promise<void> {
  const from = optional(input, 'from');
  if (from !== undefined) return await createFrom(input, from, ['name', ...Object.keys(PROPERTIES)]);
  for (const option of Object.keys(FROM)) {
    if (input.values[option] !== undefined) throw new UsageError(`--${option} belongs to --from, which is missing.`);
  }
  requireAll(input, ['name', 'region']);
  const name = required(input, 'name');
  const properties = { region: required(input, 'region'), ...readProperties(input) };
  await withAppContext(input, async ({ db, clock }) => {
    const existing = await serverByName(db, name);
    if (existing !== undefined && (await serverByKey(db, existing.key, 0)) !== undefined) {
      throw new UsageError(
        `There is already a server ${existing.name}; for a further key see: scorehall server key create --help`,
      );
    }
    await ingestEvent(db, clock, { type: 'server.configured', server: name, data: properties });
    const { key } = (await serverByName(db, name))!;
    const secret = await createServerKey(db, clock.now(), key);
    print(input, { ...wire((await serverByKey(db, key, 0))!), ingest_key: secret });
  });
}

async function listAll(input: Input): Promise<void> {
  await withAppContext(input, async ({ db }) => printTable(input, (await listServers(db, 0)).map(wire)));
}

async function change(input: Input): Promise<void> {
  await withAppContext(input, async ({ db, clock }) => {
    const { key, name, region, order, icon, max } = await requireServer(db, input);
    const data = { order, icon, max, ...readProperties(input), region: optional(input, 'region') ?? region };
    await ingestEvent(db, clock, { type: 'server.configured', server: name, data });
    print(input, wire((await serverByKey(db, key, 0))!));
  });
}

async function createKey(input: Input): Promise<void> {
  const test = input.values['test'] === true;
  await withAppContext(input, async ({ db, clock }) => {
    const { key, name } = await requireServer(db, input);
    print(input, { name, test, ingest_key: await createServerKey(db, clock.now(), key, test) });
  });
}

async function listKeys(input: Input): Promise<void> {
  await withAppContext(input, async ({ db }) => {
    const { key } = await requireServer(db, input);
    printTable(input, (await listServerKeys(db, key)).map(wireKey));
  });
}

async function rotateKey(input: Input): Promise<void> {
  const overlap = wholeNumber(input, 'overlap', 0, MAX_OVERLAP_HOURS) ?? 24;
  await withAppContext(input, async ({ db, clock }) => {
    const { key, name } = await requireServer(db, input);
    const ingest_key = await rotateServerKey(db, clock.now(), key, overlap * HOUR_MS);
    print(input, { name, ingest_key, others_until: timestampOf(clock.now() + overlap * HOUR_MS) });
  });
}

async function revokeKey(input: Input): Promise<void> {
  await withAppContext(input, async ({ db, clock }) => {
    const { key, name } = await requireServer(db, input);
    const valid = (await listServerKeys(db, key)).filter(({ expires }) => expires === null || expires > clock.now());
    const keys = valid.map(({ id }) => id).filter((id) => id === (optional(input, 'key') ?? id));
    if (!isConfirmed(input, `This revokes ${keys.length} of ${valid.length} valid keys of ${name}.`, { name, keys }))
      return;
    print(input, { name, revoked: await revokeServerKeys(db, clock.now(), key, optional(input, 'key')) });
  });
}

async function remove(input: Input): Promise<void> {
  await withAppContext(input, async ({ db, clock }) => {
    const { key, name } = await requireServer(db, input);
    const keys = (await listServerKeys(db, key)).filter(({ expires }) => expires === null || expires > clock.now());
    const act = `This removes ${name} from all lists and revokes ${keys.length} of its keys; its matches stay.`;
    if (!isConfirmed(input, act, { name, keys: keys.map(({ id }) => id) })) return;
    await ingestEvent(db, clock, { type: 'server.removed', server: name, data: {} });
    print(input, { name, deleted: true });
  });
}

async function withdraw(input: Input): Promise<void> {
  const [match, since] = [optional(input, 'match'), readSince(input)];
  if ((match === undefined) === (since === undefined)) throw new UsageError('Give either --match or --since.');
  await withAppContext(input, async (context) => {
    const { db, clock } = context;
    const { key, name } = await requireServer(db, input, true);
    const types = match === undefined ? await withdrawalImpact(db, key, since!) : await receiptImpact(db, key, match);
    const events = types.values().reduce((sum, count) => sum + count, 0);
    if (match !== undefined && events === 0) {
      throw new UsageError(`${name} has sent no event with the receipt ${match}, or the event is already withdrawn.`);
    }
    const act = `This withdraws ${events === 1 ? '1 event' : `${events} events`} of ${name}, as if never sent.`;
    if (!isConfirmed(input, act, { name, events, types: Object.fromEntries(types) })) return;
    const params = match === undefined ? { server: key, since: since! } : { server: key, keys: [keyOf(match) ?? 0] };
    const job = await createWithdrawal(db, clock, params, { label: name, total: events });
    print(input, { name, job: idOf(job), ...(await withdrawn(context, job)) });
  });
}

/** Runs a withdrawal to its end. @returns the events that were withdrawn, and how many of them cascaded */
async function withdrawn(context: AppContext, job: number): Promise<{ events: number; cascaded: number }> {
  const { events, cascaded } = JSON.parse((await runWithProgress(context, job)).cursor) as Record<string, number>;
  return { events: events! + cascaded!, cascaded: cascaded! };
}

function readSince(input: Input): number | undefined {
  const text = optional(input, 'since');
  if (text === undefined) return undefined;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(Date.parse(text))) {
    throw new UsageError(`--since must be a time like 2026-01-31T12:00:00Z (it is "${text}").`);
  }
  return Date.parse(text);
}

interface Properties {
  order?: number;
  icon?: string;
  max?: number;
  punishments?: PunishmentScope;
}

function readProperties(input: Input): Properties {
  const order = wholeNumber(input, 'order', -1_000_000, 1_000_000);
  const icon = optional(input, 'icon');
  const max = wholeNumber(input, 'max', 0, 1_000_000_000);
  const punishments = oneOf(input, 'punishments', PUNISHMENT_SCOPES);
  return {
    ...(order !== undefined && { order }),
    ...(icon !== undefined && { icon }),
    ...(max !== undefined && { max }),
    ...(punishments !== undefined && { punishments }),
  };
}

function wire({ name, region, order, icon, max, punishments }: ServerNow): Record<string, unknown> {
  return { name, region, order, icon, max, punishments };
}

function wireKey({ id, test, created, expires }: ServerKey): Record<string, unknown> {
  return { id, test, created: timestampOf(created), expires: timestampOf(expires) };
}
