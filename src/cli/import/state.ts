import type { Db, Queryable } from '#db/db.ts';
import type { Checkpoint, ImportState } from '#importers/index.ts';
import {
  deleteImportedRows,
  deleteImportMark,
  findImportSource,
  importedRows,
  importedRowsBetween,
  importMarks,
  saveImportedRows,
  saveImportMark,
  touchImportSource,
} from '#store/imports.ts';

/** Reads what the imports of a source have kept. */
export function stateOf(db: Db, source: string): ImportState {
  return {
    hash: db.keyedHash,
    async rows(part, rowIds) {
      const key = await findImportSource(db, source);
      if (key === undefined || rowIds.length === 0) return new Map();
      const rows = await importedRows(db, key, part, rowIds);
      return new Map(rows.map((row) => [row.rowId, row]));
    },
    async rowsBetween(part, range) {
      const key = await findImportSource(db, source);
      return key === undefined ? [] : await importedRowsBetween(db, key, part, range);
    },
    async marks() {
      const key = await findImportSource(db, source);
      return key === undefined ? new Map() : await importMarks(db, key);
    },
  };
}

/**
 * Keeps the progress of an import.
 * @param refused the ids of the events since the last checkpoint that were refused
 */
export async function keep(
  tx: Queryable,
  { source, rows, marks = {} }: Checkpoint,
  refused: ReadonlySet<string>,
  now: number,
): Promise<void> {
  const key = await touchImportSource(tx, source, now);
  const isDone = ({ eventIds }: { eventIds: readonly string[] }): boolean => !eventIds.some((id) => refused.has(id));
  if (rows !== undefined) {
    const { part, read = [], gone = [] } = rows;
    const saved = read.filter(isDone).map(({ row }) => row);
    if (saved.length > 0) await saveImportedRows(tx, key, part, saved);
    const deleted = gone.filter(isDone).map(({ rowId }) => rowId);
    if (deleted.length > 0) await deleteImportedRows(tx, key, part, deleted);
  }
  for (const [part, mark] of Object.entries(marks))
    await (mark === null ? deleteImportMark(tx, key, part) : saveImportMark(tx, key, part, mark));
}
