import type { Finding } from '../finding.ts';
import { textIn, numberIn } from './cells.ts';
import { type ImportContext, PAGE_ROWS, readRows } from './database-import.ts';
import {
  type AdvancedBanTables,
  naturalKey,
  type Operators,
  readAdvancedBan,
  rowsStartedAt,
  SELECT,
  SELECTED,
} from './advancedban-rows.ts';
import { isOver } from '../clock-difference.ts';
import { eventsOf, type PunishmentRecord } from './punishment-record.ts';
import type { SourceRow } from './source-database.ts';

const PART = 'history';

/**
 * Punishments that ended before an import read them in force, which only the history has. Its rows never change, so
 * that a mark is enough to continue.
 * @param bound the newest row whose punishment is certainly in the other table, if it is in force
 */
export async function* historyFindings(
  tables: AdvancedBanTables,
  bound: number,
  context: ImportContext,
  operators: Operators,
): AsyncGenerator<Finding> {
  const { source, history, punishments } = tables;
  const text = `select ${SELECT} from ${history} where id > ? and id <= ? and ${SELECTED} order by id limit ${PAGE_ROWS}`;
  const stored = Number((await context.state.marks()).get(PART) ?? '0');
  // The ids of another, newer database start again.
  for (let mark = stored <= bound ? stored : 0; mark < bound;) {
    const rows = await source.rows(text, [mark, bound]);
    const inForce = new Set((await rowsStartedAt(source, punishments, rows)).map(naturalKey));
    const former = rows.filter((row) => !inForce.has(naturalKey(row)));
    await operators.load(former);
    yield* formerFindings(former, context, operators);
    mark = rows.length < PAGE_ROWS ? bound : numberIn(rows.at(-1)!, 'id');
    yield { file: PART, place: '', checkpoint: { source: context.source, marks: { [PART]: String(mark) } } };
  }
}

async function* formerFindings(
  rows: readonly SourceRow[],
  context: ImportContext,
  operators: Operators,
): AsyncGenerator<Finding> {
  const file = 'PunishmentHistory';
  const now = context.network.now();
  const records: PunishmentRecord[] = [];
  const read = (row: SourceRow, place: string): PunishmentRecord =>
    readAdvancedBan(row, { table: file, place, reference: textIn(row, 'id'), operator: operators.of(row) });
  yield* readRows(file, rows, read, records, context.left);
  const known = await context.network.punishmentsOf(records.map(({ reference }) => reference));
  for (const record of records) {
    const { place, reference, type } = record;
    if (known.has(reference)) {
      yield { file, place, unchanged: reference };
      continue;
    }
    const isLifted = type !== 'kick' && !isOver(record.expires, now);
    const revocation = isLifted ? { time: undefined, reason: '', revoker: null } : undefined;
    for (const event of eventsOf({ ...record, revocation }, '', undefined, undefined, now))
      yield { file, place, event };
  }
}
