import { existsSync, realpathSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { gauge } from '#platform/process/metrics.ts';
import { dataFolder } from '#platform/config/config.ts';
import { sqliteFileOf } from '#platform/config/setting.ts';
import type { AppContext } from '#context/context.ts';
import { lastRun } from '#store/installation/job-runs.ts';
import { countedMatches } from '#store/game/leaderboards/leaderboards.ts';
import { databaseSize } from '#store/installation/database.ts';

/** Looking at every table costs some milliseconds, and a scrape comes every few seconds. */
const SIZE_INTERVAL_MS = 60_000;

/** Adds the sizes of the database and of its disk, its newest backup and its connections. */
export function addDatabaseMetrics({ db, metrics, config }: AppContext): void {
  // The first one, because the queries of the others wait for a connection until the end of their turn.
  gauge(metrics, {
    name: 'scorehall_database_connections',
    help: 'Connections of the pool to PostgreSQL by state, and queries that wait for one',
    labelNames: ['state'],
    collect: (connections) => {
      for (const [state, count] of Object.entries(db.connections())) connections.set({ state }, count);
    },
  });
  let last: { measured: number; size: ReturnType<typeof measure> } | undefined;
  const measure = () => databaseSize(db).catch(() => undefined);
  const currentSize = (): ReturnType<typeof measure> => {
    const now = performance.now();
    if (last === undefined || now - last.measured >= SIZE_INTERVAL_MS) last = { measured: now, size: measure() };
    return last.size;
  };
  gauge(metrics, {
    name: 'scorehall_database_bytes',
    help: 'Size of the database, without the WAL of SQLite',
    collect: async (bytes) => bytes.set((await currentSize())?.bytes ?? NaN),
  });
  gauge(metrics, {
    name: 'scorehall_table_bytes',
    help: 'Size of a table with its indexes (PostgreSQL)',
    labelNames: ['table'],
    collect: async (tableBytes) => {
      for (const { table, bytes } of (await currentSize())?.tables ?? []) tableBytes.set({ table }, bytes);
    },
  });
  gauge(metrics, {
    name: 'scorehall_matches',
    help: 'Finished matches that the leaderboards count',
    collect: async (matches) => matches.set(await countedMatches(db).catch(() => NaN)),
  });
  gauge(metrics, {
    name: 'scorehall_last_backup_timestamp_seconds',
    help: 'State of the newest backup by scorehall backup, as a Unix timestamp; 0: none yet',
    collect: async (backup) => backup.set(((await lastRun(db, 'backup').catch(() => NaN)) ?? 0) / 1000),
  });
  const file = sqliteFileOf(config.DATABASE_URL);
  // The folder of the open file: its path may lead to another one later, or nowhere.
  const folder = file === undefined ? dataFolder(config) : dirname(realpathSync(file));
  gauge(metrics, {
    name: 'scorehall_disk_free_bytes',
    help: 'Free space on the disk of the SQLite file; with PostgreSQL on that of DATA_FOLDER',
    collect: (free) => free.set(freeBytes(folder)),
  });
  if (db.dialect === 'sqlite')
    gauge(metrics, {
      name: 'scorehall_database_wal_bytes',
      help: 'Size of the write-ahead log of SQLite',
      collect: (wal) => wal.set(db.logBytes()),
    });
}

/** NaN if the folder does not exist: with SECRET_KEY set and PostgreSQL nothing creates it. */
function freeBytes(folder: string): number {
  if (!existsSync(folder)) return NaN;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
