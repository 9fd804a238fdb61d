import { existsSync } from 'node:fs';
import { UsageError } from '#platform/errors.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { type Log, openLog } from '#platform/log.ts';
import { type Mailer, mailServerOf, openMailer } from '#platform/mail.ts';
import { type Metrics, openMetrics } from '#platform/metrics.ts';
import { keyedHashUnder } from '#platform/crypto/secret-key.ts';
import type { Db } from '#db/db.ts';
import { openDb, sqliteFileOf } from '#db/open.ts';
import { HOW_TO_BEGIN, migrate } from '#db/migrate.ts';
import { recordMailOutcome } from '#store/mail-failures.ts';

/** The resources of one process, which every service and command gets. */
export interface AppContext extends AsyncDisposable {
  config: Config;
  log: Log;
  db: Db;
  clock: Clock;
  mail: Mailer;
  metrics: Metrics;
}

export interface AppContextOptions {
  /** Where the links of mails are printed if no mail server is configured; standard output by default. */
  terminal?: NodeJS.WritableStream;
  /** Whether an empty or missing database becomes a new network (default), or is an error. */
  create?: boolean;
}

/**
 * Opens the database and runs its migrations. The caller closes the context: `await using context = await openAppContext(config)`.
 */
export async function openAppContext(
  config: Config,
  clock: Clock = systemClock,
  { terminal = process.stdout, create = true }: AppContextOptions = {},
): Promise<AppContext> {
  const file = sqliteFileOf(config.DATABASE_URL);
  if (!create && file !== undefined && !existsSync(file))
    throw new UsageError(`There is no database ${file}. ${HOW_TO_BEGIN}`);
  const log = openLog(config.LOG_LEVEL);
  const db = await openDb(config.DATABASE_URL, { keyedHash: keyedHashUnder(config) });
  try {
    await migrate(db, { create });
  } catch (error) {
    await db.close();
    throw error;
  }
  const metrics = openMetrics();
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
