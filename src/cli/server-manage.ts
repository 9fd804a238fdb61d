import { readFile } from 'node:fs/promises';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { UsageError } from '#platform/errors.ts';
import {
  listManaged,
  type Managed,
  managedServer,
  removeManaged,
  setManaged,
} from '#store/game/watches/managed-servers.ts';
import {
  type Command,
  type Input,
  JSON_OPTION,
  optional,
  print,
  printTable,
  required,
  SERVER,
  withAppContext,
} from './command/command.ts';
import { readManagement } from './command/management.ts';
import { timestampOf } from './command/values.ts';
import { requireServer } from './server-name.ts';

export const manageCommands: Command[] = [
  {
    words: 'server manage list',
    summary: 'List the servers that are followed by the management protocol, with the state of their connections',
    options: { json: JSON_OPTION },
    run: listAll,
  },
  {
    words: 'server manage remove',
    audit: { action: 'server.manage.remove', about: 'name' },
    summary: 'Stop following a server by the management protocol',
    options: SERVER,
    run: remove,
  },
  {
    words: 'server manage',
    audit: { action: 'server.manage.set', about: 'name' },
    summary: 'Follow a server by the Minecraft Server Management Protocol: joins, leaves, bans and pardons',
    options: {
      ...SERVER,
      url: { type: 'string', value: 'wss://HOST:PORT', help: 'Its management address', required: true },
      'secret-file': {
        type: 'string',
        value: 'FILE|-',
        help: 'A file with management-server-secret of its server.properties, or - to read it from stdin',
        required: true,
      },
      'ca-file': { type: 'string', value: 'FILE', help: 'Certificates (PEM) that may sign its certificate' },
    },
    run: manage,
  },
];

async function manage(input: Input): Promise<void> {
  const caFile = optional(input, 'ca-file');
  const texts = {
    url: required(input, 'url'),
    secret: await read('secret-file', required(input, 'secret-file')),
    ca: caFile === undefined ? undefined : await read('ca-file', caFile),
  };
  const target = readManagement(texts, { url: '--url', secret: '--secret-file', ca: '--ca-file' });
  await withAppContext(input, async ({ db, config }) => {
    const { key, name } = await requireServer(db, input);
    await setManaged(db, openSecretKey(config), key, target);
    print(input, { name, ...wire((await managedServer(db, key))!) });
  });
}

async function read(option: string, file: string): Promise<string> {
  if (file === '-') return await standardInput();
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--${option} names a file that cannot be read (${error.code}).`);
  });
}

async function standardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function remove(input: Input): Promise<void> {
  await withAppContext(input, async ({ db }) => {
    const { key, name } = await requireServer(db, input);
    if (!(await removeManaged(db, key)))
      throw new UsageError(`${name} is not managed; see: scorehall server manage list`);
    print(input, { name, managed: false });
  });
}

async function listAll(input: Input): Promise<void> {
  await withAppContext(input, async ({ db }) => {
    const rows = await listManaged(db);
    printTable(
      input,
      rows.map(({ server, ...managed }) => ({ name: server, ...wire(managed) })),
    );
  });
}

function wire({ url, ca, state, contact }: Managed): Record<string, unknown> {
  return { url, own_ca: ca !== '', state, last_contact: timestampOf(contact) };
}
