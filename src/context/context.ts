import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type TimerClock } from '#platform/clock.ts';
import { type Config, dataFolder } from '#platform/config/config.ts';
import { UsageError } from '#platform/errors.ts';
import { type Log, openLog } from '#platform/process/log.ts';
import { type Mailer, mailServerOf, openMailer } from '#platform/mail/mail.ts';
import { type Metrics, openMetrics } from '#platform/process/metrics.ts';
import { keyedHashUnder, openSecretKey } from '#platform/crypto/secret-key.ts';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sqliteFileOf } from '#platform/config/setting.ts';
import { excludeOlderServices, HOW_TO_BEGIN, latestMigration, migrate, schemaVersion } from '#db/migrate.ts';
import { serviceSessionName } from '#db/postgres/service-sessions.ts';
import { recordMailOutcome } from '#store/mail/mail-failures.ts';
import { formerHashKeys, hasFormerHashKeys } from '#store/installation/installation.ts';
import { writeBackup } from '#db/transfer/backup-file.ts';
import { refuseMoved } from '#db/transfer/closing.ts';
import { refuseWhileLoading } from '#db/transfer/loading.ts';
import { reportOutages } from './outages.ts';
import { refuseOtherSecretKey } from './database-key.ts';

/** The resources of one process, which every service and command gets. */
export interface AppContext extends AsyncDisposable {
  config: Config;
  log: Log;
  db: Db;
  clock: TimerClock;
  mail: Mailer;
  metrics: Metrics;
}

export interface AppContextOptions {
  /** Prints the links of mails if no mail server is configured; standard output by default. */
  terminal?: NodeJS.WritableStream;
  /** Whether an empty or missing database becomes a new network (default), or is an error. */
  create?: boolean;
  /** Whether statements may take any time on PostgreSQL; by default they fail after `DATABASE_TIMEOUT`. */
  longStatements?: boolean;
  /** The process id of the service to which this process belongs; by default this one. */
  service?: number;
}

/**
 * Opens the database and runs its migrations. The caller closes the context: `await using context = await openAppContext(config)`.
 */
export async function openAppContext(
  config: Config,
  clock: TimerClock = systemClock,
  { terminal = process.stdout, create = true, longStatements = false, service = process.pid }: AppContextOptions = {},
): Promise<AppContext> {
  const file = sqliteFileOf(config.DATABASE_URL);
  if (!create && file !== undefined && !existsSync(file))
    throw new UsageError(`There is no database ${file}. ${HOW_TO_BEGIN}`);
  const log = openLog(config.LOG_LEVEL, config.LOG_FORMAT);
  const { keyedHash, setFormerKeys } = keyedHashUnder(config);
  const timeoutMs = longStatements ? undefined : config.DATABASE_TIMEOUT * 1000;
  const db = await openDb(config.DATABASE_URL, {
    keyedHash,
    timeoutMs,
    prepared: config.DATABASE_PREPARED === 'on',
    ...(!longStatements && { sessionName: serviceSessionName(service, latestMigration()) }),
  });
  try {
    await prepare(db, { config, clock, log, create });
    if (await hasFormerHashKeys(db)) setFormerKeys((await formerHashKeys(db, openSecretKey(config))) ?? []);
  } catch (error) {
    await db.close();
    throw error;
  }
  const metrics = openMetrics();
  reportOutages(db, metrics, log);
  const server = mailServerOf(config);
  const mail = openMailer({ config, log, clock, metrics }, terminal, (error) =>
    recordMailOutcome(db, clock.now(), server, error),
  );
  const close = async (): Promise<void> => {
    await mail[Symbol.asyncDispose]();
    await db.close();
  };
  return { config, log, db, clock, mail, metrics, [Symbol.asyncDispose]: close };
}

type Preparation = Pick<AppContext, 'config' | 'clock' | 'log'> & { create: boolean };

/** Migrates the database, after a backup if it has rows. Refuses a database that cannot be used at present. */
async function prepare(db: Db, { config, clock, log, create }: Preparation): Promise<void> {
  await refuseWhileLoading(db);
  await refuseMoved(db);
  // A version that is older than a running migration sees afterwards whether it may use the database.
  await db.untilMigrated();
  const { applied, missing } = await schemaVersion(db);
  if (applied > 0 && missing.length > 0) {
    // Before the backup, because systemd repeats a start that is refused.
    (await excludeOlderServices(db, missing))[Symbol.dispose]();
    if (config.MIGRATION_BACKUP === 'on') await backUp(db, applied, config, clock.now());
  }
  const began = (migration: string): void => log.info({ migration }, 'the database is migrated');
  if (missing.length > 0) await migrate(db, { create, began });
  await refuseOtherSecretKey(db, config);
}

async function backUp(db: Db, migration: number, config: Config, now: number): Promise<void> {
  const folder = join(dataFolder(config), 'backups');
  const name = `before-migration-${migration + 1}-${new Date(now).toISOString().replace(/[:.]/g, '')}-${process.pid}.backup`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await writeBackup(db, join(folder, name), { now, migration, secretKey: null, progress: () => undefined });
}
