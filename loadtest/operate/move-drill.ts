import { constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_SEED, generateDatabase } from '#bench/generated.ts';
import { openDb } from '#db/open.ts';
import { list, sql } from '#db/sql.ts';
import { listDifferences, readDigests } from '#db/transfer/copy.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { type Databases, databases, dialectsOf } from '../support/databases.ts';
import { freeServicePorts, serveProcess } from '../support/served-process.ts';
import { keysOf, Load } from './move-load.ts';
import { reportMemory, reportSteps, runMove } from './move-run.ts';

const MATCHES = 1_000_000;
/** Fewer, because the source is generated for each run. */
const MATCHES_FROM_POSTGRES = 100_000;
/** Of an installation without its own key. */
const SECRET_KEY = 'the secret key of the installation that moves';
const DELIVERY_MS = 300_000;
/** The copy of the source, and PostgreSQL with its log, in multiples of the source. */
const SPACE_FACTOR = 3.5;

interface Drill {
  name: string;
  source: string;
  target: string;
  folder: string;
  secretKey: string;
}

/** Moves a network from SQLite to PostgreSQL, and another one from PostgreSQL to SQLite, while matches arrive. */
export async function testMove(report: Report, { matches, database }: LoadTestOptions): Promise<void> {
  for (const from of dialectsOf(database)) {
    await inFolder(async (folder) => {
      await using postgres = await databases('postgres');
      const started = performance.now();
      const drill =
        from === 'sqlite'
          ? await toPostgres(folder, postgres, matches ?? MATCHES)
          : await toSqlite(folder, postgres, matches ?? MATCHES_FROM_POSTGRES);
      report.note(`${drill.name}: source`, secondsSince(started));
      await moveInUse(report, drill);
    });
  }
}

/** From a copy of the database of `npm run bench`, which is generated once and stays under data/bench. */
async function toPostgres(folder: string, targets: Databases, matches: number): Promise<Drill> {
  const { url } = await generateDatabase({ matches, seed: DEFAULT_SEED }, () => undefined);
  const source = join(folder, 'data', 'scorehall.db');
  await mkdir(dirname(source));
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < statSync(url).size * SPACE_FACTOR) throw new Error(`Too little space in ${folder}.`);
  await copyFile(url, source, constants.COPYFILE_FICLONE);
  // The newest rows of a database that was in use may be in the WAL only.
  if (existsSync(`${url}-wal`)) await copyFile(`${url}-wal`, `${source}-wal`);
  const key = join(dirname(url), 'secret.key');
  // A database that was measured is bound to a secret key.
  const secretKey = existsSync(key) ? readFileSync(key, 'utf8').trim() : SECRET_KEY;
  return { name: 'move to PostgreSQL', source, target: await targets.create(), folder, secretKey };
}

async function toSqlite(folder: string, sources: Databases, matches: number): Promise<Drill> {
  const source = await sources.create();
  await generateDatabase({ matches, seed: DEFAULT_SEED, database: source }, () => undefined);
  return { name: 'move to SQLite', source, target: join(folder, 'moved.db'), folder, secretKey: SECRET_KEY };
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-move-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const secondsSince = (started: number): string => `${((performance.now() - started) / 1000).toFixed(1)} s`;

/** Moves a network in use; the first two attempts are killed. */
async function moveInUse(report: Report, { name, source, target, folder, secretKey }: Drill): Promise<void> {
  const keys = await (async () => {
    await using db = await openDb(source, { keyedHash: secretHash });
    return await keysOf(db);
  })();
  const ports = await freeServicePorts();
  const environment = { SECRET_KEY: secretKey, DATA_FOLDER: join(folder, 'data'), REVOCATION_LOG: 'off' };
  await mkdir(environment.DATA_FOLDER, { recursive: true });
  const service = await serveProcess(source, { ports, environment });
  await using load = await Load.start(ports.ingest, keys, join(folder, 'queues'));
  const ended = await moveAndBreakOff(report, name, { DATABASE_URL: source, ...environment }, target);
  await service.kill('SIGTERM');
  const refused = ended - (load.refused[0] ?? ended);
  report.note(`${name}: writes refused with 503 until the move ended`, `${(refused / 1000).toFixed(1)} s`);
  await compare(report, name, source, target);
  const moved = await serveProcess(target, { ports, environment });
  await load.finish();
  await countDelivered(report, `${name}: matches of senders, each once`, target, load.sent);
  await countDelivered(report, `${name}: matches acknowledged without a queue`, target, load.acknowledged);
  await moved.kill('SIGTERM');
}

/** The outputs of the command after which it is killed: while it copies a large table, and while it compares. */
const BREAK_OFF = [
  /^read \d{6,} rows of player_matches|^Creating the indexes/m,
  /^Comparing all tables\.\n(read .*\n){3}|^The source is closed/m,
];

/** @returns the end of the move, by `performance.now()` */
async function moveAndBreakOff(
  report: Report,
  name: string,
  settings: NodeJS.ProcessEnv,
  target: string,
): Promise<number> {
  for (const [number, when] of BREAK_OFF.entries()) {
    const run = await runMove(settings, target, when);
    const attempt = `${name}, attempt ${number + 1}`;
    reportSteps(report, attempt, run);
    reportMemory(report, attempt, run);
    report.add(`${attempt}: killed`, run.lines.at(-1)?.text ?? '', run.code === null);
  }
  const run = await runMove(settings, target);
  const attempt = `${name}, attempt 3`;
  reportSteps(report, attempt, run);
  reportMemory(report, attempt, run);
  const took = `${((run.ended - run.started) / 1000).toFixed(1)} s`;
  report.add(`${attempt}: finished`, run.code === 0 ? took : run.output.slice(-300), run.code === 0);
  return run.ended;
}

const quiet = (): void => undefined;

async function compare(report: Report, name: string, source: string, target: string): Promise<void> {
  const started = performance.now();
  await using from = await openDb(source);
  await using to = await openDb(target);
  const [found, expected] = await Promise.all([readDigests(to, quiet), readDigests(from, quiet)]);
  // The target has the entry of its arrival.
  const differences = listDifferences({ ...found, audit: expected['audit']! }, expected);
  const rows = Object.values(found).reduce((sum, table) => sum + table.rows, 0);
  report.note(`${name}: ${rows} rows read from both and compared again`, secondsSince(started));
  report.add(`${name}: tables with another checksum`, differences.join('; ') || 'none', differences.length === 0);
}

const BATCH_SIZE = 500;

async function countDelivered(report: Report, name: string, url: string, ids: readonly string[]): Promise<void> {
  await using db = await openDb(url);
  const count = async (): Promise<number> => {
    let found = 0;
    for (let start = 0; start < ids.length; start += BATCH_SIZE) {
      const some = list(ids.slice(start, start + BATCH_SIZE));
      found += Number((await db.tuple(sql`select count(*) from ledger where event_id in (${some})`))![0]);
    }
    return found;
  };
  const end = Date.now() + DELIVERY_MS;
  let found = await count();
  while (found < ids.length && Date.now() < end) {
    await pause(1_000);
    found = await count();
  }
  report.add(name, `${found} of ${ids.length}`, found === ids.length && ids.length > 0);
}
