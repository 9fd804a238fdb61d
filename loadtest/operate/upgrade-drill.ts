import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DEFAULT_SEED, generateDatabase } from '#bench/generated.ts';
import { openDb } from '#db/open.ts';
import { latestMigration, migrate, REQUIRED, schemaVersion } from '#db/migrate.ts';
import { identifier, sql } from '#db/sql.ts';
import { writeBackup } from '#db/transfer/backup-file.ts';
import { systemClock } from '#platform/clock.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { databases } from '../support/databases.ts';
import { testFormerLayout } from './former-layout.ts';
import { freeAddresses, runWithin, serveInstallation } from './installation.ts';
import { testRollingUpgrade } from './rolling-upgrade.ts';

const MATCHES = 100_000;
/**
 * The oldest schema that this version migrates. Merged migrations never change, so the first of them builds the database of
 * that version, without the history of the repository.
 */
const OLD_MIGRATION = 1;

/**
 * Upgrades a database of the oldest schema by starting the service, restores its backup into PostgreSQL, replaces two
 * processes one by one, and upgrades an installation of the former layout.
 */
export async function testUpgrade(report: Report, { matches = MATCHES }: LoadTestOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-upgrade-'));
  try {
    const old = join(folder, 'data', 'scorehall.db');
    const rows = await createOld(folder, old, matches);
    const settings = await writeSettings(folder, old);
    await testOlderBackup(report, folder, old, rows);
    {
      await using service = await serveInstallation(settings);
      const seconds = (service.startMs / 1000).toFixed(1);
      report.add(`upgrade: ${matches} matches, start with ${latestMigration() - 1} migrations`, `${seconds} s`, true);
    }
    await addDifferences(report, 'upgrade', old, rows);
    const [backup] = await readdir(join(folder, 'data', 'backups'));
    const check = runWithin([], settings, 'backup', '--check', join(folder, 'data', 'backups', backup ?? ''));
    report.add(
      'upgrade: check of the backup that the start wrote',
      check.status === 0 ? 'ok' : check.errors,
      check.status === 0,
    );
    testNewer(report, old, settings);
    await testRollingUpgrade(report, folder);
    await testFormerLayout(report, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeSettings(folder: string, url: string): Promise<NodeJS.ProcessEnv> {
  return {
    ...(await freeAddresses()),
    DATABASE_URL: url,
    DATA_FOLDER: join(folder, 'data'),
    INTERNAL_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'warn',
  };
}

/** The rows of each table of the old database. */
type Rows = Readonly<Record<string, number>>;

/** Generates a network with the present schema and copies the columns that the old one has. */
async function createOld(folder: string, old: string, matches: number): Promise<Rows> {
  const present = join(folder, 'present.db');
  await generateDatabase({ matches, seed: DEFAULT_SEED, database: present }, () => undefined);
  {
    await using db = await openDb(old);
    await migrate(db, { upTo: OLD_MIGRATION });
  }
  const handle = new DatabaseSync(old, { enableForeignKeyConstraints: false });
  try {
    handle.prepare('attach ? as present').run(present);
    return copyColumns(handle);
  } finally {
    handle.close();
  }
}

/** Tables that the first migration fills, and those that belong to one database. */
const NOT_COPIED = ['migrations', 'data_versions', 'installation'];

function copyColumns(handle: DatabaseSync): Rows {
  const namesOf = (query: string, ...values: string[]): string[] =>
    handle
      .prepare(query)
      .all(...values)
      .map((row) => String(row['name']));
  const columnsOf = (schema: string, table: string): string[] =>
    namesOf(`select name from pragma_table_info(?, ?)`, table, schema);
  const rows: Record<string, number> = {};
  handle.exec('begin');
  for (const table of namesOf("select name from main.sqlite_schema where type = 'table' and name not like 'sqlite%'")) {
    if (NOT_COPIED.includes(table)) continue;
    const has = new Set(columnsOf('present', table));
    const expressions = columnsOf('main', table).map((name) => [
      name,
      has.has(name) ? name : MISSING[`${table}.${name}`],
    ]);
    const copied = expressions.filter(([, expression]) => expression !== undefined);
    if (has.size === 0 || copied.length === 0) continue;
    const columns = copied.map(([name]) => name).join(', ');
    const values = copied.map(([, expression]) => expression).join(', ');
    handle.exec(`delete from main.${table}`);
    handle.exec(
      `insert into main.${table} (${columns}) select ${values} from present.${table} ${CONDITIONS[table] ?? ''}`,
    );
    rows[table] = Number(handle.prepare(`select count(*) as count from main.${table}`).get()!['count']);
  }
  handle.exec('commit');
  return rows;
}

/** Columns that a later migration replaced. */
const MISSING: Readonly<Record<string, string>> = {
  'kills.victim_uuid': '(select uuid from present.players where key = victim_key)',
};
/** Without the rows that a later migration adds. */
const CONDITIONS: Readonly<Record<string, string>> = {
  kills: 'where killer_key is not null',
  map_results: "where map_key <> ''",
  sequence: "where name <> 'change'",
};

/** Tables whose rows the service itself adds or deletes while it runs. */
const CHANGING: ReadonlySet<string> = new Set([
  'audit',
  'sequence',
  'signing_keys',
  'projections',
  'boards',
  'map_results',
  'sitemap_files',
  'online_samples',
  'online_by_server',
  'applications',
  'first_party_clients',
  'application_secrets',
  'usage',
  'tokens',
]);

async function addDifferences(report: Report, name: string, url: string, rows: Rows): Promise<void> {
  await using db = await openDb(url);
  const { missing } = await schemaVersion(db);
  const differing: string[] = [];
  for (const [table, expected] of Object.entries(rows)) {
    if (CHANGING.has(table)) continue;
    const found = Number((await db.tuple(sql`select count(*) from ${identifier(table)}`))![0]);
    if (found !== expected) differing.push(`${table} ${found} of ${expected}`);
  }
  const isRight = missing.length === 0 && differing.length === 0;
  report.add(`${name}: tables with other rows than before`, differing.join(', ') || 'none', isRight);
}

async function testOlderBackup(report: Report, folder: string, old: string, rows: Rows): Promise<void> {
  const file = join(folder, 'old.backup');
  {
    await using db = await openDb(old);
    const options = { now: systemClock.now(), migration: OLD_MIGRATION, secretKey: null, progress: () => undefined };
    await writeBackup(db, file, options);
  }
  await using targets = await databases('postgres');
  const url = await targets.create();
  const started = performance.now();
  const { status, errors } = runWithin(
    [],
    { DATABASE_URL: url, DATA_FOLDER: folder, REVOCATION_LOG: 'off' },
    'restore',
    file,
  );
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  report.add(
    'upgrade: an old backup into PostgreSQL',
    status === 0 ? `${seconds} s` : errors.slice(-300),
    status === 0,
  );
  if (status === 0) await addDifferences(report, 'upgrade, PostgreSQL', url, rows);
}

function testNewer(report: Report, file: string, settings: NodeJS.ProcessEnv): void {
  const handle = new DatabaseSync(file);
  handle.exec("insert into migrations select max(number) + 1, 'of-the-next-version.sql' from migrations");
  handle.exec(`update installation set value = (select max(number) from migrations) where name = '${REQUIRED}'`);
  handle.close();
  const { status, errors } = runWithin([], settings, 'serve');
  const sentence = errors.trim();
  const isRight = status === 2 && !sentence.includes('\n') && /use the newer version/.test(sentence);
  report.add('upgrade: a newer database', sentence, isRight);
}
