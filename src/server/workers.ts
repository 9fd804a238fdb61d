import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ALL_DOORS, type House, openHouse } from './listeners.ts';
import type { Config, Door } from '#platform/config.ts';
import type { Log } from '#platform/log.ts';
import type { Hall } from '#context/context.ts';

/**
 * Doors in threads of their own. Writing to SQLite holds up the thread that does it, so the door through which most is
 * told has one, and a second one behind it that writes and keeps up (writer.ts): readers never wait for them, and what
 * comes next is read and checked while what came before is written.
 */
const APART: readonly Door[] = ['INGEST'];
const AGAIN_MS = 1_000;

/** What a thread is told to open; see service-worker.ts. */
export interface ThreadOrder {
  config: Config;
  doors: Door[];
}

/** Opens every door, those that write most in threads of their own. */
export async function openHouseInThreads(hall: Hall, doors: readonly Door[] = ALL_DOORS): Promise<House> {
  await using opened = new AsyncDisposableStack();
  const house = opened.use(
    await openHouse(
      hall,
      doors.filter((door) => !APART.includes(door)),
    ),
  );
  const addresses = { ...house.addresses };
  for (const door of doors.filter((door) => APART.includes(door))) {
    const thread = opened.use(await openThread(hall, [door]));
    Object.assign(addresses, thread.addresses);
  }
  const all = opened.move();
  return { addresses, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Opens doors in a thread, which is started again should it ever break. */
async function openThread({ config, log }: Hall, doors: Door[]): Promise<House> {
  let closing = false;
  let worker = startWorker({ config, doors });
  const addresses = await addressesOf(worker);
  // What was bound to any free port stays where it was found.
  const fixed = { ...config, listen: { ...config.listen, ...listensOf(addresses) } };
  const keep = async (): Promise<void> => {
    for (;;) {
      await ended(worker, log);
      if (closing) return;
      await pause(AGAIN_MS);
      worker = startWorker({ config: fixed, doors });
      await addressesOf(worker).catch(() => undefined);
    }
  };
  const kept = keep();
  const close = async (): Promise<void> => {
    closing = true;
    worker.postMessage('close', []);
    await kept;
  };
  return { addresses, [Symbol.asyncDispose]: close };
}

function startWorker(order: ThreadOrder): Worker {
  return new Worker(new URL('./service-worker.ts', import.meta.url), {
    workerData: order,
  });
}

async function addressesOf(worker: Worker): Promise<House['addresses']> {
  const [addresses] = (await Promise.race([
    once(worker, 'message'),
    once(worker, 'exit').then(() => Promise.reject(new Error('A door does not open.'))),
  ])) as [House['addresses']];
  return addresses;
}

async function ended(worker: Worker, log: Log): Promise<void> {
  worker.on('error', (error) => log.fatal({ err: error }, 'a thread broke; it is started again'));
  await new Promise<void>((resolve) => void worker.once('exit', () => resolve()));
}

function listensOf(addresses: House['addresses']): Partial<Config['listen']> {
  return Object.fromEntries(
    Object.entries(addresses).map(([door, address]) => {
      if (address.startsWith('/')) return [door, { path: address }];
      const { hostname, port } = new URL(address);
      return [door, { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }];
    }),
  );
}
