import { systemClock, type TimerClock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { type Log, openLog } from '#platform/log.ts';
import { type Mailer, openMailer } from '#platform/mail.ts';
import { keyedHashUnder } from '#platform/crypto/secret-key.ts';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';

/** The resources of one process, which every service and command gets. */
export interface AppContext extends AsyncDisposable {
  config: Config;
  log: Log;
  db: Db;
  clock: TimerClock;
  mail: Mailer;
}

export interface AppContextOptions {
  /** Where the links of mails are printed if no mail server is configured; standard output by default. */
  terminal?: NodeJS.WritableStream;
}

/**
 * Opens the database and runs its migrations. The caller closes the context: `await using context = await openAppContext(config)`.
 */
export async function openAppContext(
  config: Config,
  clock: TimerClock = systemClock,
  { terminal = process.stdout }: AppContextOptions = {},
): Promise<AppContext> {
  const log = openLog(config.LOG_LEVEL);
  const db = await openDb(config.DATABASE_URL, { keyedHash: keyedHashUnder(config) });
  try {
    await migrate(db);
  } catch (error) {
    await db.close();
    throw error;
  }
  const mail = openMailer(config, log, clock, terminal);
  const close = async (): Promise<void> => {
    await mail[Symbol.asyncDispose]();
    await db.close();
  };
  return { config, log, db, clock, mail, [Symbol.asyncDispose]: close };
}
