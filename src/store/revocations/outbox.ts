import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Config, dataFolder } from '#platform/config/config.ts';
import { TemporaryError } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';

/**
 * Moves deletions and revocations, which triggers record in the table `revocations`, to a file, the revocation log.
 * After a loss of the database a restored backup replays it (`replay.ts`). One line of JSON each:
 * `{"time":"2026-03-01T12:00:00.000Z","kind":"token","subject":HASH,"detail":"AccessToken","until":EPOCH_MS}`.
 */
interface PendingRevocation {
  key: number;
  kind: string;
  subject: string;
  detail: string;
  until: number | null;
}

const BATCH_SIZE = 500;

/**
 * Appends the oldest rows of the table to the file, flushes it, and then deletes them. A crash may repeat lines, which has no
 * effect on a replay. Expired credentials, which the purge deletes, are left out.
 * @param file undefined: the rows are only deleted
 * @throws TemporaryError if the file cannot be written; the rows stay
 * @returns whether there may be more rows
 */
export async function writeRevocations(db: Db, now: number, file: string | undefined): Promise<boolean> {
  const rows = await db.all<PendingRevocation>(sql`
    select key, kind, subject, detail, until from revocations order by key limit ${BATCH_SIZE}`);
  if (rows.length === 0) return false;
  const time = new Date(now).toISOString();
  const lines = rows
    .filter(({ until }) => until === null || until > now)
    .map(({ key: _, ...revocation }) => `${JSON.stringify({ time, ...revocation })}\n`);
  if (file !== undefined && lines.length > 0) appendTo(file, lines.join(''));
  await db.run(sql`delete from revocations where key in (${list(rows.map(({ key }) => key))})`);
  return rows.length === BATCH_SIZE;
}

/** The path of the revocation log; undefined if it is off. */
export function revocationLog(
  config: Pick<Config, 'DATA_FOLDER' | 'DATABASE_URL' | 'REVOCATION_LOG'>,
): string | undefined {
  if (config.REVOCATION_LOG === 'off') return undefined;
  return config.REVOCATION_LOG === '' ? join(dataFolder(config), 'revocations.log') : config.REVOCATION_LOG;
}

/**
 * The file is opened for each append, so that it can be moved away while the service runs.
 * @throws TemporaryError if the file cannot be written, for example because its disk is full
 */
function appendTo(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const descriptor = openSync(file, 'a+', 0o600);
    try {
      // On a full disk the write may be partial; the next attempt repeats it on a new line.
      writeFileSync(descriptor, endsInLine(descriptor) ? text : `\n${text}`, { flush: true });
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new TemporaryError(`The revocation log ${file} cannot be written (${(error as Error).message})`);
  }
}

function endsInLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last.toString() === '\n';
}
