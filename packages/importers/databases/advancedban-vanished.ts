import type { ImportedRow } from '../core.ts';
import type { Finding, GoneRow } from '../finding.ts';
import type { AdvancedBanTables } from './advancedban-rows.ts';
import { numberIn } from './cells.ts';
import { type ImportContext, PAGE_ROWS } from './database-import.ts';
import { isOver } from '../clock-difference.ts';
import { revokedEvent } from './punishment-record.ts';
import { placeholders } from './source-database.ts';

const PART = 'punishments';

/** A range of rows of `Punishments` in the order of their ids, and those that still exist. */
interface Range {
  after: string;
  last: string;
  present: ReadonlySet<string>;
}

/**
 * Rows of `Punishments` that the last import read and that no longer exist. One whose time is over is ignored. One that
 * is in the history was lifted. One that is not was deleted by hand, and is ignored.
 */
export async function* vanishedFindings(
  tables: AdvancedBanTables,
  { after, last, present }: Range,
  context: ImportContext,
): AsyncGenerator<Finding> {
  for (let from = after; ;) {
    const rows = await context.state.rowsBetween(PART, { after: from, last, limit: PAGE_ROWS });
    const gone = rows.filter(({ rowId }) => !present.has(rowId));
    if (gone.length > 0) yield* goneFindings(tables, gone, context);
    if (rows.length < PAGE_ROWS) return;
    from = rows.at(-1)!.rowId;
  }
}

async function* goneFindings(
  { source: database, history }: AdvancedBanTables,
  vanished: readonly ImportedRow[],
  { network, source }: ImportContext,
): AsyncGenerator<Finding> {
  const now = network.now();
  const ids = vanished.map(({ reference }) => Number(reference.split(':')[1])).filter((id) => Number.isSafeInteger(id));
  const found =
    ids.length === 0
      ? []
      : await database.rows(`select id from ${history} where id in (${placeholders(ids.length)})`, ids);
  const inHistory = new Set(found.map((row) => String(numberIn(row, 'id'))));
  const gone: GoneRow[] = [];
  for (const { rowId, reference, expires } of vanished) {
    const [, id = '', time = ''] = reference.split(':');
    const where = { file: 'Punishments', place: `id ${Number(rowId.split(':')[0])}` };
    gone.push({ rowId, eventIds: [`${reference}:revoked`] });
    if (isOver(expires, now)) yield { ...where, unchanged: reference };
    else if (inHistory.has(id)) {
      const revocation = { time: undefined, reason: '', revoker: null };
      yield { ...where, event: revokedEvent({ reference, time: Number.parseInt(time, 36) }, revocation, now) };
    } else yield { ...where, note: 'is gone, and not in PunishmentHistory; the punishment is left as it is' };
  }
  yield { file: PART, place: '', checkpoint: { source, rows: { part: PART, gone } } };
}
