import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Door } from '#platform/config.ts';
import { UsageError } from '#platform/errors.ts';
import { closeHttpServer, httpServer } from '#http/listener.ts';
import type { Listen } from '#platform/setting.ts';
import type { Hall } from '#context/context.ts';
import { hasItsSecretKey } from '#store/installation.ts';
import type { OpenDoor } from '#http/service.ts';

type Opener = (hall: Hall) => Promise<OpenDoor>;

/** Loaded when they are opened: a thread with one of them carries no other. */
const DOORS: Record<Door, Opener> = {
  API: async (hall) => (await import('#api/index.ts')).openApi(hall),
  AUTH: async (hall) => (await import('#auth/index.ts')).openSignIn(hall),
  SITE: async (hall) => {
    const [{ openSite }, { openConsole }] = await Promise.all([import('#site/index.ts'), import('#console/index.ts')]);
    return await beside(hall, { '/console': openConsole }, openSite);
  },
  INGEST: async (hall) => (await import('#ingest/index.ts')).openIngest(hall),
};

export const ALL_DOORS = Object.keys(DOORS) as readonly Door[];

/** Opens several doors on one listener: each has what lies below its path, the last one has the rest. */
async function beside(hall: Hall, below: Record<string, Opener>, rest: Opener): Promise<OpenDoor> {
  const others = await Promise.all(
    Object.entries(below).map(async ([path, open]) => ({ at: new RegExp(`^${path}([/?]|$)`), door: await open(hall) })),
  );
  const last = await rest(hall);
  return {
    listener: (request, response) => {
      const door = others.find(({ at }) => at.test(request.url ?? ''))?.door ?? last;
      door.listener(request, response);
    },
    close: async () => {
      for (const door of [...others.map(({ door }) => door), last]) await door.close?.();
    },
  };
}

const CLOSING_PATIENCE_MS = 5_000;

/** The doors of one process, open. */
export interface House extends AsyncDisposable {
  /** Where each door listens: an origin on this machine, or the path of a socket. */
  addresses: Partial<Record<Door, string>>;
}

const OTHER_SECRET =
  'SECRET_KEY, or the file secret.key, is not the one that this database has been used with: link codes of other ' +
  'processes are unknown here, and so are players whose accounts were deleted';

/** Opens the doors that there are, each on a listener of its own. Closing lets requests under way end. */
export async function openHouse(hall: Hall, doors: readonly Door[] = ALL_DOORS): Promise<House> {
  if (!(await hasItsSecretKey(hall.db))) hall.log.warn(OTHER_SECRET);
  const open: { server: Server; door: OpenDoor }[] = [];
  const addresses: Partial<Record<Door, string>> = {};
  const close = async (): Promise<void> => void (await Promise.all(open.map(closeDoor)));
  try {
    for (const name of doors) {
      const door = await DOORS[name](hall);
      const server = httpServer(door.listener, { readsBodies: door.readsBodies });
      open.push({ server, door });
      addresses[name] = await listen(server, name, hall.config.listen[name]);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { addresses, [Symbol.asyncDispose]: close };
}

/** @throws UsageError where the system does not let a door listen there */
async function listen(server: Server, name: Door, where: Listen): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(where, resolve);
  await promise.catch((error: NodeJS.ErrnoException) => {
    const shown = where.path ?? `${where.host}:${where.port}`;
    throw new UsageError(`${name}_LISTEN cannot be ${shown}: ${REASONS[error.code ?? ''] ?? error.message}.`);
  });
  server.off('error', reject);
  if (where.path !== undefined) return where.path;
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const REASONS: Record<string, string> = {
  EADDRINUSE: 'something listens there already',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen there',
  ENOENT: 'there is no such folder',
  ENOTFOUND: 'there is no such host',
};

async function closeDoor({ server, door }: { server: Server; door: OpenDoor }): Promise<void> {
  await closeHttpServer(server, CLOSING_PATIENCE_MS);
  await door.close?.();
}
