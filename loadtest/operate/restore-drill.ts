import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_SEED, generateDatabase } from '#bench/generated.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { readDigests } from '#db/transfer/copy.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { databases, dialectsOf } from '../support/databases.ts';
import { freeAddresses, runWithin, serveInstallation } from './installation.ts';

const MATCHES = 100_000;
const SECRET_KEY = 'the secret key of the installation that is lost';
/** Root needs no user namespace, in which it could not enter the folder of PostgreSQL's user. */
const UNSHARE = ['unshare', process.getuid?.() === 0 ? '-n' : '-rn'];
/** A network namespace with a loopback interface alone. PostgreSQL is reached by a Unix socket. */
const WITHOUT_NETWORK = [...UNSHARE, 'sh', '-c', 'ip link set lo up 2>/dev/null; exec "$@"', 'sh'];

/** The restore itself adds an audit entry, and begins a new feed of changes. */
const CHANGED: ReadonlySet<string> = new Set(['audit', 'change_feed']);

/** After a loss of the machine: only the backup, the revocation log and the secret key are left. */
export async function testRestore(report: Report, { matches = MATCHES, database }: LoadTestOptions): Promise<void> {
  const canUnshare = spawnSync(UNSHARE[0]!, [UNSHARE[1]!, 'true']).status === 0;
  const within = canUnshare ? WITHOUT_NETWORK : [];
  report.note(
    'restore: network',
    canUnshare ? `none (${UNSHARE.join(' ')})` : 'this system allows no namespace without it',
  );
  for (const dialect of dialectsOf(database)) {
    const folder = await mkdtemp(join(tmpdir(), 'scorehall-restore-'));
    try {
      await using sources = await databases(dialect);
      const url = await sources.create();
      await generateDatabase({ matches, seed: DEFAULT_SEED, database: url }, () => undefined);
      const drill: Drill = { name: `restore, ${dialect}`, report, folder, within };
      const erased = await backUpAndErase(drill, url);
      await sources.remove(url);
      await restore(drill, await sources.create(), erased);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

interface Drill {
  name: string;
  report: Report;
  folder: string;
  within: readonly string[];
}

const backupFile = ({ folder }: Drill): string => join(folder, 'backup');
const logFile = ({ folder }: Drill): string => join(folder, 'revocations.log');

interface Erased {
  uuid: string;
  /** The checksums of the tables at the backup. */
  digests: Awaited<ReturnType<typeof readDigests>>;
}

async function backUpAndErase(drill: Drill, url: string): Promise<Erased> {
  const settings = { DATABASE_URL: url, SECRET_KEY, DATA_FOLDER: drill.folder, REVOCATION_LOG: logFile(drill) };
  await using db = await openDb(url, { keyedHash: secretHash });
  // The tables as in the backup, because some commands write audit entries.
  const { uuid } = (await db.get<{ uuid: string }>(sql`select uuid from players order by key limit 1`))!;
  const digests = await readDigests(db, () => undefined);
  run(drill, 'backup', [], settings, 'backup', backupFile(drill));
  run(drill, 'backup --check', [], settings, 'backup', '--check', backupFile(drill));
  run(drill, 'player erase after the backup', [], settings, 'player', 'erase', '--player', uuid, '--yes');
  return { uuid, digests };
}

async function restore(drill: Drill, url: string, { uuid, digests }: Erased): Promise<void> {
  const { report, name, within, folder } = drill;
  const settings = { DATABASE_URL: url, SECRET_KEY, DATA_FOLDER: join(folder, 'new'), REVOCATION_LOG: 'off' };
  run(drill, 'restore', within, settings, 'restore', backupFile(drill));
  {
    await using db = await openDb(url);
    const found = await readDigests(db, () => undefined);
    const differing = Object.keys(digests).filter(
      (table) => !CHANGED.has(table) && digests[table]!.checksum !== found[table]?.checksum,
    );
    report.add(`${name}: tables with another checksum`, differing.join(' ') || 'none', differing.length === 0);
  }
  run(drill, 'restore --since-log', within, settings, 'restore', '--since-log', logFile(drill));
  {
    await using db = await openDb(url);
    const back = await db.get(sql`select key from players where uuid = ${uuid}`);
    report.add(`${name}: the erased player`, back === undefined ? 'stays erased' : 'is back', back === undefined);
  }
  const serving = { ...(await freeAddresses()), ...settings, INTERNAL_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'warn' };
  await using service = await serveInstallation(serving, within);
  report.add(`${name}: the service starts on it`, `${Math.round(service.startMs)} ms`, true);
}

function run(
  { name, report }: Drill,
  step: string,
  within: readonly string[],
  settings: NodeJS.ProcessEnv,
  ...args: string[]
): void {
  const started = performance.now();
  const { status, errors } = runWithin(within, settings, ...args);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  report.add(`${name}: ${step}`, status === 0 ? `${seconds} s` : errors.slice(-300), status === 0);
}
