import { setTimeout as pause } from 'node:timers/promises';
import type { Finding } from '../finding.ts';
import { historyFindings } from './advancedban-history.ts';
import {
  type AdvancedBanTables,
  naturalKey,
  Operators,
  readAdvancedBan,
  rowIdOf,
  rowsStartedAt,
  SELECT,
  SELECTED,
} from './advancedban-rows.ts';
import { vanishedFindings } from './advancedban-vanished.ts';
import { numberIn, textIn } from './cells.ts';
import { type DatabaseImport, type ImportContext, PAGE_ROWS, readRows } from './database-import.ts';
import { punishmentFindings } from './punishment-page.ts';
import { orderedId, type PunishmentRecord } from './punishment-record.ts';
import { checkLayout, quoted, type SourceDatabase, type SourceRow } from './source-database.ts';

/**
 * Reads the punishments of AdvancedBan. It deletes ended and lifted ones from `Punishments` and keeps all in
 * `PunishmentHistory`; no key links the two tables.
 */

const COLUMNS = ['id', 'name', 'uuid', 'reason', 'operator', 'punishmentType', 'start', 'end'];
/** AdvancedBan writes the history first; its row may be this much older than the punishment. */
const SETTLED_MS = 1_000;

export async function openAdvancedBan(source: SourceDatabase): Promise<DatabaseImport> {
  const tables = await checkLayout(
    source,
    { Punishments: COLUMNS, PunishmentHistory: COLUMNS },
    { program: 'AdvancedBan 2', hint: 'Is it the database of AdvancedBan?' },
  );
  return new AdvancedBan({
    source,
    punishments: quoted(tables.get('Punishments')!.name),
    history: quoted(tables.get('PunishmentHistory')!.name),
  });
}

class AdvancedBan implements DatabaseImport {
  readonly #tables: AdvancedBanTables;

  constructor(tables: AdvancedBanTables) {
    this.#tables = tables;
  }

  /** Always all rows, because no column marks changes. */
  async *findings(context: ImportContext): AsyncGenerator<Finding> {
    const { source, history } = this.#tables;
    const [newest] = await source.rows(`select max(id) as id from ${history}`);
    await pause(SETTLED_MS);
    const operators = new Operators(context);
    yield* this.#punishments(context, operators);
    const bound = textIn(newest!, 'id') === '' ? 0 : numberIn(newest!, 'id');
    yield* historyFindings(this.#tables, bound, context, operators);
  }

  async *#punishments(context: ImportContext, operators: Operators): AsyncGenerator<Finding> {
    const { source, punishments } = this.#tables;
    const select = `select ${SELECT} from ${punishments} where id > ? and ${SELECTED} order by id limit ${PAGE_ROWS}`;
    for (let last = 0, after = ''; ;) {
      const rows = await source.rows(select, [last]);
      const isLast = rows.length < PAGE_ROWS;
      const ids = await this.#historyIds(rows);
      const records: PunishmentRecord[] = [];
      await operators.load(rows);
      const read = (row: SourceRow, place: string): PunishmentRecord => {
        const id = ids.get(naturalKey(row));
        return readAdvancedBan(row, {
          place,
          table: 'Punishments',
          reference: id === undefined ? `p${textIn(row, 'id')}` : String(id),
          operator: operators.of(row),
        });
      };
      yield* readRows('Punishments', rows, read, records, context.left);
      yield* punishmentFindings('punishments', records, context);
      last = rows.length === 0 ? last : numberIn(rows.at(-1)!, 'id');
      const end = isLast ? '~' : `${orderedId(last)}~`;
      yield* vanishedFindings(this.#tables, { after, last: end, present: new Set(rows.map(rowIdOf)) }, context);
      if (isLast) break;
      after = end;
    }
  }

  /** The ids in the history of the punishments of a page, by their natural keys. */
  async #historyIds(rows: readonly SourceRow[]): Promise<Map<string, number>> {
    const { source, history } = this.#tables;
    const found = await rowsStartedAt(source, history, rows);
    // The first row counts if the history has several.
    return new Map(found.toReversed().map((row) => [naturalKey(row), numberIn(row, 'id')]));
  }
}
