import { amount } from '../../text/amount.ts';
import { ImportRefusal, type Finding } from '../finding.ts';
import type { ImportState, NetworkLookup } from '../core.ts';
import { fit } from '../../text/line.ts';
import { AddressInRow, nameIn, type SourcePlayer, textIn, uuidIn } from './cells.ts';
import type { SourceDatabase, SourceRow } from './source-database.ts';

/** The tables of one program in an open database, imported once or repeatedly. */
export interface DatabaseImport {
  /**
   * `all` compares every row with the last import; `recent` reads new rows and those that the program has marked as changed
   * since the last call, which must have been made for this object.
   */
  findings(context: ImportContext, extent: Extent): AsyncIterable<Finding>;
}

export type Extent = 'all' | 'recent';

/** Options of some programs. */
export interface ProgramOptions {
  tablePrefix?: string | undefined;
  /** The servers whose punishments are imported; empty: all. */
  serverScopes?: readonly string[];
}

/** Opens the import of a program. @throws InputError if the database has another layout */
export type OpenDatabaseImport = (source: SourceDatabase, options: ProgramOptions) => Promise<DatabaseImport>;

/** The parameters of one round of an import. */
export interface ImportContext {
  network: NetworkLookup;
  /** The name of the imported database among the sources, and what was kept of it. */
  source: string;
  state: ImportState;
  /** Whether unknown servers may be added. */
  create: boolean;
  left: LeftOut;
}

/** Counts of what was left out because it is an address. */
export interface LeftOut {
  /** Rows whose player is an address. */
  rows: number;
  /** Punishers and revokers that are an address. */
  names: number;
}

/** Rows that are read, compared and ingested together. */
export const PAGE_ROWS = 500;

/** Reads each row of a page into `into`; invalid rows are refused one by one. */
export function* readRows<T>(
  table: string,
  rows: readonly SourceRow[],
  read: (row: SourceRow, place: string) => T,
  into: T[],
  left: LeftOut,
): Generator<Finding> {
  for (const row of rows) {
    const place = `id ${fit(textIn(row, 'id'), 36)}`;
    try {
      into.push(read(row, place));
    } catch (error) {
      if (error instanceof AddressInRow) left.rows++;
      else if (error instanceof ImportRefusal)
        yield { file: table, place: [place, error.place].filter(Boolean).join(', '), refusal: error.message };
      else throw error;
    }
  }
}

/** The player who acted; null for a console, a plugin or a name without UUID. */
export function actorIn(row: SourceRow, uuid: string, name: string, left: LeftOut): SourcePlayer | null {
  try {
    const actor = { uuid: uuidIn(row, uuid), name: nameIn(row, name) };
    return actor.name === '' ? null : actor;
  } catch (error) {
    if (error instanceof AddressInRow) left.names++;
    else if (!(error instanceof ImportRefusal)) throw error;
    return null;
  }
}

/** The notes about what was left out. */
export function* notesOf({ rows, names }: LeftOut): Generator<Finding> {
  const where = { file: 'addresses', place: '' };
  if (rows > 0) yield { ...where, note: `${counted(rows, 'row')} left out, with an IP address in place of the player` };
  if (names > 0)
    yield { ...where, note: `${counted(names, 'row')} imported without the punisher, who is an IP address` };
}

export const counted = (count: number, noun: string): string => amount(count, `${noun} was`, `${noun}s were`);
