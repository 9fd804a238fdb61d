import { TemporaryError, Unavailable, UsageError } from '#platform/errors.ts';
import type { Queryable } from '../db.ts';
import { sql } from '../sql.ts';
import type { SendQuery } from './query-callback.ts';
import { setTimeout as pause } from 'node:timers/promises';

/** read_only_sql_transaction */
export const READ_ONLY = '25006';

/** The oldest version that this program was tried with. */
const MIN_VERSION = 15;

/** Servers that speak the protocol of PostgreSQL, by a part of their `version()`. */
const OTHERS = { CockroachDB: 'CockroachDB', '-YB-': 'YugabyteDB' };

/** @throws UsageError if the server is not a PostgreSQL that the program can use */
export async function refuseServer(db: Queryable): Promise<void> {
  const [[version, number, encoding] = []] = await db.tuples(sql`
    select version(), current_setting('server_version_num'), current_setting('server_encoding')`);
  const other = Object.entries(OTHERS).find(([part]) => String(version).includes(part))?.[1];
  if (other !== undefined)
    throw new UsageError(`${other} is not PostgreSQL: its advisory locks do nothing. Set DATABASE_URL to PostgreSQL.`);
  if (Number(number) < MIN_VERSION * 10_000)
    throw new UsageError(
      `PostgreSQL ${Math.floor(Number(number) / 10_000)} is too old: ${MIN_VERSION} or newer is needed.`,
    );
  if (encoding !== 'UTF8')
    throw new UsageError(
      `The database has the encoding ${String(encoding)}. Create it with --encoding UTF8 (createdb).`,
    );
}

interface ServerError {
  code?: string;
  message: string;
}

/** What the operator can do about an error of a statement; undefined for a fault of the program. */
export function refusalOf(error: unknown): UsageError | undefined {
  const { code, message } = error as ServerError;
  // invalid_sql_statement_name, duplicate_prepared_statement
  if (code === '26000' || code === '42P05')
    return new UsageError(`${message}. DATABASE_URL leads to a pooler in transaction mode: set DATABASE_PREPARED=off.`);
  // insufficient_privilege
  if (code === '42501')
    return new UsageError(
      `PostgreSQL refuses: ${message}. The role of DATABASE_URL has to own the database and its tables.`,
    );
  return undefined;
}

/** The error of the first connection as a sentence that says what the operator can do. */
export function connectionRefusal(error: unknown, url: URL): Error {
  if (error instanceof UsageError) return error;
  const { code, message } = (error instanceof Unavailable ? error.cause : error) as ServerError;
  const name = decodeURIComponent(url.pathname.slice(1));
  const role = decodeURIComponent(url.username);
  const isKept = /pg_hba/.test(message);
  const remedies: Record<string, string> = {
    '3D000': `The PostgreSQL database "${name}" does not exist. Create it (createdb --owner ${role || 'ROLE'} ${name}) or change DATABASE_URL.`,
    '28000': isKept
      ? `PostgreSQL refuses the connection: ${message}. Let it in by pg_hba.conf; after "no encryption" add sslmode=require to DATABASE_URL.`
      : `PostgreSQL refuses the role "${role}": it does not exist, or may not connect. Create it (createuser --pwprompt ${role || 'ROLE'}) or change DATABASE_URL.`,
    '28P01': `PostgreSQL refuses the role "${role}": it does not exist, or DATABASE_URL has a wrong password for it.`,
  };
  const remedy = remedies[code ?? ''];
  if (remedy !== undefined) return new UsageError(remedy);
  if (error instanceof Unavailable) return error;
  // Most of all TLS, and programs at this address that are not PostgreSQL; systemd tries again.
  return new TemporaryError(`PostgreSQL cannot be used: ${message}. See DATABASE_URL.`);
}

/** A write in a snapshot is a fault of the program; on another connection the same error means that the server is read-only. */
export const refusingWrites =
  (send: SendQuery): SendQuery =>
  (query) =>
    send(query).catch((error: Error & { code?: unknown }) => {
      throw error.code === READ_ONLY ? new TypeError('A snapshot is read-only', { cause: error }) : error;
    });

/** serialization_failure and deadlock_detected: the server has rolled the transaction back, and it may succeed again. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 5;

/**
 * Repeats a transaction that lost a conflict with another one. The order of locks (`Keys.lock`) avoids deadlocks among our
 * own statements; foreign keys, triggers and other programs may still cause one.
 */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !CONFLICTS.has((error as { code?: unknown }).code)) throw error;
    }
    await pause(Math.random() * 10 * attempt);
  }
}
