import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#platform/clock.ts';
import { type Config, readConfig } from '#platform/config/config.ts';
import { environment } from '#platform/config/environment.ts';
import { existingSecret } from '#platform/crypto/secret-key.ts';
import { UsageError } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { withoutPassword } from '#platform/config/postgres-url.ts';
import { sqliteFileOf } from '#platform/config/setting.ts';
import { recordRun } from '#store/installation/job-runs.ts';
import { refuseNewer, schemaVersion } from '#db/migrate.ts';
import { type Manifest, openBackup, writeBackup, restoreBackup } from '#db/transfer/backup-file.ts';
import { refuseWhileLoading } from '#db/transfer/loading.ts';
import { type Command, flag, type Input, JSON_OPTION } from '#cli/command/command.ts';
import { amount } from '#text/amount.ts';
import type { Progress } from '#db/transfer/copy.ts';
import { errorOutput } from '#platform/process/output.ts';

export const commands: Command[] = [
  {
    words: 'backup',
    summary: 'Write the whole database into one file while it is in use, or check such a file',
    operands: 'FILE',
    options: {
      check: flag('Restore FILE into a temporary folder and compare every table with its manifest'),
      'with-secret-key': flag('Include the secret key: keep such a file as safe as the key itself'),
      json: JSON_OPTION,
    },
    run: backup,
  },
];

async function backup(input: Input): Promise<void> {
  const file = singleFile(input);
  const withSecretKey = input.has('with-secret-key');
  if (input.has('check')) {
    if (withSecretKey) throw new UsageError('--with-secret-key is for writing a backup, not for --check.');
    return await check(input, file);
  }
  const config = readConfig(environment());
  await using db = await openExisting(config);
  const version = await schemaVersion(db);
  refuseNewer(version);
  const secretKey = withSecretKey ? existingSecret(config) : null;
  if (secretKey === undefined) throw new UsageError('There is no secret key yet: leave out --with-secret-key.');
  const options = { now: systemClock.now(), migration: version.applied, secretKey, progress: progressLines('copied') };
  const manifest = await writeBackup(db, file, options);
  // The backup is good even if its database takes no writes, like a standby, or is older than the table.
  await recordRun(db, 'backup', manifest.created).catch(() => undefined);
  input.print(summaryOf(file, manifest));
}

async function check(input: Input, file: string): Promise<void> {
  await using opened = await openBackup(file);
  const folder = await mkdtemp(join(tmpdir(), 'scorehall-check-'));
  try {
    await using db = await openDb(join(folder, 'check.db'), { foreignKeys: false });
    await restoreBackup(opened, db, progressLines('checked'));
    input.print({ ...summaryOf(file, opened.manifest), check: 'ok' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function singleFile({ positionals: [file, ...others] }: Input): string {
  if (file === undefined || file === '' || others.length > 0) throw new UsageError('Name a single file.');
  return file;
}

/**
 * Opens a database that has tables, without migrating it.
 * @throws UsageError if there is none, so that a wrong DATABASE_URL creates no file
 */
export async function openExisting({ DATABASE_URL: url, DATABASE_PREPARED }: Config): Promise<Db> {
  const file = sqliteFileOf(url);
  if (file !== undefined && !existsSync(file)) throw new UsageError(noDatabase(url));
  const db = await openDb(url, { prepared: DATABASE_PREPARED === 'on' });
  try {
    await refuseWhileLoading(db);
    const { applied } = await schemaVersion(db);
    if (applied === 0) throw new UsageError(noDatabase(url));
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

const noDatabase = (url: string): string =>
  `There is no database of Scorehall at ${withoutPassword(url)}. Set DATABASE_URL to the address of your network's database.`;

export function summaryOf(file: string, manifest: Manifest): Record<string, unknown> {
  const rows = Object.values(manifest.tables).reduce((sum, table) => sum + table.rows, 0);
  return {
    file,
    created: new Date(manifest.created).toISOString(),
    database: manifest.database,
    migration: manifest.migration,
    tables: Object.keys(manifest.tables).length,
    rows,
    secret_key: manifest.secretKey === null ? 'not included' : 'included',
    secret_key_fingerprint: manifest.secretKeyFingerprint,
  };
}

const PROGRESS_MS = 2_000;

/** Prints how far a long copy is, on stderr, every two seconds: short ones print nothing. */
export function progressLines(word: string): Progress {
  let printed = performance.now();
  return (table, rows) => {
    const now = performance.now();
    if (now - printed < PROGRESS_MS) return;
    printed = now;
    errorOutput().write(`${word} ${amount(rows, 'row')} of ${table}\n`);
  };
}
