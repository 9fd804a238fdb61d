import { existsSync, realpathSync, statfsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { counter, gauge, type Metrics } from '#platform/process/metrics.ts';
import { dataFolder, type Config, type ServiceName } from '#platform/config/config.ts';
import { sqliteFileOf } from '#platform/config/setting.ts';
import type { AppContext } from '#context/context.ts';
import { lastRun } from '#store/installation/job-runs.ts';
import { countedMatches } from '#store/game/leaderboards/leaderboards.ts';
import { databaseSize } from '#store/installation/database.ts';
import { descriptorLimit } from './descriptor-reserve.ts';
import { connect } from 'node:tls';
import { isIP } from 'node:net';

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
  const currentSize = readEvery(SIZE_INTERVAL_MS, () => databaseSize(db).catch(() => undefined));
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

/** Reads a value again at the first call after an interval. */
function readEvery<T>(intervalMs: number, read: () => Promise<T>): () => Promise<T> {
  let last: { time: number; found: Promise<T> } | undefined;
  return () => {
    const time = performance.now();
    if (last === undefined || time - last.time >= intervalMs) last = { time, found: read() };
    return last.found;
  };
}

/** NaN if the folder does not exist: with SECRET_KEY set and PostgreSQL nothing creates it. */
function freeBytes(folder: string): number {
  if (!existsSync(folder)) return NaN;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

const started = Date.now() / 1000 - process.uptime();

/** The metrics of the process that all client libraries of Prometheus have, under their names. */
export function addProcessMetrics(metrics: Metrics): void {
  counter(metrics, {
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the process since its start, all threads together',
    collect: (cpu) => {
      const { user, system } = process.cpuUsage();
      cpu.reset();
      cpu.inc((user + system) / 1e6);
    },
  });
  const add = (name: `process_${string}`, help: string, read: () => number): void => {
    gauge(metrics, { name, help, collect: (one) => one.set(read()) });
  };
  add('process_resident_memory_bytes', 'Memory of the process, all threads together', () => process.memoryUsage.rss());
  add('process_start_time_seconds', 'Start of the process, in seconds since 1970', () => started);
  if (process.platform !== 'linux') return;
  add('process_virtual_memory_bytes', 'Virtual memory of the process', virtualBytes);
  add('process_open_fds', 'Open file descriptors', () => readdirSync('/proc/self/fd').length);
  add('process_max_fds', 'Maximum open file descriptors', descriptorLimit);
}

const virtualBytes = (): number =>
  Number(/^VmSize:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;

const SERVICES: readonly ServiceName[] = ['API', 'AUTH', 'SITE', 'INGEST'];
const CERTIFICATE_INTERVAL_MS = 3_600_000;
const TIMEOUT_MS = 2_000;

/** Adds the ends of the certificates that clients see at the public addresses. */
export function addCertificateMetrics(config: Config, metrics: Metrics): void {
  const ends = readEvery(CERTIFICATE_INTERVAL_MS, () => readEnds(config));
  gauge(metrics, {
    name: 'scorehall_certificate_end_timestamp_seconds',
    help: 'End of the certificate at the public address of a service, as a Unix timestamp',
    labelNames: ['service'],
    collect: async (certificate) => {
      for (const [service, end] of await ends()) certificate.set({ service: service.toLowerCase() }, end);
    },
  });
}

async function readEnds(config: Config): Promise<[ServiceName, number][]> {
  const secure = SERVICES.filter((service) => config[`${service}_URL`].startsWith('https:'));
  return await Promise.all(
    secure.map(async (service) => [service, await endOf(new URL(config[`${service}_URL`]))] as [ServiceName, number]),
  );
}

/** NaN if nothing answers: the address may be out of reach from this machine. */
function endOf({ hostname, port }: URL): Promise<number> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const { promise, resolve } = Promise.withResolvers<number>();
  // The certificate is only read, and one that has ended is reported as well.
  const options = { host, port: Number(port === '' ? 443 : port), rejectUnauthorized: false, timeout: TIMEOUT_MS };
  const socket = connect({ ...options, ...(isIP(host) === 0 && { servername: host }) }, () => {
    resolve(Date.parse(socket.getPeerCertificate().valid_to) / 1000);
    socket.destroy();
  });
  socket.once('timeout', () => socket.destroy());
  socket.on('error', () => resolve(NaN));
  socket.once('close', () => resolve(NaN));
  return promise;
}
