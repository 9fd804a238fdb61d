import type { Finding } from '../finding.ts';
import { fit } from '../../text/line.ts';
import { reasonIn } from './cells.ts';
import { counted } from './database-import.ts';
import { type SourceRow, type SourceTable, textColumn } from './source-database.ts';

/** The servers to which a punishment of LiteBans applies: `*`, or the `server_name` of one or several servers. */

const COLUMN = 'server_scope';
/** LiteBans' own limit is 32 characters. */
const MAX_SCOPE = 64;
const WHOLE_NETWORK = '*';
/** The spellings of the whole network by versions of LiteBans and by operators. */
const WHOLE_NETWORK_WORDS = ['', '*', 'global'];
/** Scopes that a note lists. */
const LISTED = 8;

/** Chooses the rows of some scopes, and counts them. */
export class ServerScopes {
  readonly #chosen: ReadonlySet<string> | undefined;
  /** The first spelling and the number of rows of each scope for the notes. */
  readonly #counts = new Map<string, { name: string; rows: number }>();

  /** @param chosen the scopes to import; empty: all */
  constructor(chosen: readonly string[] = []) {
    this.#chosen = chosen.length === 0 ? undefined : new Set(chosen.map(scopeKey));
  }

  /** Columns that the tables must have. */
  get needed(): string[] {
    return this.#chosen === undefined ? [] : [COLUMN];
  }

  /** The expressions to select; none if all rows are chosen and the user may not read the scopes. */
  selected({ columns }: SourceTable): string[] {
    return columns.has(COLUMN) ? [textColumn(COLUMN, MAX_SCOPE)] : [];
  }

  chosenOf(rows: readonly SourceRow[]): SourceRow[] {
    return rows.filter((row) => {
      // Addresses in a scope are replaced as in a reason, because the scope is shown.
      const name = fit(reasonIn(row, COLUMN), MAX_SCOPE);
      const key = scopeKey(name);
      const isChosen = this.#chosen?.has(key) ?? true;
      if (this.#chosen === undefined ? key !== WHOLE_NETWORK : !isChosen) this.#count(key, name);
      return isChosen;
    });
  }

  #count(key: string, name: string): void {
    const count = this.#counts.get(key) ?? { name: key === WHOLE_NETWORK ? 'all servers' : name, rows: 0 };
    this.#counts.set(key, { ...count, rows: count.rows + 1 });
  }

  /** Explains the scopes of the rows, after all of them were read. */
  *notes(): Generator<Finding> {
    const counts = [...this.#counts.values()].sort((a, b) => b.rows - a.rows);
    if (counts.length === 0) return;
    const total = counts.reduce((sum, { rows }) => sum + rows, 0);
    const names = counts.slice(0, LISTED).map(({ name, rows }) => `${name} (${rows})`);
    const list = [...names, ...(counts.length > LISTED ? [`and ${counts.length - LISTED} more`] : [])].join(', ');
    const note =
      this.#chosen === undefined
        ? `${counted(total, 'row')} imported for the whole network, but LiteBans applies them to some servers only: ${list}. ` +
          `To leave them out, give --server-scope '*'.`
        : `${counted(total, 'row')} left out, of other servers than --server-scope names: ${list}.`;
    yield { file: COLUMN, place: '', note };
  }
}

/** LiteBans ignores the case of scopes. */
function scopeKey(scope: string): string {
  const key = scope.trim().toLowerCase();
  return WHOLE_NETWORK_WORDS.includes(key) ? WHOLE_NETWORK : key;
}
