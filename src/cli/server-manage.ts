import type { AppContext } from '#context/context.ts';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UsageError } from '#platform/errors.ts';
import { errorOutput } from '#platform/process/output.ts';
import { manageServer, unmanageServer } from '#admin/servers.ts';
import { managementProperties } from '#store/game/watches/management-url.ts';
import { listManaged, type Managed, managedServer } from '#store/game/watches/managed-servers.ts';
import { type Command, reading, timestampOf } from './command/command.ts';
import { command } from './command/operation-command.ts';

export const manageCommands: Command[] = [
  reading(
    'server manage list',
    'List the servers that are followed by the management protocol, with the state of their connections',
    listAll,
  ),
  command(unmanageServer, 'server manage remove', { result: (_, { name }) => ({ name, managed: false }) }),
  command(manageServer, 'server manage', {
    read: async (input) => {
      const caFile = input.optional('ca-file');
      return {
        url: input.required('url'),
        secret: await read('secret-file', input.required('secret-file')),
        ca: caFile === undefined ? undefined : await read('ca-file', caFile),
      };
    },
    result: async ({ db }, { key, name }) => {
      const managed = (await managedServer(db, key))!;
      errorOutput().write(propertiesHint(managed));
      return { name, ...wire(managed) };
    },
  }),
];

const propertiesHint = ({ url }: Managed): string =>
  `In server.properties of the game server, which writes the secret itself; then restart it:\n\n${managementProperties(url).join('\n')}\n\n`;

async function read(option: string, file: string): Promise<string> {
  if (file === '-') return await text(process.stdin);
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--${option} names a file that cannot be read (${error.code}).`);
  });
}

async function listAll({ db }: AppContext) {
  const rows = await listManaged(db);
  return rows.map(({ server, ...managed }) => ({ name: server, ...wire(managed) }));
}

function wire({ url, ca, state, contact }: Managed): Record<string, unknown> {
  return { url, own_ca: ca !== '', state, last_contact: timestampOf(contact) };
}
