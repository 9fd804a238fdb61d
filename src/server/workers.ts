import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { systemClock } from '#platform/clock.ts';
import { ALL_SERVICES, type RunningServices, openServices } from './listeners.ts';
import type { Config, ServiceName } from '#platform/config/config.ts';
import { TemporaryError, UsageError } from '#platform/errors.ts';
import { sqliteFileOf } from '#platform/config/setting.ts';
import { lockService } from '#db/open.ts';
import type { AppContext } from '#context/context.ts';
import { openInternalListener } from './internal.ts';
import { StreamProcess } from './streams.ts';
import { ThreadMetrics, threadName, WRITER } from './thread-metrics.ts';

/**
 * Services with a separate thread. Writing to SQLite blocks the thread that does it, so the ingest has a thread, and a
 * second one behind it that writes and runs the jobs (writer.ts). Readers wait for neither, and the next events are
 * parsed and checked while the last ones are written. Rendering a page blocks its thread too, so the site and the console
 * have one: requests for pages never delay the data API and sign-in.
 */
const OWN_THREAD: readonly ServiceName[] = ['INGEST', 'SITE'];
const RESTART_DELAY_MS = 1_000;

/** The workerData of service-worker.ts. */
export interface ServiceWorkerOptions {
  config: Config;
  service: ServiceName;
}

export interface ServicesInThreads extends RunningServices {
  internal: string;
}

/** Starts every service, some of them in separate threads, and the internal listener. */
export async function openServicesInThreads(
  context: AppContext,
  names: readonly ServiceName[] = ALL_SERVICES,
): Promise<ServicesInThreads> {
  await using opened = new AsyncDisposableStack();
  opened.use(await lockDatabase(context.config));
  const separate = names.filter((service) => OWN_THREAD.includes(service));
  const threads = opened.use(
    new ThreadMetrics(context.metrics, [...separate.map(threadName), ...(separate.includes('INGEST') ? [WRITER] : [])]),
  );
  const streams = names.includes('API') ? opened.use(new StreamProcess(context)) : undefined;
  // All at the same time: loading the modules takes longer than the rest of a start.
  const opening = await Promise.allSettled([
    openServices(
      context,
      names.filter((service) => !OWN_THREAD.includes(service)),
      { streams },
    ),
    ...separate.map((service) => openThread(context, service)),
  ]);
  const addresses: RunningServices['addresses'] = {};
  for (const result of opening) {
    if (result.status === 'fulfilled') Object.assign(addresses, opened.use(result.value).addresses);
  }
  const failed = opening.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  await threads.allOpen;
  const internal = opened.use(await openInternalListener(context, threads));
  const all = opened.move();
  return { addresses, internal: internal.address, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** @throws TemporaryError if another process of the service has the SQLite file, which may be about to end */
async function lockDatabase({ DATABASE_URL, COUNTERS }: Config): Promise<Disposable> {
  const lock = await lockService(DATABASE_URL, COUNTERS === 'database');
  if (lock !== undefined) return lock;
  throw new TemporaryError(
    `Another process of the service uses the SQLite file ${sqliteFileOf(DATABASE_URL)}, and each would count the rate limits ` +
      'for itself. Stop it, or set COUNTERS=database for both.',
  );
}

/** Starts a service in a thread, and starts it again if it fails. */
async function openThread({ config, log }: AppContext, service: ServiceName): Promise<RunningServices> {
  const stop = new AbortController();
  let isOpen = false;
  const onError = (error: unknown): void => {
    // The error of the first start is thrown by `openServicesInThreads`.
    if (isOpen) log.fatal({ err: error }, 'a service thread failed and is started again');
  };
  let thread = startThread({ config, service }, onError);
  const addresses = await startedAddresses(thread.worker);
  isOpen = true;
  // A restarted thread listens on the port that the system chose for the first one.
  const fixed = { ...config, listen: { ...config.listen, ...fixedListens(addresses) } };
  const supervise = async (): Promise<void> => {
    for (;;) {
      await thread.ended;
      await systemClock.wait(RESTART_DELAY_MS, stop.signal);
      if (stop.signal.aborted) return;
      thread = startThread({ config: fixed, service }, onError);
    }
  };
  const supervised = supervise();
  const close = async (): Promise<void> => {
    stop.abort();
    thread.worker.postMessage('close', []);
    await supervised;
  };
  return { addresses, [Symbol.asyncDispose]: close };
}

/** The handlers are there from the beginning: a start that fails emits `error` and `exit` before any promise continues. */
function startThread(options: ServiceWorkerOptions, onError: (error: unknown) => void) {
  const worker = new Worker(new URL('./service-worker.ts', import.meta.url), { workerData: options });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  worker.on('error', onError);
  worker.once('exit', () => resolve());
  return { worker, ended };
}

/** @throws UsageError if the thread ended with one; errors lose their class on the way from a thread */
async function startedAddresses(worker: Worker): Promise<RunningServices['addresses']> {
  try {
    const [addresses] = (await Promise.race([
      once(worker, 'message'),
      once(worker, 'exit').then(() => Promise.reject(new Error('A service does not start.'))),
    ])) as [RunningServices['addresses']];
    return addresses;
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'TemporaryError') throw new TemporaryError(message);
    throw name === 'UsageError' ? new UsageError(message) : error;
  }
}

function fixedListens(addresses: RunningServices['addresses']): Partial<Config['listen']> {
  return Object.fromEntries(
    Object.entries(addresses).map(([service, address]) => {
      if (address.startsWith('/')) return [service, { path: address }];
      const { hostname, port } = new URL(address);
      return [service, { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }];
    }),
  );
}
