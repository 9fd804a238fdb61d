import { z } from 'zod';
import { checkAuthorities } from '#platform/crypto/authorities.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { idOf, keyOf } from '#platform/ids.ts';
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
import { hiddenPlayers } from './network.ts';
import { oneOf, readable, time, wholeNumber, withoutFields } from './fields.ts';
import { type Asking, operation, refuse, rejection } from './operation.ts';

const HOUR_MS = 3_600_000;
const MAX_OVERLAP_HOURS = 24 * 90;

const subject = ({ key, name }: Server) => ({ subject: idOf(key), label: name });

const settings = {
  region: configured.shape.region,
  order: wholeNumber(-1_000_000, 1_000_000).optional(),
  icon: configured.shape.icon.unwrap().optional(),
  max: wholeNumber(0, 1_000_000_000).optional(),
  punishments: oneOf(PUNISHMENT_SCOPES).optional(),
  hidden: hiddenPlayers.optional(),
};

/** The id of a key of a server. */
const keyId = readable((text) => keyOf(text), 'the id of a key, as "server key list" prints it');

/** The settings for the audit log, which names no person. */
function withoutNames<Fields extends { hidden?: string[] | undefined }>({ hidden, ...fields }: Fields) {
  return { ...fields, ...(hidden === undefined ? {} : { hidden: hidden.length }) };
}

async function validKeys({ db, clock }: Asking, { key }: Server): Promise<ServerKey[]> {
  return (await listServerKeys(db, key)).filter(({ expires }) => expires === null || expires > clock.now());
}

/** Registers a server with its first ingest key, or restores a deleted one. */
export const createServer = operation({
  name: 'server.create',
  subject: (_: undefined, { server }: { server: Server; secret: string }) => subject(server),
  fields: z.strictObject({ name: z.string(), ...settings }),
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: ['server', 'player'],
  impact: undefined,
  run: async ({ tx, clock }, _: undefined, { name, hidden, ...data }) => {
    // First, because the event takes the first lock and the secret the second one; see `Keys`.
    await Keys.lock(tx);
    await lockAccounts(tx);
    const existing = await serverByName(tx, name);
    if (existing !== undefined && (await serverByKey(tx, existing.key, 0)) !== undefined) return refuse('exists');
    const event = { type: 'server.configured', server: name, data } as const;
    const rejected = rejection(await reportAsOperator(tx, clock, event));
    if (rejected !== undefined) return rejected;
    const server = (await serverByName(tx, name))!;
    if (hidden !== undefined) await setHidden(tx, clock.now(), server.key, hidden);
    return { server, secret: await createServerKey(tx, clock.now(), server.key) };
  },
  detail: ({ name: _, ...data }) => withoutNames(data),
});

/** Changes what is given; the rest stays. */
export const changeServer = operation({
  name: 'server.set',
  subject,
  fields: z.strictObject(settings).partial(),
  who: 'operator',
  loss: 'none',
  reauthenticate: ({ hidden }) => hidden !== undefined,
  changes: ['server', 'player'],
  impact: undefined,
  run: async ({ tx, clock }, { key, name, region, order, icon, max }: ServerNow, { hidden, ...fields }) => {
    const data = { region, order, icon, max, ...fields };
    const rejected = rejection(await reportAsOperator(tx, clock, { type: 'server.configured', server: name, data }));
    if (rejected === undefined && hidden !== undefined) await setHidden(tx, clock.now(), key, hidden);
    return rejected;
  },
  detail: withoutNames,
});

export const createKey = operation({
  name: 'server.key.create',
  subject,
  fields: z.strictObject({ test: z.boolean().default(false) }),
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async ({ tx, clock }, { key }: Server, { test }) => ({
    secret: await createServerKey(tx, clock.now(), key, test),
  }),
  detail: (fields) => fields,
});

/** Creates a key; the others stay valid for some hours. */
export const rotateKey = operation({
  name: 'server.key.rotate',
  subject,
  fields: z.strictObject({ overlap: wholeNumber(0, MAX_OVERLAP_HOURS).default(24) }),
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async ({ tx, clock }, { key }: Server, { overlap }) => ({
    secret: await rotateServerKey(tx, clock.now(), key, overlap * HOUR_MS),
    until: clock.now() + overlap * HOUR_MS,
  }),
  detail: (fields) => fields,
});

/** Revokes one key, or all. */
export const revokeKey = operation({
  name: 'server.key.revoke',
  subject,
  fields: z.strictObject({ key: z.string().optional() }),
  who: 'operator',
  loss: 'permanent',
  reauthenticate: 'always',
  changes: [],
  impact: async (asking, server: Server, { key }) => {
    const valid = await validKeys(asking, server);
    const revoked = valid.filter(({ id }) => id === (key ?? id));
    return revoked.length === 0 && key !== undefined ? refuse('unknown_key') : { valid, revoked };
  },
  run: async ({ tx, clock }, server, { key }) => {
    const revoked = await revokeServerKeys(tx, clock.now(), server.key, key);
    return revoked === 0 && key !== undefined ? refuse('unknown_key') : { revoked };
  },
  detail: (fields) => fields,
});

/** Withdraws one event by its receipt, all that were received since a time, or all that a key sent (since then). */
export const withdrawEvents = operation({
  name: 'server.withdraw',
  subject,
  fields: z
    .strictObject({ receipt: z.string().optional(), since: time.optional(), key: keyId.optional() })
    .refine(({ receipt, since, key }) => (receipt === undefined) !== (since === undefined && key === undefined)),
  who: 'operator',
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
  detail: ({ receipt, since, key }, { job, total }) => ({
    ...(receipt !== undefined && { receipt }),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(key !== undefined && { key: idOf(key) }),
    events: total,
    job: idOf(job),
  }),
});

/** Removes a server from all lists and revokes its keys; its matches stay. */
export const deleteServer = operation({
  name: 'server.delete',
  subject,
  ...withoutFields,
  who: 'operator',
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

/** Polls a server by the protocol of its game. */
export const watchServer = operation({
  name: 'server.watch.set',
  subject,
  fields: z
    .strictObject({ address: gameAddress, protocol: oneOf(WATCH_PROTOCOLS).default('minecraft') })
    .superRefine(({ address, protocol }, context) => {
      const message = targetProblem(readGameAddress(address)!, protocol);
      if (message !== undefined)
        context.addIssue({ code: 'custom', message, path: ['address'], params: { port: true } });
    }),
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async ({ tx }, { key }: Server, target) => await setWatch(tx, key, target),
  detail: (fields) => fields,
});

export const unwatchServer = operation({
  name: 'server.watch.remove',
  subject,
  ...withoutFields,
  who: 'operator',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async ({ tx }, { key }: Server) => ((await removeWatch(tx, key)) ? undefined : refuse('not_watched')),
});

/** Follows a server by the Minecraft Server Management Protocol. */
export const manageServer = operation({
  name: 'server.manage.set',
  subject,
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
  who: 'operator',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async ({ tx, config }, { key }: Server, { ca = '', ...target }) =>
    await setManaged(tx, openSecretKey(config), key, { ...target, ca }),
  detail: ({ url }) => ({ url }),
});

export const unmanageServer = operation({
  name: 'server.manage.remove',
  subject,
  ...withoutFields,
  who: 'operator',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async ({ tx }, { key }: Server) => ((await removeManaged(tx, key)) ? undefined : refuse('not_managed')),
});
