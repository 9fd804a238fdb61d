import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiCases } from '#bench/api.ts';
import type { BenchRequest, Case } from '#bench/case.ts';
import { type BenchClient, openBenchClient } from '#bench/client.ts';
import { generateDatabase } from '#bench/generated.ts';
import { signInCases } from '#bench/sign-in.ts';
import { siteCases } from '#bench/site.ts';
import { readConfig, type ServiceName } from '#platform/config/config.ts';
import { sql } from '#db/sql.ts';
import { openAppContext } from '#context/context.ts';
import { openServices } from '#server/listeners.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { createPopulation, matchOf } from '../support/matches.ts';

const PROJECT = join(import.meta.dirname, '../../');
const SOURCE = /^(src|packages)\//;
const WARM_UP = 20;
/** A timer of the service may run during a request, but not during each of several. */
const MEASURED = 5;

interface MeasuredRequest {
  service: ServiceName;
  next: () => BenchRequest;
}

/**
 * Counts the source files of which a function runs while a warm service answers one request of a kind: the files that
 * somebody reads who follows it. All services run in one thread, so the worker channel of events is missing.
 */
export async function runLoadTest(_options: LoadTestOptions, report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'scorehall-files-'));
  try {
    const url = join(folder, 'network.db');
    await generateDatabase({ matches: 100, seed: 'files', database: url, players: 100 }, () => undefined);
    await measure(url, report);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measure(url: string, report: Report): Promise<void> {
  await using client = await openBenchClient(url);
  const services: readonly ServiceName[] = ['API', 'AUTH', 'INGEST', 'SITE'];
  const listens = Object.fromEntries(services.map((service) => [`${service}_LISTEN`, '127.0.0.1:0']));
  const config = readConfig({ ...listens, DATABASE_URL: url, LOG_LEVEL: 'silent' });
  await using context = await openAppContext(config);
  await using running = await openServices(context, services);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  for (const [name, { service, next }] of Object.entries(await requests(client))) {
    const files = await executedFiles(session, running.addresses[service]!, next);
    report.note(`files executed for one ${name}`, files.length);
    for (const file of files) console.log(`         ${file}`);
  }
  session.disconnect();
}

async function requests(client: BenchClient): Promise<Record<string, MeasuredRequest>> {
  const { db } = client.context;
  const [server] = (await db.tuple(sql`select key from servers limit 1`)) as [number];
  const authorization = `Bearer ${await createServerKey(db, Date.now(), server)}`;
  const people = createPopulation(100);
  const headers = { authorization, 'content-type': 'application/json' };
  const event = (): BenchRequest => ({
    ...{ method: 'POST', path: '/events', headers },
    body: JSON.stringify(matchOf(people, 20, Date.now())),
  });
  return {
    list: { service: 'API', next: requestMaker(await apiCases(client), 'list of 20, random') },
    token: { service: 'AUTH', next: requestMaker(await signInCases(client), 'client credentials') },
    event: { service: 'INGEST', next: event },
    page: { service: 'SITE', next: requestMaker(await siteCases(client), 'site: player') },
  };
}

function requestMaker(cases: readonly Case[], name: string): () => BenchRequest {
  const { nextRequest } = cases.find((one) => one.name === name)!;
  return () => nextRequest()!;
}

/** The files of which a function runs for every one of the measured requests. */
async function executedFiles(session: Session, origin: string, next: () => BenchRequest): Promise<string[]> {
  for (let count = 0; count < WARM_UP; count++) await send(origin, next());
  let files: Set<string> | undefined;
  for (let count = 0; count < MEASURED; count++) {
    await session.post('Profiler.takePreciseCoverage');
    await send(origin, next());
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const executed = new Set(result.filter(hasRun).map(({ url }) => pathOf(url)));
    files = files === undefined ? executed : files.intersection(executed);
  }
  return [...files!].sort();
}

async function send(origin: string, { path, ...init }: BenchRequest): Promise<void> {
  const response = await fetch(origin + path, init);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
}

interface Coverage {
  url: string;
  functions: readonly { functionName: string; ranges: readonly { count: number }[] }[];
}

function hasRun({ url, functions }: Coverage): boolean {
  if (!url.startsWith('file:') || !SOURCE.test(pathOf(url))) return false;
  return functions.some(({ ranges }) => ranges[0]!.count > 0);
}

const pathOf = (url: string): string => relative(PROJECT, fileURLToPath(url));
