import { Unavailable } from '#platform/errors.ts';
import type { Config, Environment } from '#platform/config/config.ts';
import type { Db } from '#db/db.ts';
import { output } from '#platform/process/output.ts';
import type { Input } from '../command/command.ts';

/** One result of the doctor. One that is not `ok` says how to mend it. */
export interface Finding {
  /** What was checked: `settings`, `address API`, `database` … */
  check: string;
  status: 'ok' | 'warning' | 'error';
  message: string;
  remedy: string | null;
}

/** What a check returns: what it found, in the order of the output. */
export type Found = Finding | undefined | readonly Found[];

export function findingsOf(found: Found): Finding[] {
  if (found === undefined) return [];
  return 'check' in found ? [found] : found.flatMap(findingsOf);
}

export interface Installation {
  config: Config;
  environment: Environment;
  /** Undefined if there is no database yet, or it cannot be opened. */
  db: Db | undefined;
  /** Epoch milliseconds. */
  now: number;
}

export type OpenInstallation = Installation & { db: Db };

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message, remedy: null });

const findingOf =
  (status: 'warning' | 'error') =>
  (check: string, message: string, remedy: string): Finding => ({ check, status, message, remedy });

export const warning = findingOf('warning');
export const problem = findingOf('error');

/** One check that fails must not hide the results of the others. */
export async function guarded(check: string, work: () => Found | Promise<Found>): Promise<Finding[]> {
  try {
    return findingsOf(await work());
  } catch (error) {
    return [problem(check, `It cannot be checked: ${reasonOf(error)}`, 'Run the doctor as the user of the service.')];
  }
}

const LABELS: Record<Finding['status'], string> = { ok: 'ok', warning: 'warning', error: 'ERROR' };

/** Prints findings. @returns the exit code: 1 if something is wrong */
export function printFindings(input: Input, findings: readonly Finding[]): 0 | 1 {
  const count = (wanted: Finding['status']): number => findings.filter(({ status }) => status === wanted).length;
  const code = count('error') > 0 ? 1 : 0;
  if (input.has('json')) {
    output().write(`${JSON.stringify({ ok: code === 0, findings })}\n`);
    return code;
  }
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const { check, status, message, remedy } of findings) {
    output().write(`${LABELS[status].padEnd(7)}  ${check.padEnd(width)}  ${message}\n`);
    if (remedy !== null) output().write(`${' '.repeat(width + 11)}→ ${remedy}\n`);
  }
  output().write(`\nErrors: ${count('error')}, warnings: ${count('warning')}.\n`);
  return code;
}

/** The error message without a stack; a host with several addresses fails once for each. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (error instanceof Unavailable) return reasonOf(error.cause);
  if (!(error instanceof Error)) return String(error);
  return error.message === '' && error.cause !== undefined ? reasonOf(error.cause) : error.message;
}

const REASONS: Record<string, string> = { EACCES: 'access is denied', EROFS: 'the disk is read-only' };

/** Why the system refuses access to a file. */
export function refusalOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? message;
}
