import { z } from 'zod';
import { checkAuthorities } from '#platform/crypto/certificate.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { UsageError } from '#platform/errors.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import type { Queryable } from '#db/db.ts';
import { createWithdrawal, receiptImpact, withdrawalImpact } from '#events/jobs/withdrawal.ts';
import { configured } from '#events/schema/servers.ts';
import { reportAsOperator } from '#events/ingest/operator-events.ts';
import {
  createServerKey,
  listServerKeys,
  revokeServerKeys,
  rotateServerKey,
  type ServerKey,
} from '#store/game/server-keys.ts';
import { PUNISHMENT_SCOPES, type Server, serverByKey, serverByName, type ServerNow } from '#store/game/servers.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import { GAME_ADDRESS_FORMS, gameAddressText, readGameAddress } from '#store/game/watches/game-address.ts';
import { removeManaged, setManaged } from '#store/game/watches/managed-servers.ts';
import { isManagementSecret, MANAGEMENT_URL_FORMS, readManagementUrl } from '#store/game/watches/management-url.ts';
import { removeWatch, setWatch, targetProblem, WATCH_PROTOCOLS } from '#store/game/watches/server-watches.ts';
import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { Keys, lockAccounts } from '#store/sequence.ts';
import { HIDDEN_OPTION, hiddenPlayers } from './network.ts';
import { oneOf, readable, time, wholeNumber, withoutFields } from './fields.ts';
import { type Asking, ofOperators, operation, refuse, rejection, type Target } from './operation.ts';

const HOUR_MS = 3_600_000;
const MAX_OVERLAP_HOURS = 24 * 90;

/** The server of a name, unless it is deleted. */
export async function activeServer(db: Queryable, name: string): Promise<ServerNow | undefined> {
  const stored = await serverByName(db, name);
  return stored && (await serverByKey(db, stored.key, 0));
}

/** The server of a name; with `deletedToo` also a deleted one. @throws UsageError if there is none */
async function requireServer(db: Queryable, name: string, deletedToo = false): Promise<ServerNow> {
  const server = (await activeServer(db, name)) ?? (deletedToo ? await serverByName(db, name) : undefined);
  if (server !== undefined) return server as ServerNow;
  throw new UsageError(`There is no server ${name}; see: scorehall server list`);
}

export const byServerName: Target<ServerNow> = {
  option: 'name',
  value: 'VALUE',
  help: 'The name of the server',
  find: requireServer,
};
const byStoredName = { ...byServerName, find: (db: Queryable, name: string) => requireServer(db, name, true) };

const subject = ({ key, name }: Server) => ({ subject: idOf(key), label: name });
const onServer = { ...ofOperators, ...withoutFields, target: byServerName, subject };

const settings = {
  region: configured.shape.region,
  order: wholeNumber(-1_000_000, 1_000_000).optional(),
  icon: configured.shape.icon.unwrap().optional(),
  max: wholeNumber(0, 1_000_000_000).optional(),
  punishments: oneOf(PUNISHMENT_SCOPES).optional(),
  hidden: hiddenPlayers.optional(),
};

const SETTINGS = {
  region: 'The region, as players read it',
  order: { value: 'N', help: 'The position in lists (default: 0)' },
  icon: { value: 'TEXT', help: 'The icon, in the notation of the network' },
  max: { value: 'N', help: 'The maximum number of players; 0 for a lobby' },
  punishments: {
    value: 'network|own',
    help: 'Which punishments the server may change: all of the network (the default), or those that it issued',
  },
  hidden: HIDDEN_OPTION,
};

const keyId = readable((text) => keyOf(text), 'the id of a key, as "server key list" prints it');

/** The settings for the audit log, which names no person. */
function withoutNames<Fields extends { hidden?: string[] | undefined }>({ hidden, ...fields }: Fields) {
  return { ...fields, ...(hidden === undefined ? {} : { hidden: hidden.length }) };
}

async function validKeys({ db, clock }: Asking, { key }: Server): Promise<ServerKey[]> {
  return (await listServerKeys(db, key)).filter(({ expires }) => expires === null || expires > clock.now());
}

/** With its first ingest key. A deleted server is restored. */
export const createServer = operation({
  ...ofOperators,
  name: 'server.create',
  summary: 'Register a game server, or all of a file, and print the ingest keys of new servers',
  subject: (_: undefined, { server }: { server: Server; secret: string }) => subject(server),
  fields: z.strictObject({ name: z.string(), ...settings, region: settings.region.default('') }),
  options: { name: 'The name of the server', ...SETTINGS },
  reauthenticate: 'always',
  changes: ['server', 'player'],
  run: async ({ tx, clock }, _: undefined, { name, hidden, ...data }) => {
    // First, because the event takes the first lock and the secret the second one; see `Keys`.
    await Keys.lock(tx);
    await lockAccounts(tx);
    if ((await activeServer(tx, name)) !== undefined) return refuse('exists');
    const event = { type: 'server.configured', server: name, data } as const;
    const rejected = rejection(await reportAsOperator(tx, clock, event));
    if (rejected !== undefined) return rejected;
    const server = (await serverByName(tx, name))!;
    if (hidden !== undefined) await setHidden(tx, clock.now(), server.key, hidden);
    return { server, secret: await createServerKey(tx, clock.now(), server.key) };
  },
  refused: {
    exists: (_, { name }) =>
      `There is already a server ${name}; for a further key see: scorehall server key create --help`,
  },
  detail: ({ name: _, ...data }) => withoutNames(data),
});

/** Changes what is given; the rest stays. */
export const changeServer = operation({
  ...onServer,
  name: 'server.set',
  summary:
    'Change the region, order, icon or player limit of a server, which punishments it may change, and whom it never shows',
  fields: z.strictObject(settings).partial(),
  options: SETTINGS,
  reauthenticate: ({ hidden }) => hidden !== undefined,
  changes: ['server', 'player'],
  run: async ({ tx, clock }, { key, name, region, order, icon, max }: ServerNow, { hidden, ...fields }) => {
    const data = { region, order, icon, max, ...fields };
    const rejected = rejection(await reportAsOperator(tx, clock, { type: 'server.configured', server: name, data }));
    if (rejected === undefined && hidden !== undefined) await setHidden(tx, clock.now(), key, hidden);
    return rejected;
  },
  detail: withoutNames,
});

export const createKey = operation({
  ...onServer,
  name: 'server.key.create',
  summary: 'Create a further ingest key for a server',
  fields: z.strictObject({ test: z.boolean().default(false) }),
  options: { test: 'A test key: its events are validated and get receipts, but are not stored' },
  reauthenticate: 'always',
  run: async ({ tx, clock }, { key }: Server, { test }) => ({
    secret: await createServerKey(tx, clock.now(), key, test),
  }),
  detail: (fields) => fields,
});

export const rotateKey = operation({
  ...onServer,
  name: 'server.key.rotate',
  summary: 'Create a new key for a server; its other keys stay valid for a while',
  fields: z.strictObject({ overlap: wholeNumber(0, MAX_OVERLAP_HOURS).default(24) }),
  options: {
    overlap: {
      value: 'HOURS',
      help: 'How long the other keys stay valid (default: 24); 0 revokes them immediately',
    },
  },
  reauthenticate: 'always',
  run: async ({ tx, clock }, { key }: Server, { overlap }) => ({
    secret: await rotateServerKey(tx, clock.now(), key, overlap * HOUR_MS),
    until: clock.now() + overlap * HOUR_MS,
  }),
  detail: (fields) => fields,
});

export const revokeKey = operation({
  ...onServer,
  name: 'server.key.revoke',
  summary: 'Revoke one key or all keys of a server immediately',
  fields: z.strictObject({ key: z.string().optional() }),
  options: { key: { value: 'ID', help: 'The id of one key (default: all keys)' } },
  loss: 'permanent',
  reauthenticate: 'always',
  impact: async (asking, server: Server, { key }) => {
    const valid = await validKeys(asking, server);
    const revoked = valid.filter(({ id }) => id === (key ?? id));
    return revoked.length === 0 && key !== undefined ? refuse('unknown_key') : { valid, revoked };
  },
  run: async ({ tx, clock }, server, { key }) => {
    const revoked = await revokeServerKeys(tx, clock.now(), server.key, key);
    return revoked === 0 && key !== undefined ? refuse('unknown_key') : { revoked };
  },
  refused: { unknown_key: ({ name }, { key }) => `${name} has no valid key ${key}; see: scorehall server key list` },
  detail: (fields) => fields,
});

/** Withdraws one event by its receipt, all that were received since a time, or all that a key sent (since then). */
export const withdrawEvents = operation({
  ...onServer,
  name: 'server.withdraw',
  summary: 'Retract events of a server, as if they had never been sent',
  target: byStoredName,
  fields: z
    .strictObject({ receipt: z.string().optional(), since: time.optional(), key: keyId.optional() })
    .refine(({ receipt, since, key }) => (receipt === undefined) !== (since === undefined && key === undefined)),
  options: {
    receipt: { name: 'match', value: 'ID', help: 'The id of one match, or the receipt of any event' },
    since: { value: 'TIME', help: 'All events accepted since then, for example 2026-01-31T12:00:00Z' },
    key: { value: 'ID', help: 'All events that this key sent; with --since those since then' },
  },
  loss: 'permanent',
  reauthenticate: 'always',
  changes: ['map', ...NAMED_KINDS],
  impact: async ({ db }, { key: server }: Server, { receipt, since = 0, key: credential }) => {
    const types =
      receipt === undefined
        ? await withdrawalImpact(db, { server, since, credential })
        : await receiptImpact(db, server, receipt);
    const total = types.values().reduce((sum, count) => sum + count, 0);
    if (total === 0 && receipt !== undefined) return refuse('unknown_receipt');
    return total === 0 && credential !== undefined ? refuse('nothing_by_key') : { types, total };
  },
  run: async ({ tx, clock }, { key: server, name }, { receipt, since = 0, key: credential }, { total }) => {
    const params = receipt === undefined ? { server, since, credential } : { server, keys: [keyOf(receipt) ?? 0] };
    return { job: await createWithdrawal(tx, clock, params, { label: name, total }), total };
  },
  refused: {
    unknown_receipt: ({ name }, { receipt }) =>
      `${name} has sent no event with the receipt ${receipt}, or the event is already withdrawn.`,
    nothing_by_key: ({ name }, { key }) => `There is no event of ${name} in force that the key ${idOf(key!)} sent.`,
  },
  detail: ({ receipt, since, key }, { job, total }) => ({
    ...(receipt !== undefined && { receipt }),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(key !== undefined && { key: idOf(key) }),
    events: total,
    job: idOf(job),
  }),
});

export const deleteServer = operation({
  ...onServer,
  name: 'server.delete',
  summary: 'Remove a server from all lists and revoke its keys; its matches stay',
  loss: 'permanent',
  reauthenticate: 'always',
  changes: ['server'],
  impact: async (asking, server: Server) => ({ keys: await validKeys(asking, server) }),
  run: async ({ tx, clock }, { name }) =>
    rejection(await reportAsOperator(tx, clock, { type: 'server.removed', server: name, data: {} })),
});

const gameAddress = readable((text) => {
  const address = readGameAddress(text);
  return address && gameAddressText(address);
}, GAME_ADDRESS_FORMS);

export const watchServer = operation({
  ...onServer,
  name: 'server.watch.set',
  summary: 'Poll a server by the protocol of its game: who is online, and which map it plays',
  fields: z
    .strictObject({ address: gameAddress, protocol: oneOf(WATCH_PROTOCOLS).default('minecraft') })
    .superRefine(({ address, protocol }, context) => {
      const message = targetProblem(readGameAddress(address)!, protocol);
      if (message !== undefined)
        context.addIssue({ code: 'custom', message, path: ['address'], params: { port: true } });
    }),
  options: {
    address: { value: 'HOST:PORT', help: 'Where players connect, or its query port' },
    protocol: `One of ${WATCH_PROTOCOLS.join(', ')} (default: minecraft)`,
  },
  reauthenticate: 'always',
  run: async ({ tx }, { key }: Server, target) => await setWatch(tx, key, target),
  detail: (fields) => fields,
});

export const unwatchServer = operation({
  ...onServer,
  name: 'server.watch.remove',
  summary: 'Stop watching a server',
  run: async ({ tx }, { key }: Server) => ((await removeWatch(tx, key)) ? undefined : refuse('not_watched')),
  refused: { not_watched: ({ name }) => `${name} is not watched; see: scorehall server watch list` },
});

export const manageServer = operation({
  ...onServer,
  name: 'server.manage.set',
  summary: 'Follow a server by the Minecraft Server Management Protocol: joins, leaves, bans and pardons',
  fields: z.strictObject({
    url: z.string().transform((text, context) => {
      const url = readManagementUrl(text);
      if (url === undefined) context.addIssue({ code: 'custom', message: `must be ${MANAGEMENT_URL_FORMS}` });
      return url ?? z.NEVER;
    }),
    secret: z.string().trim().refine(isManagementSecret, 'must have the secret alone, of 40 letters and digits'),
    /** Left out: the authorities of Node. */
    ca: z
      .string()
      .trim()
      .refine(checkAuthorities, 'must have certificates in PEM, -----BEGIN CERTIFICATE-----')
      .optional(),
  }),
  options: {
    url: { value: 'wss://HOST:PORT', help: 'Its management address' },
    secret: {
      name: 'secret-file',
      value: 'FILE|-',
      help: 'A file with management-server-secret of its server.properties, or - to read it from stdin',
    },
    ca: { name: 'ca-file', value: 'FILE', help: 'Certificates (PEM) that may sign its certificate' },
  },
  reauthenticate: 'always',
  run: async ({ tx, config }, { key }: Server, { ca = '', ...target }) =>
    await setManaged(tx, openSecretKey(config), key, { ...target, ca }),
  detail: ({ url }) => ({ url }),
});

export const unmanageServer = operation({
  ...onServer,
  name: 'server.manage.remove',
  summary: 'Stop following a server by the management protocol',
  run: async ({ tx }, { key }: Server) => ((await removeManaged(tx, key)) ? undefined : refuse('not_managed')),
  refused: { not_managed: ({ name }) => `${name} is not managed; see: scorehall server manage list` },
});
