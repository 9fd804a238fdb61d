import { type Clock, systemClock } from '#base/clock.ts';
import type { Config } from '#base/config.ts';
import { type Log, openLog } from '#base/log.ts';
import { type Mailer, openMailer } from '#base/mail.ts';
import { keyedHashUnder } from '#base/secret-key.ts';
import { type Db, openDb } from '#db/db.ts';
import { migrate } from '#db/migrate.ts';

/** What one process owns. Doors take from it what they need and nothing else. */
export interface Hall extends AsyncDisposable {
  config: Config;
  log: Log;
  db: Db;
  clock: Clock;
  mail: Mailer;
}

/**
 * Opens the database, brought up to date; the caller closes the hall: `await using hall = await openHall(config)`.
 * @param terminal where the links of mails are shown that cannot be sent
 */
export async function openHall(
  config: Config,
  clock: Clock = systemClock,
  terminal: NodeJS.WritableStream = process.stdout,
): Promise<Hall> {
  const log = openLog(config.LOG_LEVEL);
  const db = await openDb(config.DATABASE_URL, keyedHashUnder(config));
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
