import { randomInt } from 'node:crypto';
import { changesRow, flag, getValue, type Queryable, rowReader } from '#db/db.ts';
import { insertAll, list, sql } from '#db/sql.ts';

/** The state of imports from databases of other programs: sources, marks and rows. */

/** A row of another program's database, as the last import found it. */
export interface ImportedRow {
  rowId: string;
  /** The reference of its punishment. */
  reference: string;
  /** A keyed hash of its content; empty if it is no longer known. */
  hash: string;
  /** How many changes were reported. */
  version: number;
  revoked: boolean;
  expires: number | null;
}

const toImportedRow = rowReader<ImportedRow>({ revoked: flag });

/** More than enough different keys for the sources of one network. */
const MAX_KEY = 2 ** 47;

/** The key of a source that was imported before. */
export const findImportSource = (db: Queryable, name: string): Promise<number | undefined> =>
  getValue(db, sql`select key from import_sources where name = ${name}`);

/** Records that a source was imported, and returns its key. */
export async function touchImportSource(tx: Queryable, name: string, now: number): Promise<number> {
  const row = await tx.get<{ key: number }>(sql`
    insert into import_sources (key, name, imported) values (${randomInt(1, MAX_KEY)}, ${name}, ${now})
    on conflict (name) do update set imported = ${now} returning key`);
  return row!.key;
}

export async function importedRows(
  db: Queryable,
  source: number,
  part: string,
  rowIds: readonly string[],
): Promise<ImportedRow[]> {
  const rows = await db.all(sql`
    select row_id as "rowId", reference, hash, version, revoked, expires from import_rows
    where source_key = ${source} and part = ${part} and row_id in (${list(rowIds)})`);
  return rows.map(toImportedRow);
}

/** The rows whose ids follow `after`, up to `last`, in their order. */
export async function importedRowsBetween(
  db: Queryable,
  source: number,
  part: string,
  { after, last, limit }: { after: string; last: string; limit: number },
): Promise<ImportedRow[]> {
  const rows = await db.all(sql`
    select row_id as "rowId", reference, hash, version, revoked, expires from import_rows
    where source_key = ${source} and part = ${part} and row_id > ${after} and row_id <= ${last}
    order by row_id limit ${limit}`);
  return rows.map(toImportedRow);
}

export async function saveImportedRows(
  tx: Queryable,
  source: number,
  part: string,
  rows: readonly ImportedRow[],
): Promise<void> {
  const values = rows.map(({ rowId, reference, hash, version, revoked, expires }) => [
    source,
    part,
    rowId,
    reference,
    hash,
    version,
    revoked ? 1 : 0,
    expires,
  ]);
  await tx.runAll(
    insertAll(
      'insert into import_rows (source_key, part, row_id, reference, hash, version, revoked, expires) values',
      values,
      `on conflict (source_key, part, row_id) do update set reference = excluded.reference, hash = excluded.hash,
        version = excluded.version, revoked = excluded.revoked, expires = excluded.expires`,
    ),
  );
}

export async function deleteImportedRows(
  tx: Queryable,
  source: number,
  part: string,
  rowIds: readonly string[],
): Promise<void> {
  await tx.run(sql`
    delete from import_rows where source_key = ${source} and part = ${part} and row_id in (${list(rowIds)})`);
}

export async function importMarks(db: Queryable, source: number): Promise<Map<string, string>> {
  const rows = await db.all<{ part: string; mark: string }>(
    sql`select part, mark from import_marks where source_key = ${source}`,
  );
  return new Map(rows.map(({ part, mark }) => [part, mark]));
}

export async function saveImportMark(tx: Queryable, source: number, part: string, mark: string): Promise<void> {
  await tx.run(sql`
    insert into import_marks (source_key, part, mark) values (${source}, ${part}, ${mark})
    on conflict (source_key, part) do update set mark = excluded.mark`);
}

export async function deleteImportMark(tx: Queryable, source: number, part: string): Promise<void> {
  await tx.run(sql`delete from import_marks where source_key = ${source} and part = ${part}`);
}

/** Deletes the hashes, whose key has changed, so that the next import compares each row with its reported terms. */
export async function clearImportHashes(tx: Queryable): Promise<void> {
  await tx.run(sql`update import_rows set hash = ''`);
}

export interface ImportSource {
  name: string;
  rows: number;
  /** When it was imported last. */
  imported: number;
}

export const listImportSources = (db: Queryable): Promise<ImportSource[]> =>
  db.all(sql`
    select s.name, count(r.row_id) as rows, s.imported
    from import_sources s left join import_rows r on r.source_key = s.key
    group by s.name, s.imported order by s.name`);

/** @returns whether there was such a source */
export const forgetImportSource = (db: Queryable, name: string): Promise<boolean> =>
  changesRow(db, sql`delete from import_sources where name = ${name}`);
