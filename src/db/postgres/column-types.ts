import pg from 'pg';
import { safeNumber } from '../db.ts';

const INT8 = 20;
const NUMERIC = 1700;

/** Parses `bigint` and `numeric`, which may have a fraction; a number beyond 2^53 becomes the largest safe integer. */
function parseNumber(text: string): number {
  const number = Number(text);
  return Math.abs(number) > Number.MAX_SAFE_INTEGER ? safeNumber(number) : number;
}

export const typeParser = ((type: number, format?: 'text' | 'binary') =>
  type === INT8 || type === NUMERIC
    ? parseNumber
    : pg.types.getTypeParser(type, format as 'text')) as typeof pg.types.getTypeParser;
