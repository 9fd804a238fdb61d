import { type ChildProcess, fork } from 'node:child_process';
import { sql } from '#db/sql.ts';
import { idOf } from '#platform/ids.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { answerOf } from '#test/support/child-reply.ts';
import { freePorts } from '#test/support/ports.ts';
import { type BenchClient, openBenchClient } from '#bench/client.ts';
import { clientsOf, createServers } from '#bench/evening/clients.ts';
import { LIMITS } from '#bench/evening/evening.ts';
import type { LoadOrder, LoadReport } from '#bench/evening/load-process.ts';
import { type Clients, planEvening } from '#bench/evening/plan.ts';
import type { Ports } from '#bench/evening/send.ts';
import { DEFAULT_SEED, generateDatabase } from '#bench/generated.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { type Databases, databases, dialectsOf } from '../support/databases.ts';
import { cpuOf, serveProcess } from '../support/served-process.ts';
import type { ThreadHeap } from './heap-preload.ts';

const MATCHES = 10_000;
/** More than the response cache of the data API holds. */
const CACHED = 3_000;
/** Of a busy evening: leaves more than half of two cores to other work. */
const RATE = 0.2;
const MEASUREMENTS = 6;
const PORTION_S = 60;
const REPLY_TIMEOUT_MS = 60_000;
const MAX_GROWTH = 0.1;
const MEGABYTE = 1e6;

/** Compares the heaps of all threads after a sixth of a busy evening with those at its end, each after a collection. */
export async function testHeaps(report: Report, { database, minutes }: LoadTestOptions): Promise<void> {
  for (const dialect of dialectsOf(database)) {
    await using opened = await databases(dialect);
    await testOn(report, opened, minutes);
  }
}

async function testOn(report: Report, opened: Databases, minutes: number): Promise<void> {
  const database = await opened.create();
  const { url } = await generateDatabase({ matches: MATCHES, seed: DEFAULT_SEED, database }, () => undefined);
  await using client = await openBenchClient(url);
  await runJobsOnce(client.context);
  const keys = await createServers(url);
  const [port] = (await freePorts(1)) as [number];
  const service = await serveProcess(url, {
    options: ['--expose-gc', '--import', new URL('./heap-preload.ts', import.meta.url).href],
    environment: { ...LIMITS, HEAPS_PORT: String(port) },
  });
  const load = fork(new URL('../../bench/evening/load-process.ts', import.meta.url), { execArgv: [] });
  try {
    const clients = await clientsOf(client, `http://127.0.0.1:${service.api}`, keys);
    const evening = new Evening(clients, load, { API: service.api, SITE: service.site, INGEST: service.ingest });
    await fillResponseCache(client, `http://127.0.0.1:${service.api}`);
    const before = cpuOf(service);
    let first: Heaps | undefined;
    for (let number = 1; number <= MEASUREMENTS; number++) {
      await evening.send((minutes * 60) / MEASUREMENTS);
      const heaps = await heapsOf(port);
      const name = `${opened.dialect}, after ${Number(((minutes * number) / MEASUREMENTS).toFixed(1))} min`;
      compare(report, name, heaps, (first ??= heaps), number === MEASUREMENTS);
    }
    const after = cpuOf(service);
    if (before !== undefined && after !== undefined)
      report.note(`${opened.dialect}: cores of the service`, ((after - before) / 1e6 / (minutes * 60)).toFixed(2));
    const { errors } = evening;
    report.add(
      `${opened.dialect}: failed requests`,
      [errors.length, ...errors.slice(0, 3)].join('; '),
      errors.length === 0,
    );
  } finally {
    load.disconnect();
    await service.kill('SIGTERM');
  }
}

/**
 * Requests more matches than the data API caches, each twice, as it caches the second response. A cache that fills slowly
 * would look like a leak.
 */
async function fillResponseCache({ token, context: { db } }: BenchClient, api: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  for (const [key] of await db.tuples(sql`select key from matches order by key desc limit ${CACHED}`)) {
    for (let count = 0; count < 2; count++) {
      const response = await fetch(`${api}/v1/matches/${idOf(Number(key))}`, { headers });
      if (!response.ok) throw new Error(await response.text());
      await response.arrayBuffer();
    }
  }
}

/** Sends an evening in portions, because a plan and its response times are in memory: those of an hour would be large. */
class Evening {
  readonly errors: string[] = [];
  readonly #clients: Clients;
  readonly #load: ChildProcess;
  readonly #ports: Ports;

  constructor(clients: Clients, load: ChildProcess, ports: Ports) {
    this.#clients = clients;
    this.#load = load;
    this.#ports = ports;
  }

  async send(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= PORTION_S) {
      const plan = planEvening(this.#clients, RATE, Math.min(left, PORTION_S), Date.now());
      this.#load.send({ plan, ports: this.#ports } satisfies LoadOrder);
      const { sent } = await answerOf<LoadReport>(this.#load);
      for (const { errors } of Object.values(sent)) this.errors.push(...errors);
    }
  }
}

type Heaps = ReadonlyMap<string, ThreadHeap>;

async function heapsOf(port: number): Promise<Heaps> {
  const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(REPLY_TIMEOUT_MS) });
  return new Map(((await response.json()) as ThreadHeap[]).map((heap) => [heap.thread, heap]));
}

/** Prints the heap of each thread; only the last ones have a target. */
function compare(report: Report, name: string, heaps: Heaps, first: Heaps, isLast: boolean): void {
  for (const [thread, { heap, external }] of heaps) {
    const before = first.get(thread)?.heap ?? NaN;
    const growth = heap / before - 1;
    const figure = `${mb(heap)} MB (${(growth * 100).toFixed(1)} %), outside the heap ${mb(external)} MB`;
    if (isLast) report.add(`${name}: ${thread}`, figure, growth <= MAX_GROWTH);
    else report.note(`${name}: ${thread}`, figure);
  }
}

const mb = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);
