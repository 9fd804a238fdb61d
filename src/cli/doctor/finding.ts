import { Unavailable } from '#platform/errors.ts';
import type { Config, Environment } from '#platform/config/config.ts';
import type { Db } from '#db/db.ts';

/** One result of the doctor. One that is not `ok` says how to mend it. */
export interface Finding {
  /** What was checked: `settings`, `address API`, `database` … */
  check: string;
  status: 'ok' | 'warning' | 'error';
  message: string;
  remedy: string | null;
}

/** What the checks look at. */
export interface Installation {
  config: Config;
  environment: Environment;
  /** Undefined if there is no database yet, or it cannot be opened. */
  db: Db | undefined;
  /** Epoch milliseconds. */
  now: number;
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message, remedy: null });

export const warning = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: 'warning',
  message,
  remedy,
});

export const problem = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: 'error',
  message,
  remedy,
});

/** The error message without a stack; a host with several addresses fails once for each. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (error instanceof Unavailable) return reasonOf(error.cause);
  if (!(error instanceof Error)) return String(error);
  return error.message === '' && error.cause !== undefined ? reasonOf(error.cause) : error.message;
}
