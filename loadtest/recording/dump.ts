import { createHash } from 'node:crypto';
import type { Db, Row } from '#db/db.ts';
import { identifier, sql } from '#db/sql.ts';
import { canonicalDumpOf, COMPARED, NOT_COMPARED } from '#test/events/canonical-dump.ts';
import { normalise } from './normalise.ts';
import type { Recording } from './recording.ts';

/** Tables that the services write in the background, some time after a request. */
const BACKGROUND: ReadonlySet<string> = new Set(['usage', 'application_uses', 'rate_limits']);

/** Records the canonical dump and all rows of all tables, one a line. */
export async function recordDump(recording: Recording, folder: string, db: Db): Promise<void> {
  for (const [table, rows] of Object.entries(await canonicalDumpOf(db)))
    await recording.write(`${folder}/canonical/${table}.txt`, linesOf(rows));
  for (const table of [...COMPARED, ...NOT_COMPARED].filter((one) => !BACKGROUND.has(one))) {
    const rows = (await db.all(sql`select * from ${identifier(table)}`)).filter((row) => !countsRefused(row));
    await recording.write(`${folder}/tables/${table}.txt`, linesOf(rows.map(sorted)));
  }
}

/** Refused requests are counted in the background, too, among the throttles. */
const countsRefused = ({ subject }: Row): boolean => String(subject).startsWith('refused ');

/** The rows as JSON in the order of their texts, in which nothing random is left. */
function linesOf(rows: readonly unknown[]): string {
  const lines = rows.map((row) => normalise(textOf(row)));
  return lines.map(withoutHashOfRandom).sort().join('\n');
}

const sorted = (row: Row): Row => Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The content hash of an event that has a random id, or a link code, is random itself. */
const withoutHashOfRandom = (line: string): string =>
  /<uuid>|"type":"account\.link"/.test(line)
    ? line.replace(/"content_hash":"[\w-]+"/, '"content_hash":"<random>"')
    : line;

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
