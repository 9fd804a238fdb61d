import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_SEED, generateDatabase } from '#bench/generated.ts';
import { openDb } from '#db/open.ts';
import { list, sql } from '#db/sql.ts';
import { differencesOf, digestsOf } from '#db/transfer/copy.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openSender, type Sender } from '#sender/index.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import type { LoadTestOptions } from '../main.ts';
import type { Report } from '../report.ts';
import { databases } from '../support/databases.ts';
import { createPopulation, matchOf } from '../support/matches.ts';
import { freeServicePorts, type Ports, serveProcess } from '../support/served-process.ts';
import { startCommand } from './installation.ts';

const MATCHES = 1_000_000;
const SECRET_KEY = 'the secret key of the installation that moves';
/** Two matches of 20 players a second: some ten thousand players online. */
const EVERY_MS = 500;
const MAX_MEGABYTES = 300;
const DELIVERY_MS = 300_000;
const STEADY_FACTOR = 1.25;

/** Moves a network from SQLite to PostgreSQL while matches arrive; the first two attempts are killed. */
export async function testMove(report: Report, { matches = MATCHES }: LoadTestOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-move-'));
  try {
    await using targets = await databases('postgres');
    const [source, target] = [join(folder, 'data', 'scorehall.db'), await targets.create()];
    const key = await createSource(report, source, matches);
    const ports = await freeServicePorts();
    const environment = { SECRET_KEY, DATA_FOLDER: join(folder, 'data'), REVOCATION_LOG: 'off' };
    const service = await serveProcess(source, { ports, environment });
    await using load = await Load.start(ports, key, join(folder, 'queue'));
    await moveAndBreakOff(report, { DATABASE_URL: source, ...environment }, target);
    await service.kill('SIGTERM');
    await compare(report, source, target);
    const moved = await serveProcess(target, { ports, environment });
    await load.finish();
    await countDelivered(report, target, load.sent);
    await moved.kill('SIGTERM');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns the key of a game server */
async function createSource(report: Report, url: string, matches: number): Promise<string> {
  const started = performance.now();
  await generateDatabase({ matches, seed: DEFAULT_SEED, database: url }, () => undefined);
  report.note(`move: ${matches} matches generated`, secondsSince(started));
  await using db = await openDb(url, { keyedHash: secretHash });
  const server = (await db.get<{ key: number }>(sql`select key from servers order by key limit 1`))!;
  return await createServerKey(db, Date.now(), server.key);
}

const secondsSince = (started: number): string => `${((performance.now() - started) / 1000).toFixed(1)} s`;

/** Matches that arrive during the move, by the sender that plugins use. */
class Load implements AsyncDisposable {
  readonly #sender: Sender;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly sent: string[] = [];

  private constructor(sender: Sender) {
    this.#sender = sender;
    this.#running = this.#run();
  }

  static async start({ ingest }: Ports, key: string, folder: string): Promise<Load> {
    return new Load(await openSender({ url: `http://127.0.0.1:${ingest}`, key, folder }));
  }

  async #run(): Promise<void> {
    const people = createPopulation(1_000);
    while (!this.#stop.signal.aborted) {
      const match = matchOf(people, 20, Date.now());
      await this.#sender.send({ ...match, version: 1 });
      this.sent.push(match.id);
      await pause(EVERY_MS);
    }
  }

  /** No further matches; the queue may still hold some. */
  async finish(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.finish();
    await this.#sender.close();
  }
}

/** The outputs of the command after which it is killed: while it copies, and while it catches up or compares. */
const BREAK_OFF = [/^read \d+ rows|Copying all tables/m, /Caught up|Comparing|Creating the indexes/m];

async function moveAndBreakOff(report: Report, settings: NodeJS.ProcessEnv, target: string): Promise<void> {
  for (const [number, when] of BREAK_OFF.entries()) {
    const { output, code } = await runMove(settings, target, when);
    report.add(`move: attempt ${number + 1}, killed`, output.trim().split('\n').at(-1) ?? '', code === null);
  }
  const started = performance.now();
  const { output, code, megabytes } = await runMove(settings, target);
  report.add('move: attempt 3', code === 0 ? secondsSince(started) : output.slice(-300), code === 0);
  const half = Math.ceil(megabytes.length / 2);
  const [early, late] = [Math.max(0, ...megabytes.slice(0, half)), Math.max(0, ...megabytes.slice(half))];
  const isFlat = late <= Math.max(early * STEADY_FACTOR, 0) && Math.max(early, late) <= MAX_MEGABYTES;
  report.add('move: memory, first and second half', `${Math.round(early)} MB, ${Math.round(late)} MB`, isFlat);
}

interface MoveRun {
  code: number | null;
  output: string;
  /** Resident, every 200 ms. */
  megabytes: number[];
}

/** @param until the output after which the command is killed */
async function runMove(settings: NodeJS.ProcessEnv, target: string, until?: RegExp): Promise<MoveRun> {
  const child = startCommand(settings, 'move', '--to', target);
  const run: MoveRun = { code: null, output: '', megabytes: [] };
  child.stdout!.resume();
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    run.output += text;
    if (until?.test(run.output) === true) child.kill('SIGKILL');
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const sampler = setInterval(() => run.megabytes.push(...megabytesOf(child.pid!)), 200);
  [run.code] = await exited;
  clearInterval(sampler);
  return run;
}

function megabytesOf(pid: number): number[] {
  if (process.platform !== 'linux') return [];
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? [] : [Number(kilobytes) / 1024];
  } catch {
    return [];
  }
}

async function compare(report: Report, source: string, target: string): Promise<void> {
  await using from = await openDb(source);
  await using to = await openDb(target);
  const [found, expected] = [await digestsOf(to, () => undefined), await digestsOf(from, () => undefined)];
  // The target has the entry of its arrival.
  const differences = differencesOf({ ...found, audit: expected['audit']! }, expected);
  report.add('move: tables with another checksum', differences.join('; ') || 'none', differences.length === 0);
}

const BATCH_SIZE = 500;

async function countDelivered(report: Report, url: string, sent: readonly string[]): Promise<void> {
  await using db = await openDb(url);
  const count = async (): Promise<number> => {
    let found = 0;
    for (let start = 0; start < sent.length; start += BATCH_SIZE) {
      const ids = list(sent.slice(start, start + BATCH_SIZE));
      found += Number((await db.tuple(sql`select count(*) from ledger where event_id in (${ids})`))![0]);
    }
    return found;
  };
  const end = Date.now() + DELIVERY_MS;
  let found = await count();
  while (found < sent.length && Date.now() < end) {
    await pause(1_000);
    found = await count();
  }
  report.add('move: matches that arrived meanwhile, each once', `${found} of ${sent.length}`, found === sent.length);
}
