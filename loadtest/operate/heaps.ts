import { fork } from 'node:child_process';
import { runJobsOnce } from '#server/jobs.ts';
import { answerOf } from '#test/support/child-reply.ts';
import { freePorts } from '#test/support/ports.ts';
import { openBenchClient } from '#bench/client.ts';
import { clientsOf, createServers } from '#bench/evening/clients.ts';
import { LIMITS } from '#bench/evening/evening.ts';
import type { LoadOrder, LoadReport } from '#bench/evening/load-process.ts';
import { planEvening } from '#bench/evening/plan.ts';
import { DEFAULT_SEED, generateDatabase } from '#bench/generated.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { type Databases, databases, dialectsOf } from '../support/databases.ts';
import { cpuOf, serveProcess } from '../support/served-process.ts';
import type { ThreadHeap } from './heap-preload.ts';

const MATCHES = 10_000;
/** Of a busy evening: leaves more than half of two cores to other work. */
const RATE = 0.2;
const MEASUREMENTS = 6;
/** A plan is built in memory: that of an hour would be large. */
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
  const { url } = await generateDatabase(
    { matches: MATCHES, seed: DEFAULT_SEED, database: await opened.create() },
    () => undefined,
  );
  await using client = await openBenchClient(url);
  await runJobsOnce(client.context);
  const keys = await createServers(url);
  const [port] = await freePorts(1);
  const service = await serveProcess(url, {
    options: ['--expose-gc', '--import', new URL('./heap-preload.ts', import.meta.url).href],
    environment: { ...LIMITS, HEAPS_PORT: String(port) },
  });
  const load = fork(new URL('../../bench/evening/load-process.ts', import.meta.url), { execArgv: [] });
  try {
    const clients = await clientsOf(client, `http://127.0.0.1:${service.api}`, keys);
    const ports = { API: service.api, SITE: service.site, INGEST: service.ingest };
    const errors: string[] = [];
    const cpu = cpuOf(service);
    const seconds = (minutes * 60) / MEASUREMENTS;
    let first: Heaps | undefined;
    for (let number = 1; number <= MEASUREMENTS; number++) {
      for (let left = seconds; left > 0; left -= PORTION_S) {
        const plan = planEvening(clients, RATE, Math.min(left, PORTION_S), Date.now());
        load.send({ plan, ports } satisfies LoadOrder);
        for (const { errors: some } of Object.values((await answerOf<LoadReport>(load)).sent)) errors.push(...some);
      }
      const heaps = await heapsOf(port!);
      compare(
        report,
        `${opened.dialect}, after ${Number(((number * seconds) / 60).toFixed(1))} min`,
        heaps,
        (first ??= heaps),
        number === MEASUREMENTS,
      );
    }
    if (cpu !== undefined)
      report.note(
        `${opened.dialect}: cores of the service`,
        ((cpuOf(service)! - cpu) / 1e6 / (minutes * 60)).toFixed(2),
      );
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
