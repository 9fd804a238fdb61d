import { hash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, open, rename, rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { UsageError } from '#platform/errors.ts';
import { VERSION } from '#platform/version.ts';
import type { Db, Queryable, Snapshot, Transaction } from '../db.ts';
import { migrate, refuseNewer, REQUIRED, schemaVersion } from '../migrate.ts';
import { openDb } from '../open.ts';
import { openSqliteFile } from '../sqlite/sqlite.ts';
import { sql } from '../sql.ts';
import { installationValue, saveInstallation } from './closing.ts';
import { beginLoading, endLoading } from './loading.ts';
import { copyTables, type Digests, listDifferences, type Progress, readDigests } from './copy.ts';
import { hasTable } from './schema.ts';

/**
 * A backup is a SQLite file with the tables of the network, whichever database they come from, and its manifest in the
 * table `backup_manifest`. It keeps the table `loading_state`, so that no service starts on it by mistake.
 */
export interface Manifest {
  format: 1;
  /** The version of the program that wrote the file. */
  program: string;
  /** The last migration of the schema. */
  migration: number;
  /** Epoch milliseconds. */
  created: number;
  database: Db['dialect'];
  /** Identifies the secret key of the installation; null if no service has run yet. */
  secretKeyFingerprint: string | null;
  /** What the installation keeps about its secret key. */
  installation: Record<string, string>;
  /** Only on request. */
  secretKey: string | null;
  tables: Digests;
}

export interface BackupOptions {
  now: number;
  migration: number;
  secretKey: string | null;
  progress: Progress;
}

/**
 * Writes a backup of one state of a database in use. The file gets its name when it is complete and on disk, and only its
 * owner can read it.
 * @throws UsageError if the file exists or cannot be written
 */
export async function writeBackup(db: Db, file: string, options: BackupOptions): Promise<Manifest> {
  if (existsSync(file)) throw new UsageError(`${file} exists already; a backup replaces no file. Name a new one.`);
  const partial = `${file}.${process.pid}.part`;
  await writeFile(partial, '', { mode: 0o600, flag: 'wx' }).catch((error: Error) => {
    throw new UsageError(`${file} cannot be written: ${error.message}`);
  });
  try {
    const manifest = await fill(partial, db, options);
    finish(partial, manifest);
    await flush(partial);
    await rename(partial, file);
    return manifest;
  } finally {
    for (const end of ['', '-wal', '-shm', '-turn']) await rm(partial + end, { force: true });
  }
}

async function fill(partial: string, db: Db, options: BackupOptions): Promise<Manifest> {
  const { now, migration, secretKey, progress } = options;
  await using target = await openDb(partial, { foreignKeys: false });
  await beginLoading(target, 'a backup, which `scorehall restore` brings back', migration);
  await chmod(partial, 0o600);
  await using snapshot = await db.snapshot();
  const installation = await readInstallation(snapshot);
  const secretKeyFingerprint = installation['secret key'] ?? null;
  const tables = await copyTables(snapshot, target, progress);
  return {
    ...{ format: 1, program: VERSION, migration, created: now, database: db.dialect },
    ...{ secretKeyFingerprint, installation, secretKey, tables },
  };
}

/** What the installation keeps about its secret key, without the marks of a move, of a restore and of migrations. */
export async function readInstallation(db: Queryable): Promise<Record<string, string>> {
  const rows = await db.tuples(
    sql`select name, value from installation where name not in ('move', ${RESTORED}, ${REQUIRED}) order by name`,
  );
  return Object.fromEntries(rows) as Record<string, string>;
}

const RESTORED = 'restored';

/** Notes the time of the backup that a database was filled from, epoch milliseconds. */
const saveRestored = (db: Queryable, created: number): Promise<void> =>
  saveInstallation(db, { [RESTORED]: String(created) });

/** The time of the backup that a database was filled from; undefined if it was not filled from one. */
export async function restoredFrom(db: Queryable): Promise<number | undefined> {
  const created = await installationValue(db, RESTORED);
  return created === undefined ? undefined : Number(created);
}

/** Adds the manifest, and removes the log of SQLite: a backup is a single file that can be read from a read-only medium. */
function finish(partial: string, manifest: Manifest): void {
  const text = JSON.stringify(manifest);
  const handle = new DatabaseSync(partial);
  try {
    handle.exec('create table backup_manifest (text text not null, checksum text not null) strict');
    handle.prepare('insert into backup_manifest (text, checksum) values (?, ?)').run(text, hash('sha256', text));
    handle.exec('pragma journal_mode = delete');
  } finally {
    handle.close();
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.sync();
  await file.close();
}

export interface BackupFile extends AsyncDisposable {
  manifest: Manifest;
  /** Reads the tables. */
  snapshot: Snapshot;
}

/**
 * Opens a backup to read it.
 * @throws UsageError if it is no backup, or its manifest is damaged
 */
export async function openBackup(file: string): Promise<BackupFile> {
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`);
  const snapshot = await openSqliteFile(file).catch((error: Error) => {
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  });
  try {
    const manifest = await readManifest(file, snapshot);
    return { snapshot, manifest, [Symbol.asyncDispose]: () => snapshot[Symbol.asyncDispose]() };
  } catch (error) {
    await snapshot[Symbol.asyncDispose]();
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} is not a backup of Scorehall, or it is damaged: ${(error as Error).message}`);
  }
}

async function readManifest(file: string, snapshot: Queryable): Promise<Manifest> {
  if (!(await hasTable(snapshot, 'backup_manifest'))) {
    throw new UsageError(`${file} is a SQLite file without the manifest of a backup. \`scorehall backup\` writes one.`);
  }
  const row = await snapshot.get<{ text: string; checksum: string }>(sql`select text, checksum from backup_manifest`);
  if (row === undefined || hash('sha256', row.text) !== row.checksum) {
    throw new UsageError(`${file} is damaged: its manifest does not have its checksum.`);
  }
  return JSON.parse(row.text) as Manifest;
}

/**
 * Fills an empty database from a backup, compares every table with the manifest, and migrates it to this version of the
 * program. The database keeps its new id, and the feed of changes gets one, so that no cache of the lost database and no
 * place in its feed is valid for it.
 * @param last runs in the transaction that ends it
 * @throws UsageError if the target is not empty, the backup is damaged, or it needs a newer program
 */
export async function restoreBackup(
  { manifest, snapshot }: BackupFile,
  target: Db,
  progress: Progress,
  last?: (tx: Transaction) => Promise<void>,
): Promise<Digests> {
  await refuseNewerBackup(snapshot);
  const purpose = `the restore of the backup of ${new Date(manifest.created).toISOString()}`;
  await beginLoading(target, purpose, manifest.migration);
  await copyTables(snapshot, target, progress).catch(refuseDamaged);
  const found = await readDigests(target, progress);
  const differences = listDifferences(found, manifest.tables);
  if (differences.length > 0) {
    throw new UsageError(`The backup is damaged, so the target stays incomplete: ${differences.join('; ')}.`);
  }
  await saveInstallation(target, manifest.installation);
  await saveRestored(target, manifest.created);
  await endLoading(target, async (tx) => {
    await renewFeed(tx);
    await last?.(tx);
  });
  await migrate(target);
  return found;
}

/** The lost database may have recorded changes after the backup, under numbers that this one uses for others. */
async function renewFeed(tx: Queryable): Promise<void> {
  if (!(await hasTable(tx, 'change_feed'))) return;
  await tx.run(sql`update change_feed set id = ${randomBytes(6).toString('hex')}`);
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);

function refuseDamaged(error: Error & { errcode?: number }): never {
  if (!DAMAGED.has((error.errcode ?? 0) % 256)) throw error;
  throw new UsageError(`The backup is damaged, so the target stays incomplete: ${error.message}.`);
}

async function refuseNewerBackup(snapshot: Queryable): Promise<void> {
  try {
    refuseNewer(await schemaVersion(snapshot));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`The backup cannot be restored by this version. ${error.message}`);
  }
}
