import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ALL_SERVICES, type RunningServices, openServices } from './listeners.ts';
import type { Config, ServiceName } from '#platform/config.ts';
import type { Log } from '#platform/log.ts';
import type { AppContext } from '#context/context.ts';

/**
 * Doors in threads of their own. Writing to SQLite holds up the thread that does it, so the door through which most is
 * told has one, and a second one behind it that writes and keeps up (writer.ts): readers never wait for them, and what
 * comes next is read and checked while what came before is written.
 */
const OWN_THREAD: readonly ServiceName[] = ['INGEST'];
const AGAIN_MS = 1_000;

/** What a thread is told to open; see service-worker.ts. */
export interface ServiceWorkerOptions {
  config: Config;
  names: ServiceName[];
}

/** Opens every door, those that write most in threads of their own. */
export async function openServicesInThreads(
  context: AppContext,
  names: readonly ServiceName[] = ALL_SERVICES,
): Promise<RunningServices> {
  await using opened = new AsyncDisposableStack();
  const services = opened.use(
    await openServices(
      context,
      names.filter((service) => !OWN_THREAD.includes(service)),
    ),
  );
  const addresses = { ...services.addresses };
  for (const service of names.filter((service) => OWN_THREAD.includes(service))) {
    const thread = opened.use(await openThread(context, [service]));
    Object.assign(addresses, thread.addresses);
  }
  const all = opened.move();
  return { addresses, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Opens doors in a thread, which is started again should it ever break. */
async function openThread({ config, log }: AppContext, services: ServiceName[]): Promise<RunningServices> {
  let closing = false;
  let worker = startWorker({ config, names: services });
  const addresses = await addressesOf(worker);
  // What was bound to any free port stays where it was found.
  const fixed = { ...config, listen: { ...config.listen, ...listensOf(addresses) } };
  const keep = async (): Promise<void> => {
    for (;;) {
      await ended(worker, log);
      if (closing) return;
      await pause(AGAIN_MS);
      worker = startWorker({ config: fixed, names: services });
      await addressesOf(worker).catch(() => undefined);
    }
  };
  const cached = keep();
  const close = async (): Promise<void> => {
    closing = true;
    worker.postMessage('close', []);
    await cached;
  };
  return { addresses, [Symbol.asyncDispose]: close };
}

function startWorker(order: ServiceWorkerOptions): Worker {
  return new Worker(new URL('./service-worker.ts', import.meta.url), {
    workerData: order,
  });
}

async function addressesOf(worker: Worker): Promise<RunningServices['addresses']> {
  const [addresses] = (await Promise.race([
    once(worker, 'message'),
    once(worker, 'exit').then(() => Promise.reject(new Error('A door does not open.'))),
  ])) as [RunningServices['addresses']];
  return addresses;
}

async function ended(worker: Worker, log: Log): Promise<void> {
  worker.on('error', (error) => log.fatal({ err: error }, 'a thread broke; it is started again'));
  await new Promise<void>((resolve) => void worker.once('exit', () => resolve()));
}

function listensOf(addresses: RunningServices['addresses']): Partial<Config['listen']> {
  return Object.fromEntries(
    Object.entries(addresses).map(([service, address]) => {
      if (address.startsWith('/')) return [service, { path: address }];
      const { hostname, port } = new URL(address);
      return [service, { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }];
    }),
  );
}
