import { createHash } from 'node:crypto';
import type { Db, Row } from '#db/db.ts';
import { identifier, sql } from '#db/sql.ts';
import { canonicalDumpOf, COMPARED, NOT_COMPARED } from '#test/events/canonical-dump.ts';
import { normalise } from './normalise.ts';
import type { Recording } from './recording.ts';

/** Columns that are random, or hashes and sealed texts of random values. */
const RANDOM: Record<string, readonly string[]> = {};

/** Records the canonical dump and all rows of all tables, one a line. */
export async function recordDump(recording: Recording, folder: string, db: Db): Promise<void> {
  for (const [table, rows] of Object.entries(await canonicalDumpOf(db)))
    await recording.write(`${folder}/canonical/${table}.txt`, rows.map((row) => textOf(row)).join('\n'));
  for (const table of [...COMPARED, ...NOT_COMPARED]) {
    const rows = await db.all(sql`select * from ${identifier(table)}`);
    const lines = rows.map((row) => normalise(textOf(withoutRandom(table, row)))).sort();
    await recording.write(`${folder}/tables/${table}.txt`, lines.join('\n'));
  }
}

function withoutRandom(table: string, row: Row): Row {
  const columns = RANDOM[table] ?? [];
  return Object.fromEntries(
    Object.keys(row)
      .sort()
      .map((column) => [column, columns.includes(column) && row[column] !== null ? '<random>' : row[column]!]),
  );
}

const textOf = (row: unknown): string => (typeof row === 'string' ? row : JSON.stringify(row, readable));

function readable(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  const bytes = value instanceof Uint8Array ? value : bufferIn(value);
  if (bytes === undefined) return value;
  return `${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;
}

/** JSON.stringify shows a Buffer as its own JSON. */
function bufferIn(value: unknown): Uint8Array | undefined {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown };
  return type === 'Buffer' && Array.isArray(data) ? Buffer.from(data as number[]) : undefined;
}
