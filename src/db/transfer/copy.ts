import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db, Queryable } from '../db.ts';
import type { Value } from '../sql.ts';
import { loadingState, saveLoadingState } from './loading.ts';
import { insertStatements, readChunks } from './chunks.ts';
import { type Table, listTables } from './schema.ts';

const WORDS = 8;

/**
 * The number and the checksum of a table's rows: the sums of the words of their SHA-256, modulo 2^32. The sum does not
 * depend on the order of the rows, which differs between databases whose collations differ, and a changed row needs no
 * other row to be read again.
 */
export class TableDigest {
  rows = 0;
  readonly #sums = new Uint32Array(WORDS);

  /** @param row its cells in the order of the columns' names */
  add(row: readonly Value[]): void {
    this.#count(row, 1);
  }

  remove(row: readonly Value[]): void {
    this.#count(row, -1);
  }

  get checksum(): string {
    return Buffer.from(this.#sums.buffer).toString('hex');
  }

  #count(row: readonly Value[], sign: 1 | -1): void {
    const digest = hash('sha256', JSON.stringify(row.map(comparable)), 'buffer');
    for (let word = 0; word < WORDS; word++) this.#sums[word]! += sign * digest.readUInt32LE(word * 4);
    this.rows += sign;
  }
}

/** Both databases must give the same text for the same value; text, numbers and bytes must not be confused. */
function comparable(value: Value): unknown {
  if (value instanceof Uint8Array) return { bytes: hash('sha256', value, 'hex') };
  return typeof value === 'bigint' ? { integer: String(value) } : value;
}

/** The rows and the checksum of each table. */
export type Digests = Record<string, { rows: number; checksum: string }>;

/** Called after each chunk with the rows of the table so far. */
export type Progress = (table: string, rows: number) => void;

/**
 * Copies the tables of a snapshot into a database that is being loaded. Saves the position in each table with its rows, so
 * that a later run continues there.
 * @returns the digests of the rows that this run has copied
 */
export async function copyTables(source: Queryable, target: Db, progress: Progress): Promise<Digests> {
  const digests = new Map<string, TableDigest>();
  for (const table of await listTables(source))
    digests.set(table.name, await copyTable(source, target, table, progress));
  return toDigests(digests);
}

const DONE = 'done';

async function copyTable(source: Queryable, target: Db, table: Table, progress: Progress): Promise<TableDigest> {
  const digest = new TableDigest();
  const state = `table ${table.name}`;
  const saved = await loadingState(target, state);
  if (saved === DONE) return digest;
  const after = saved === undefined ? undefined : (JSON.parse(saved) as Value[]);
  for await (const { rows, last } of readChunks(source, table, after)) {
    await target.transaction(
      async (tx) => {
        await tx.runAll(insertStatements(table, rows));
        await saveLoadingState(tx, state, JSON.stringify(last));
      },
      { durable: false },
    );
    for (const row of rows) digest.add(row);
    progress(table.name, digest.rows);
  }
  await saveLoadingState(target, state, DONE);
  return digest;
}

/** Reads all tables and computes their digests. */
export const readDigests = async (db: Queryable, progress: Progress): Promise<Digests> =>
  toDigests(await readTableDigests(db, progress));

/** Like `readDigests`, for digests that follow later changes. */
export async function readTableDigests(db: Queryable, progress: Progress): Promise<Map<string, TableDigest>> {
  const digests = new Map<string, TableDigest>();
  for (const table of await listTables(db)) {
    const digest = new TableDigest();
    for await (const { rows } of readChunks(db, table)) {
      for (const row of rows) digest.add(row);
      progress(table.name, digest.rows);
      // SQLite answers within the same turn of the event loop, in which no connection to PostgreSQL would be served.
      await nextTurn();
    }
    digests.set(table.name, digest);
  }
  return digests;
}

export const toDigests = (digests: ReadonlyMap<string, TableDigest>): Digests =>
  Object.fromEntries([...digests].map(([name, { rows, checksum }]) => [name, { rows, checksum }]));

/** Sentences about the tables whose rows differ. */
export function listDifferences(found: Digests, expected: Digests): string[] {
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...names].flatMap((name) => {
    const [one, other] = [found[name], expected[name]];
    if (one?.checksum === other?.checksum && one?.rows === other?.rows) return [];
    return [
      `${name} has ${one?.rows ?? 'no'} rows with checksum ${short(one)}, expected ${other?.rows ?? 'none'} with ${short(other)}`,
    ];
  });
}

const short = (digest: { checksum: string } | undefined): string => digest?.checksum.slice(0, 16) ?? '-';
