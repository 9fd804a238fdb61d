import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { idOf } from '#platform/ids.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { createServerKey, listServerKeys } from '#store/game/server-keys.ts';
import { serverByName } from '#store/game/servers.ts';
import { setManaged } from '#store/game/watches/managed-servers.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { setWatch } from '#store/game/watches/server-watches.ts';
import { configured, map, sendEvents, serverSender } from '#test/support/builders.ts';
import type { TestAppContext } from '#test/support/context.ts';
import type { Example, Twin } from './examples.ts';

interface ServerTwin extends Twin {
  id: string;
  key: number;
}

async function server(context: TestAppContext, name: string): Promise<ServerTwin> {
  await sendEvents(context, configured(name));
  const { key } = (await serverByName(context.db, name))!;
  return { name, id: idOf(key), key, words: { [name]: 'NAME', [idOf(key)]: 'ID', [String(key)]: 'KEY' } };
}

async function watchedServer(context: TestAppContext, name: string): Promise<ServerTwin> {
  const twin = await server(context, name);
  await setWatch(context.db, twin.key, { address: 'play.example.org', protocol: 'minecraft' });
  return twin;
}

const URL_OF = 'wss://play.example.org:25585';
const SECRET = 'aVerySecretManagementSecretOf40Letters00';

async function managedServer(context: TestAppContext, name: string): Promise<ServerTwin> {
  const twin = await server(context, name);
  const target = { url: URL_OF, secret: SECRET, ca: '' };
  await setManaged(context.db, openSecretKey(context.config), twin.key, target);
  return twin;
}

const at = ({ id }: ServerTwin, path = ''): string => `/operator/servers/${id}${path}`;

async function secretFile(folder: string): Promise<string> {
  await writeFile(join(folder, 'secret'), SECRET);
  return join(folder, 'secret');
}

const SETTINGS = { region: 'us', order: '7', icon: 'A', max: '40', punishments: 'own', hidden: 'Wharfinger,Ada' };
const options = (values: Record<string, string>): string[] =>
  Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
const settingsOf = ({ name }: Twin) => ({
  ...{ name, region: 'us', order: 7, icon: 'A', max: 40, punishments: 'own', hidden: ['Ada', 'Wharfinger'] },
});

const create: Example = {
  prepare: async (_, name) => ({ name, words: { [name]: 'NAME' } }),
  // The page asks for the name alone: `server.set` has the settings.
  page: ({ name }) => ['/operator/servers', { name }],
  command: ({ name }) => ['server', 'create', '--name', name],
  file: ({ name }) => ({ servers: [{ name, region: '' }] }),
};

const set: Example<ServerTwin> = {
  prepare: server,
  page: (twin) => [at(twin), SETTINGS],
  command: ({ name }) => ['server', 'set', '--name', name, ...options(SETTINGS)],
  file: (twin) => ({ servers: [settingsOf(twin)] }),
};

const createKey: Example<ServerTwin> = {
  prepare: server,
  page: (twin) => [at(twin, '/keys'), { act: 'test' }],
  command: ({ name }) => ['server', 'key', 'create', '--name', name, '--test'],
};

const rotateKey: Example<ServerTwin> = {
  prepare: async (context, name) => {
    const twin = await server(context, name);
    await createServerKey(context.db, context.clock.now(), twin.key);
    return twin;
  },
  page: (twin) => [at(twin, '/keys'), { act: 'rotate' }],
  command: ({ name }) => ['server', 'key', 'rotate', '--name', name],
};

const revokeKey: Example<ServerTwin & { credential: string }> = {
  prepare: async (context, name) => {
    const twin = await server(context, name);
    await createServerKey(context.db, context.clock.now(), twin.key);
    const { id } = (await listServerKeys(context.db, twin.key))[0]!;
    return { ...twin, credential: id, words: { ...twin.words, [id]: 'CREDENTIAL' } };
  },
  page: (twin) => [at(twin, '/keys'), { act: 'revoke', key: twin.credential }],
  command: ({ name, credential }) => ['server', 'key', 'revoke', '--name', name, '--key', credential, '--yes'],
};

const withdraw: Example<ServerTwin & { receipt: string }> = {
  prepare: async (context, name) => {
    const twin = await server(context, name);
    const [receipt] = (await sendEvents(context, { ...map(`Map of ${name}`), server: name })) as [string];
    return { ...twin, receipt, words: { ...twin.words, [receipt]: 'RECEIPT' } };
  },
  page: (twin) => [at(twin, '/withdraw'), { receipt: twin.receipt }],
  command: ({ name, receipt }) => ['server', 'withdraw', '--name', name, '--match', receipt, '--yes'],
};

const SINCE = '2026-01-31T12:00:00.000Z';

const withdrawKey: Example<ServerTwin & { credential: string }> = {
  prepare: async (context, name) => {
    const twin = await server(context, name);
    const sender = await serverSender(context, name);
    await ingestEvents(context.db, context.clock, sender, [map(`Map of ${name}`)]);
    const { id } = (await listServerKeys(context.db, sender.serverKey)).at(-1)!;
    return { ...twin, credential: id, words: { ...twin.words, [id]: 'CREDENTIAL' } };
  },
  page: (twin) => [at(twin, '/withdraw'), { key: twin.credential, since: SINCE }],
  command: ({ name, credential }) => [
    ...['server', 'withdraw', '--name', name, '--key', credential, '--since', SINCE, '--yes'],
  ],
};

const remove: Example<ServerTwin> = {
  prepare: server,
  page: (twin) => [at(twin, '/delete'), {}],
  command: ({ name }) => ['server', 'delete', '--name', name, '--yes'],
};

const WATCH = { address: 'Play.Example.org:19132', protocol: 'minecraftbedrock' };
const inFile = ({ name }: Twin, members: object) => ({ servers: [{ name, region: 'eu', ...members }] });

const watch: Example<ServerTwin> = {
  prepare: server,
  page: (twin) => [at(twin, '/watch'), WATCH],
  command: ({ name }) => ['server', 'watch', '--name', name, ...options(WATCH)],
  file: (twin) => inFile(twin, { watch: WATCH }),
};

const unwatch: Example<ServerTwin> = {
  prepare: watchedServer,
  page: (twin) => [at(twin, '/watch/remove'), {}],
  command: ({ name }) => ['server', 'watch', 'remove', '--name', name],
  file: (twin) => inFile(twin, { watch: null }),
};

const manage: Example<ServerTwin> = {
  prepare: server,
  page: (twin) => [at(twin, '/management'), { url: URL_OF, secret: SECRET, ca: '' }],
  command: async ({ name }, folder) => [
    ...['server', 'manage', '--name', name, '--url', URL_OF],
    ...['--secret-file', await secretFile(folder)],
  ],
  file: async (twin, folder) => inFile(twin, { manage: { url: URL_OF, secret_file: await secretFile(folder) } }),
};

const unmanage: Example<ServerTwin> = {
  prepare: managedServer,
  page: (twin) => [at(twin, '/management/remove'), {}],
  command: ({ name }) => ['server', 'manage', 'remove', '--name', name],
  file: (twin) => inFile(twin, { manage: null }),
};

export const SERVER_EXAMPLES = {
  'server.create': create,
  'server.set': set,
  'server.key.create': createKey,
  'server.key.rotate': rotateKey,
  'server.key.revoke': revokeKey,
  'server.withdraw': withdraw,
  'server.withdraw (key)': withdrawKey,
  'server.delete': remove,
  'server.watch.set': watch,
  'server.watch.remove': unwatch,
  'server.manage.set': manage,
  'server.manage.remove': unmanage,
};
