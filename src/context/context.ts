import { type Clock, systemClock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { type Log, openLog } from '#platform/log.ts';
import { type Mailer, openMailer } from '#platform/mail.ts';
import { keyedHashUnder } from '#platform/crypto/secret-key.ts';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';
import { GroupCommitQueue, type EventQueue } from '#events/group-commit.ts';

/** What one process owns. Doors take from it what they need and nothing else. */
export interface AppContext extends AsyncDisposable {
  config: Config;
  log: Log;
  db: Db;
  clock: Clock;
  mail: Mailer;
  /** Where events go that are heard of at a door. */
  eventQueue: EventQueue;
}

export interface AppContextOptions {
  /** Where the links of mails are shown that cannot be sent. */
  terminal?: NodeJS.WritableStream;
}

/** Opens the database, brought up to date; the caller closes the hall: `await using hall = await openAppContext(config)`. */
export async function openAppContext(
  config: Config,
  clock: Clock = systemClock,
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
  const eventQueue = new GroupCommitQueue({ db, clock, log });
  const close = async (): Promise<void> => {
    await eventQueue.close();
    await mail[Symbol.asyncDispose]();
    await db.close();
  };
  return { config, log, db, clock, mail, eventQueue, [Symbol.asyncDispose]: close };
}
