import { type ChildProcess, fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { backup, DatabaseSync } from 'node:sqlite';
import { UsageError } from '#platform/errors.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { answerOf } from '#test/support/child-reply.ts';
import { cpuOf, type ServedProcess, serveProcess } from '../../loadtest/support/served-process.ts';
import { type BenchClient, openBenchClient } from '../client.ts';
import { pin } from '../measured-process.ts';
import { clientsOf, createServers } from './clients.ts';
import { type EveningFigures, meetsTargets, latencyOf, medianOf } from './figures.ts';
import type { LoadOrder, LoadReport } from './load-process.ts';
import { planEvening } from './plan.ts';

/** The cores that the service and the load share. */
const CORES = '0,1';
const COPY = 'data/bench/evening.db';
const PAGES_A_STEP = 100_000;
const WARM_UP_S = 10;
const MIN_RATE = 1 / 64;
const UNLIMITED = '999999999';
/** Lifts the limits, because one address and one application send all the load; each reader of the site has a separate address. */
export const LIMITS = {
  APP_LIMIT: UNLIMITED,
  USER_LIMIT: UNLIMITED,
  ADDRESS_LIMIT: UNLIMITED,
  INGEST_LIMIT: '0',
  INGEST_WEIGHT_LIMIT: '0',
  NEW_PLAYERS_LIMIT: '0',
  TOKEN_LIMIT: UNLIMITED,
  TRUSTED_PROXIES: '127.0.0.1',
};

export interface EveningOptions {
  /** The factor of the traffic of a busy evening to start with; halved until the targets are met. */
  rate: number;
  seconds: number;
  rounds: number;
  /** The lowest factor. */
  minRate?: number;
  /** Settings besides the limits. */
  environment?: NodeJS.ProcessEnv;
  /** What else happens at the service of each run, from before the load until after it. */
  beside?: (service: ServedProcess, client: BenchClient) => Promise<AsyncDisposable>;
  /** Called after each run. */
  progress: (run: EveningFigures, problems: readonly string[]) => void;
}

/**
 * Measures busy evenings on a copy of a SQLite file, at lower and lower rates until one meets the targets.
 * @returns the medians at each rate
 */
export async function measureEvenings(file: string, options: EveningOptions): Promise<EveningFigures[]> {
  if (!(options.rate >= MIN_RATE && options.seconds > 0))
    throw new UsageError(`--rate must be at least ${MIN_RATE}, and --seconds more than 0.`);
  await using copy = await copyOf(file);
  await using client = await openBenchClient(copy.url);
  await runJobsOnce(client.context);
  const keys = await createServers(copy.url);
  const found: EveningFigures[] = [];
  for (let rate = options.rate; rate >= (options.minRate ?? MIN_RATE); rate /= 2) {
    const runs: EveningFigures[] = [];
    for (let round = 0; round < options.rounds; round++)
      runs.push(await oneEvening(client, keys, { ...options, rate }));
    found.push(medianOf(runs));
    if (meetsTargets(found.at(-1)!)) break;
  }
  return found;
}

/** Copies the file, because the game servers write and other measurements need it unchanged. */
async function copyOf(file: string): Promise<AsyncDisposable & { url: string }> {
  const remove = async (): Promise<void> => {
    for (const end of ['', '-wal', '-shm', '-turn']) await rm(COPY + end, { force: true });
  };
  await remove();
  using source = new DatabaseSync(file);
  await backup(source, COPY, { rate: PAGES_A_STEP });
  return { url: COPY, [Symbol.asyncDispose]: remove };
}

/** One run with a new service process and a new load process. */
async function oneEvening(client: BenchClient, keys: string[], options: EveningOptions): Promise<EveningFigures> {
  const service = await serveProcess(COPY, { environment: { ...LIMITS, ...options.environment } });
  const load = fork(new URL('./load-process.ts', import.meta.url), { execArgv: [] });
  for (const { pid } of [service.child, load]) pin(pid!, CORES);
  try {
    await using others = new AsyncDisposableStack();
    if (options.beside !== undefined) others.use(await options.beside(service, client));
    return await measure(client, keys, service, load, options);
  } finally {
    load.disconnect();
    await service.kill('SIGTERM');
  }
}

async function measure(
  client: BenchClient,
  keys: string[],
  service: ServedProcess,
  load: ChildProcess,
  { rate, seconds, progress }: EveningOptions,
): Promise<EveningFigures> {
  const clients = await clientsOf(client, `http://127.0.0.1:${service.api}`, keys);
  const ports = { API: service.api, SITE: service.site, INGEST: service.ingest };
  const send = async (duration: number): Promise<LoadReport> => {
    const order: LoadOrder = { plan: planEvening(clients, rate, duration, Date.now()), ports };
    load.send(order);
    return await answerOf<LoadReport>(load);
  };
  await send(WARM_UP_S);
  const before = cpuOf(service) ?? NaN;
  const { sent, cpu } = await send(seconds);
  const problems = Object.values(sent).flatMap(({ errors }) => errors);
  const run = {
    rate,
    latency: latencyOf(sent),
    errors: problems.length,
    cores: { service: ((cpuOf(service) ?? NaN) - before) / 1e6 / seconds, load: cpu / seconds },
  };
  progress(run, problems);
  return run;
}
