import type { Clock } from '#platform/clock.ts';
import type { Db, KeyedHash, Queryable } from '#db/db.ts';
import {
  deleteImportedRows,
  deleteImportMark,
  findImportSource,
  type ImportedRow,
  importedRows,
  importedRowsBetween,
  importMarks,
  saveImportedRows,
  saveImportMark,
  touchImportSource,
} from '#store/imports.ts';

/** The state of the imports of one source. Checkpoints write it in their transaction. */
export class ImportState {
  readonly hash: KeyedHash;
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #source: string;

  constructor(db: Db, clock: Clock, source: string) {
    this.hash = db.keyedHash;
    this.#db = db;
    this.#clock = clock;
    this.#source = source;
  }

  /** The rows with these ids that were read before. */
  async rows(part: string, rowIds: readonly string[]): Promise<Map<string, ImportedRow>> {
    const key = await findImportSource(this.#db, this.#source);
    if (key === undefined || rowIds.length === 0) return new Map();
    const rows = await importedRows(this.#db, key, part, rowIds);
    return new Map(rows.map((row) => [row.rowId, row]));
  }

  /** The rows that were read before whose ids follow `after`, up to `last`, in their order. */
  async rowsBetween(part: string, range: { after: string; last: string; limit: number }): Promise<ImportedRow[]> {
    const key = await findImportSource(this.#db, this.#source);
    return key === undefined ? [] : await importedRowsBetween(this.#db, key, part, range);
  }

  async marks(): Promise<Map<string, string>> {
    const key = await findImportSource(this.#db, this.#source);
    return key === undefined ? new Map() : await importMarks(this.#db, key);
  }

  async saveRows(tx: Queryable, part: string, rows: readonly ImportedRow[]): Promise<void> {
    await saveImportedRows(tx, await this.#key(tx), part, rows);
  }

  async deleteRows(tx: Queryable, part: string, rowIds: readonly string[]): Promise<void> {
    await deleteImportedRows(tx, await this.#key(tx), part, rowIds);
  }

  async saveMark(tx: Queryable, part: string, mark: string): Promise<void> {
    await saveImportMark(tx, await this.#key(tx), part, mark);
  }

  async deleteMark(tx: Queryable, part: string): Promise<void> {
    await deleteImportMark(tx, await this.#key(tx), part);
  }

  /** Records that the source was imported. */
  async touch(tx: Queryable): Promise<void> {
    await this.#key(tx);
  }

  async #key(tx: Queryable): Promise<number> {
    return await touchImportSource(tx, this.#source, this.#clock.now());
  }
}
