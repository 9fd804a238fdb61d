import { randomBytes } from 'node:crypto';
import { UsageError } from '#platform/errors.ts';
import type { Db, Queryable, Transaction } from '../db.ts';
import { migrate, schemaVersion, refuseNewer } from '../migrate.ts';
import { type BackupFile, saveRestored } from './backup-file.ts';
import { saveInstallation } from './closing.ts';
import { copyTables, type Digests, listDifferences, readDigests, type Progress } from './copy.ts';
import { sql } from '../sql.ts';
import { beginLoading, endLoading } from './loading.ts';
import { hasTable } from './schema.ts';

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
