import type { StatementSync } from 'node:sqlite';
import { safeNumber } from '../db.ts';
import type { Value } from '../sql.ts';

/** The driver throws at integers beyond 2^53. Then this reads the rows again as bigints and converts them with `safeNumber`. */
export function readBigInts(statement: StatementSync, how: 'all' | 'get', values: readonly Value[]): unknown {
  statement.setReadBigInts(true);
  try {
    return withNumbers(statement[how](...values));
  } finally {
    statement.setReadBigInts(false);
  }
}

/** Replaces the bigints in a cell, a row or rows by numbers. */
function withNumbers(result: unknown): unknown {
  if (typeof result === 'bigint') return safeNumber(result);
  if (result === null || typeof result !== 'object' || result instanceof Uint8Array) return result;
  if (Array.isArray(result)) return result.map(withNumbers);
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, withNumbers(value)]));
}
