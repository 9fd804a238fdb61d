import { ImportRefusal } from '../finding.ts';
import {
  AddressInRow,
  MAX_NAME,
  MAX_REASON,
  nameIn,
  numberIn,
  reasonIn,
  type SourcePlayer,
  textIn,
  timeIn,
  uuidIn,
} from './cells.ts';
import type { ImportContext } from './database-import.ts';
import { expiryOf, orderedId, type PunishmentRecord } from './punishment-record.ts';
import {
  numberColumn,
  placeholders,
  quoted,
  type SourceDatabase,
  type SourceRow,
  textColumn,
} from './source-database.ts';

/** The rows of both tables of AdvancedBan. */

const TYPES: Readonly<Record<string, string>> = {
  BAN: 'ban',
  TEMP_BAN: 'ban',
  MUTE: 'mute',
  TEMP_MUTE: 'mute',
  WARNING: 'warn',
  TEMP_WARNING: 'warn',
  KICK: 'kick',
};
/** IP bans, whose name and UUID are an address, and private notes of the staff are left out. */
export const SELECTED = `punishmentType in (${Object.keys(TYPES)
  .map((type) => `'${type}'`)
  .join(', ')})`;

export const SELECT = [
  'id',
  textColumn('name', MAX_NAME),
  textColumn('uuid', MAX_NAME),
  textColumn('reason', MAX_REASON + 1),
  textColumn('operator', MAX_NAME),
  textColumn('punishmentType', MAX_NAME),
  numberColumn('start'),
  numberColumn('end'),
].join(', ');

/** The tables of AdvancedBan in the spelling of the database, quoted. */
export interface AdvancedBanTables {
  source: SourceDatabase;
  punishments: string;
  history: string;
}

/** The rows of a table with the start times of a page. Start times have no index, so each page takes one scan. */
export async function rowsStartedAt(
  source: SourceDatabase,
  table: string,
  rows: readonly SourceRow[],
): Promise<SourceRow[]> {
  if (rows.length === 0) return [];
  return await source.rows(
    `select id, ${textColumn('uuid', MAX_NAME)}, ${textColumn('punishmentType', MAX_NAME)}, ${numberColumn('start')}
     from ${table} where ${quoted('start')} + 0 in (${placeholders(rows.length)}) order by id`,
    rows.map((row) => Number(textIn(row, 'start')) || 0),
  );
}

/** The columns of a punishment in both tables. */
export function naturalKey(row: SourceRow): string {
  return [
    textIn(row, 'uuid').replaceAll('-', '').toLowerCase(),
    textIn(row, 'start'),
    textIn(row, 'punishmentType'),
  ].join();
}

/** MySQL may reuse the number of a deleted row, so the id contains the time. */
export function rowIdOf(row: SourceRow): string {
  return `${orderedId(Number(textIn(row, 'id')))}:${(Number(textIn(row, 'start')) || 0).toString(36)}`;
}

export interface AdvancedBanContext {
  table: string;
  place: string;
  /** The id of its row in the history, or of its row in `Punishments` after a `p`. */
  reference: string;
  operator: SourcePlayer | null;
}

/** @throws ImportRefusal or AddressInRow */
export function readAdvancedBan(
  row: SourceRow,
  { table, place, reference, operator }: AdvancedBanContext,
): PunishmentRecord {
  const [uuid, name, time] = [uuidIn(row, 'uuid'), nameIn(row, 'name'), timeIn(row, 'start')];
  const type = TYPES[textIn(row, 'punishmentType')];
  if (name === '') throw new ImportRefusal('is empty', 'name');
  if (type === undefined) throw new ImportRefusal(`is none of ${Object.keys(TYPES).join(', ')}`, 'punishmentType');
  return {
    table,
    place,
    rowId: rowIdOf(row),
    reference: `advancedban:${reference}:${time.toString(36)}`,
    punished: { uuid, name },
    punisher: operator,
    type,
    reason: reasonIn(row, 'reason'),
    expires: type === 'kick' ? null : expiryOf(numberIn(row, 'end'), time),
    time,
    revocation: undefined,
  };
}

/** Finds the players of the operators, of whom AdvancedBan records the name only. */
export class Operators {
  readonly #context: ImportContext;
  /** Empty for an unknown player. */
  readonly #uuids = new Map<string, string>();

  constructor(context: ImportContext) {
    this.#context = context;
  }

  async load(rows: readonly SourceRow[]): Promise<void> {
    for (const row of rows) {
      const name = textIn(row, 'operator');
      if (!this.#uuids.has(name)) this.#uuids.set(name, (await this.#context.network.uuidNamed(name)) ?? '');
    }
  }

  of(row: SourceRow): SourcePlayer | null {
    try {
      const [name, uuid] = [nameIn(row, 'operator'), this.#uuids.get(textIn(row, 'operator')) ?? ''];
      return name === '' || uuid === '' ? null : { uuid, name };
    } catch (error) {
      if (!(error instanceof AddressInRow)) throw error;
      this.#context.left.names++;
      return null;
    }
  }
}
