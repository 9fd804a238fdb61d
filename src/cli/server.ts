import { randomUUID } from 'node:crypto';
import { UsageError } from '#platform/errors.ts';
import { keyOf } from '#platform/ids.ts';
import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import type { WireEvent } from '#events/schema.ts';
import { ingestEvents } from '#events/ledger.ts';
import {
  createServerKey,
  listServerKeys,
  revokeServerKeys,
  rotateServerKey,
  type ServerKey,
} from '#store/game/server-keys.ts';
import { type ServerNow, listServers, serverByKey, serverByName } from '#store/game/servers.ts';
import { retractEvents, retractSince } from '#events/retract.ts';
import {
  type Command,
  type Input,
  JSON_OPTION,
  optional,
  print,
  printTable,
  required,
  withAppContext,
} from './command.ts';

const NAME: Command['options'] = { name: { type: 'string', help: 'The name of the server' }, json: JSON_OPTION };
const FACTS: Command['options'] = {
  region: { type: 'string', help: 'Where it stands, as people read it' },
  order: { type: 'string', value: 'N', help: 'Its place in lists; 0 when left out' },
  icon: { type: 'string', value: 'TEXT', help: 'Its icon, as the network writes it' },
  max: { type: 'string', value: 'N', help: 'How many players it holds; 0 for a lobby' },
};
const HOUR_MS = 3_600_000;
const MAX_OVERLAP_HOURS = 24 * 90;

export const commands: Command[] = [
  {
    words: 'server create',
    audit: { action: 'server.create', about: 'name' },
    summary: 'Make a game server known; prints the key by which it writes',
    options: { ...NAME, ...FACTS },
    run: create,
  },
  { words: 'server list', summary: 'Every game server', options: { json: JSON_OPTION }, run: listAll },
  {
    words: 'server set',
    audit: { action: 'server.set', about: 'name' },
    summary: 'Change what is fixed about a server',
    options: { ...NAME, ...FACTS },
    run: change,
  },
  {
    words: 'server key create',
    audit: { action: 'server.key.create', about: 'name' },
    summary: 'One more key of a server',
    options: {
      ...NAME,
      test: { type: 'boolean', help: 'A key whose events are checked and receipted, but not kept' },
    },
    run: createKey,
  },
  { words: 'server key list', summary: "A server's keys, without their secrets", options: NAME, run: listKeys },
  {
    words: 'server key rotate',
    audit: { action: 'server.key.rotate', about: 'name' },
    summary: 'A new key of a server; those in use open for a while yet',
    options: {
      ...NAME,
      overlap: { type: 'string', value: 'HOURS', help: 'For how long; 24 when left out, 0 for not at all' },
    },
    run: rotateKey,
  },
  {
    words: 'server key revoke',
    audit: { action: 'server.key.revoke', about: 'name' },
    summary: 'Shut a key, or all keys of a server, at once',
    options: { ...NAME, key: { type: 'string', value: 'ID', help: 'The id of one key; all of them when left out' } },
    run: revokeKey,
  },
  {
    words: 'server delete',
    audit: { action: 'server.delete', about: 'name' },
    summary: 'Take a server out of all lists and shut its keys; what was played there stays',
    options: NAME,
    run: remove,
  },
  {
    words: 'server withdraw',
    audit: { action: 'server.withdraw', about: 'name' },
    summary: 'Take back what a server has sent, as if it had never been',
    options: {
      ...NAME,
      match: { type: 'string', value: 'ID', help: 'One match, or any event by its receipt' },
      since: { type: 'string', value: 'MOMENT', help: 'Everything taken since, like 2026-01-31T12:00:00Z' },
    },
    run: withdraw,
  },
];

async function create(input: Input): Promise<void> {
  const name = required(input, 'name');
  const facts = { region: required(input, 'region'), ...factsOf(input) };
  await withAppContext(async ({ db, clock }) => {
    const known = await serverByName(db, name);
    if (known !== undefined && (await serverByKey(db, known.key, 0)) !== undefined) {
      throw new UsageError(`There is a server ${known.name}; for a key of it see: scorehall server key create --help`);
    }
    await sendEvents(db, clock, { type: 'server.configured', server: name, data: facts });
    const { key } = (await serverByName(db, name))!;
    const secret = await createServerKey(db, clock.now(), key);
    print(input, { ...wire((await serverByKey(db, key, 0))!), ingest_key: secret });
  });
}

async function listAll(input: Input): Promise<void> {
  await withAppContext(async ({ db }) => printTable(input, (await listServers(db, 0)).map(wire)));
}

async function change(input: Input): Promise<void> {
  await withAppContext(async ({ db, clock }) => {
    const { key, name, region, order, icon, max } = await demand(db, input);
    const given = optional(input, 'region');
    const data = { order, icon, max, ...factsOf(input), region: given ?? region };
    await sendEvents(db, clock, { type: 'server.configured', server: name, data });
    print(input, wire((await serverByKey(db, key, 0))!));
  });
}

async function createKey(input: Input): Promise<void> {
  const test = input.values['test'] === true;
  await withAppContext(async ({ db, clock }) => {
    const { key, name } = await demand(db, input);
    print(input, { name, test, ingest_key: await createServerKey(db, clock.now(), key, test) });
  });
}

async function listKeys(input: Input): Promise<void> {
  await withAppContext(async ({ db }) => {
    const { key } = await demand(db, input);
    printTable(input, (await listServerKeys(db, key)).map(wireKey));
  });
}

async function rotateKey(input: Input): Promise<void> {
  const overlap = wholeNumber(input, 'overlap', 0, MAX_OVERLAP_HOURS) ?? 24;
  await withAppContext(async ({ db, clock }) => {
    const { key, name } = await demand(db, input);
    const ingest_key = await rotateServerKey(db, clock.now(), key, overlap * HOUR_MS);
    print(input, { name, ingest_key, others_until: new Date(clock.now() + overlap * HOUR_MS).toISOString() });
  });
}

async function revokeKey(input: Input): Promise<void> {
  await withAppContext(async ({ db, clock }) => {
    const { key, name } = await demand(db, input);
    print(input, { name, revoked: await revokeServerKeys(db, clock.now(), key, optional(input, 'key')) });
  });
}

async function remove(input: Input): Promise<void> {
  await withAppContext(async ({ db, clock }) => {
    const { name } = await demand(db, input);
    await sendEvents(db, clock, { type: 'server.removed', server: name, data: {} });
    print(input, { name, deleted: true });
  });
}

async function withdraw(input: Input): Promise<void> {
  const [match, since] = [optional(input, 'match'), timestampOf(input)];
  if ((match === undefined) === (since === undefined)) throw new UsageError('Say either --match or --since.');
  await withAppContext(async ({ db, clock }) => {
    const { key, name } = await demand(db, input, true);
    const done =
      match === undefined
        ? await retractSince(db, clock, key, since!)
        : await retractEvents(db, clock, [keyOf(match) ?? 0], key);
    if (match !== undefined && done.events === 0) {
      throw new UsageError(`${name} has sent no event with the receipt ${match}, or it was withdrawn already.`);
    }
    print(input, { name, ...done });
  });
}

function timestampOf(input: Input): number | undefined {
  const text = optional(input, 'since');
  if (text === undefined) return undefined;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(Date.parse(text))) {
    throw new UsageError(`--since must be a moment like 2026-01-31T12:00:00Z (it is "${text}").`);
  }
  return Date.parse(text);
}

/** A server that is listed; with `gone` also one that was deleted. */
async function demand(db: Db, input: Input, gone = false): Promise<ServerNow> {
  const name = required(input, 'name');
  const known = await serverByName(db, name);
  const server = known && (await serverByKey(db, known.key, 0));
  if (server !== undefined) return server;
  if (known !== undefined && gone) return known as ServerNow;
  throw new UsageError(`There is no server ${name}; see: scorehall server list`);
}

type ServerEvent = {
  [T in WireEvent['type']]: Pick<Extract<WireEvent, { type: T }>, 'type' | 'server' | 'data'>;
}[WireEvent['type']];

async function sendEvents(db: Db, clock: Clock, event: ServerEvent): Promise<void> {
  const time = new Date(clock.now()).toISOString();
  const [receipt] = await ingestEvents(db, clock, { kind: 'operator' }, [
    { version: 1, id: `command ${randomUUID()}`, time, ...event },
  ]);
  if (receipt!.status === 'rejected') throw new UsageError(`${optionOf(receipt!.place)} ${receipt!.reason}.`);
}

const optionOf = (place: string): string => `--${place.replace(/^data\./, '').replace('server', 'name')}`;

function factsOf(input: Input): { order?: number; icon?: string; max?: number } {
  const order = wholeNumber(input, 'order', -1_000_000, 1_000_000);
  const icon = optional(input, 'icon');
  const max = wholeNumber(input, 'max', 0, 1_000_000_000);
  return {
    ...(order !== undefined && { order }),
    ...(icon !== undefined && { icon }),
    ...(max !== undefined && { max }),
  };
}

function wholeNumber(input: Input, name: string, least: number, most: number): number | undefined {
  const text = optional(input, name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^-?\d{1,12}$/.test(text) && number >= least && number <= most) return number;
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most} (it is "${text}").`);
}

function wire({ name, region, order, icon, max }: ServerNow): Record<string, unknown> {
  return { name, region, order, icon, max };
}

function wireKey({ id, test, created, expires }: ServerKey): Record<string, unknown> {
  const [from, until] = [created, expires].map((timestamp) =>
    timestamp === null ? null : new Date(timestamp).toISOString(),
  );
  return { id, test, created: from, expires: until };
}
