import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Door } from '#base/config.ts';
import { httpServer } from '#base/http-server.ts';
import type { Listen } from '#base/setting.ts';
import type { Hall } from '#hall.ts';
import { openApi } from './api/index.ts';
import { openSignIn } from './signin/index.ts';
import { openSite } from './site/index.ts';
import { openIngest } from './ingest/index.ts';

/** What a door hands to its listener, and what it does when the house closes. */
export interface OpenDoor {
  listener: RequestListener;
  close?(): Promise<void>;
}

const DOORS: Partial<Record<Door, (hall: Hall) => Promise<OpenDoor>>> = {
  API: openApi,
  AUTH: openSignIn,
  SITE: openSite,
  INGEST: openIngest,
};

const CLOSING_PATIENCE_MS = 5_000;

/** The doors of one process, open. */
export interface House extends AsyncDisposable {
  /** Where each door listens: an origin on this machine, or the path of a socket. */
  addresses: Partial<Record<Door, string>>;
}

/** Opens the doors that there are, each on a listener of its own. Closing lets requests under way end. */
export async function openHouse(hall: Hall, doors = Object.keys(DOORS) as Door[]): Promise<House> {
  const open: { server: Server; door: OpenDoor }[] = [];
  const addresses: Partial<Record<Door, string>> = {};
  const close = async (): Promise<void> => void (await Promise.all(open.map(closeDoor)));
  try {
    for (const name of doors) {
      const door = await DOORS[name]!(hall);
      const server = httpServer(door.listener);
      open.push({ server, door });
      addresses[name] = await listen(server, hall.config.listen[name]);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { addresses, [Symbol.asyncDispose]: close };
}

async function listen(server: Server, where: Listen): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(where, resolve);
  await promise;
  server.off('error', reject);
  if (where.path !== undefined) return where.path;
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function closeDoor({ server, door }: { server: Server; door: OpenDoor }): Promise<void> {
  if (server.listening) {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    server.closeIdleConnections();
    const impatience = setTimeout(() => server.closeAllConnections(), CLOSING_PATIENCE_MS);
    await promise;
    clearTimeout(impatience);
  }
  await door.close?.();
}
