import type { Core } from '../core.ts';
import type { Finding } from '../finding.ts';
import { openAdvancedBan } from './advancedban.ts';
import {
  type DatabaseImport,
  type Extent,
  type ImportContext,
  notesOf,
  type OpenDatabaseImport,
  type ProgramOptions,
} from './database-import.ts';
import { openLiteBans } from './litebans.ts';
import { openCommunity } from './pgmdev.ts';
import { openPlan } from './plan.ts';
import { openSource, type SourceAddress } from './source-address.ts';
import type { SourceDatabase } from './source-database.ts';

/** A program whose database can be imported. */
export interface Program {
  /** In commands and in the names of sources. */
  word: string;
  open: OpenDatabaseImport;
  dialects: readonly SourceDatabase['dialect'][];
}

export const PROGRAMS = {
  litebans: { word: 'litebans', open: openLiteBans, dialects: ['mysql', 'postgres'] },
  advancedban: { word: 'advancedban', open: openAdvancedBan, dialects: ['mysql'] },
  pgmdev: { word: 'pgmdev', open: openCommunity, dialects: ['sqlite', 'mysql'] },
  plan: { word: 'plan', open: openPlan, dialects: ['sqlite', 'mysql'] },
} as const satisfies Record<string, Program>;

export interface RoundOptions extends ProgramOptions {
  /** Whether unknown servers may be added. */
  create: boolean;
}

/** An open database of another program, read in rounds. */
export class ImportedDatabase implements AsyncDisposable {
  readonly label: string;
  readonly #source: SourceDatabase;
  readonly #opened: DatabaseImport;
  readonly #core: Core;
  readonly #name: string;
  readonly #create: boolean;

  /** @throws InputError if the database cannot be read or has another layout */
  static async open(
    program: Program,
    address: SourceAddress,
    core: Core,
    options: RoundOptions,
  ): Promise<ImportedDatabase> {
    const source = await openSource(address);
    try {
      return await ImportedDatabase.of(program, source, core, options);
    } catch (error) {
      await source[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The same for an open source. */
  static async of(
    program: Program,
    source: SourceDatabase,
    core: Core,
    options: RoundOptions,
  ): Promise<ImportedDatabase> {
    return new ImportedDatabase(program, source, await program.open(source, options), core, options);
  }

  private constructor(
    { word }: Program,
    source: SourceDatabase,
    opened: DatabaseImport,
    core: Core,
    { create, tablePrefix }: RoundOptions,
  ) {
    this.label = source.label;
    this.#name = [word, source.label, tablePrefix].filter(Boolean).join(' ');
    this.#source = source;
    this.#opened = opened;
    this.#core = core;
    this.#create = create;
  }

  /** See `DatabaseImport.findings`. */
  async *findings(extent: Extent): AsyncGenerator<Finding> {
    const [core, source, left] = [this.#core, this.#name, { rows: 0, names: 0 }];
    const context: ImportContext = { network: core, source, state: core.stateOf(source), create: this.#create, left };
    yield* this.#opened.findings(context, extent);
    yield* notesOf(left);
    yield { file: this.label, place: '', checkpoint: { source } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#source[Symbol.asyncDispose]();
  }
}
