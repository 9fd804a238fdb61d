import { uuidLabel, uuidOf } from '../../text/text.ts';
import type { Finding } from '../finding.ts';
import { ImportRefusal } from '../finding.ts';
import type { NetworkLookup } from '../core.ts';
import { flagIn, MAX_NAME, MAX_REASON, nameIn, numberIn, reasonIn, textIn, timeIn, uuidIn } from './cells.ts';
import {
  actorIn,
  type DatabaseImport,
  type Extent,
  type ImportContext,
  type LeftOut,
  PAGE_ROWS,
  type ProgramOptions,
  readRows,
} from './database-import.ts';
import { ServerScopes } from './litebans-scopes.ts';
import { punishmentFindings } from './punishment-page.ts';
import { expiryOf, orderedId, type PunishmentRecord, type RevocationRecord } from './punishment-record.ts';
import {
  checkLayout,
  numberColumn,
  placeholders,
  quoted,
  type SourceDatabase,
  type SourceRow,
  type SourceTable,
  textColumn,
} from './source-database.ts';

/** Reads the punishments of LiteBans. The columns of addresses are never selected. */

const TYPES = { bans: 'ban', mutes: 'mute', warnings: 'warn', kicks: 'kick' } as const;
type Kind = keyof typeof TYPES;
const KINDS = Object.keys(TYPES) as Kind[];

const COLUMNS = [
  'id',
  'uuid',
  'reason',
  'banned_by_uuid',
  'banned_by_name',
  'time',
  'until',
  'silent',
  'ipban',
  'active',
];
const REMOVAL = ['removed_by_uuid', 'removed_by_name', 'removed_by_date'];
const DEFAULT_PREFIX = 'litebans_';
/** Removals have times in whole seconds, and more rows of the same second may still be written. */
const OVERLAP_S = 2;

/** Times of the type timestamp, as whole seconds since 1970 and from them. */
const TIMES = {
  mysql: {
    seconds: (column: string) => `unix_timestamp(${column})`,
    fromSeconds: 'from_unixtime(?)',
  },
  postgres: {
    seconds: (column: string) => `floor(extract(epoch from ${column}))`,
    fromSeconds: 'to_timestamp(?)',
  },
};
type Dialect = keyof typeof TIMES;

interface Mark {
  id: number;
  /** The newest `removed_by_date` in seconds. */
  removed: number;
}

export async function openLiteBans(
  source: SourceDatabase,
  { tablePrefix: prefix = DEFAULT_PREFIX, serverScopes }: ProgramOptions = {},
): Promise<DatabaseImport> {
  if (!isLiteBansSource(source)) throw new Error(`LiteBans has no database of ${source.dialect}.`);
  const columns = [...COLUMNS, ...new ServerScopes(serverScopes).needed];
  const layout = {
    ...Object.fromEntries(
      KINDS.map((kind) => [`${prefix}${kind}`, kind === 'kicks' ? columns : [...columns, ...REMOVAL]]),
    ),
    [`${prefix}history`]: ['uuid', 'name', 'date'],
  };
  const tables = await checkLayout(source, layout, {
    program: 'LiteBans 2',
    hint: 'With another prefix of the tables, give --table-prefix.',
  });
  return new LiteBans(source, (name) => tables.get(`${prefix}${name}`)!, serverScopes);
}

const isLiteBansSource = (source: SourceDatabase): source is SourceDatabase & { dialect: Dialect } =>
  source.dialect in TIMES;

class LiteBans implements DatabaseImport {
  readonly #source: SourceDatabase & { dialect: Dialect };
  readonly #table: (name: Kind | 'history') => SourceTable;
  readonly #serverScopes: readonly string[] | undefined;
  readonly #marks = new Map<Kind, Mark>();

  constructor(
    source: SourceDatabase & { dialect: Dialect },
    table: (name: Kind | 'history') => SourceTable,
    serverScopes: readonly string[] | undefined,
  ) {
    this.#source = source;
    this.#table = table;
    this.#serverScopes = serverScopes;
  }

  async *findings(context: ImportContext, extent: Extent): AsyncGenerator<Finding> {
    const scopes = new ServerScopes(this.#serverScopes);
    for (const kind of KINDS) yield* this.#kind(kind, context, extent, scopes);
    // The total of the recent rows is not that of the database.
    if (extent === 'all') yield* scopes.notes();
  }

  async *#kind(kind: Kind, context: ImportContext, extent: Extent, scopes: ServerScopes): AsyncGenerator<Finding> {
    const table = this.#table(kind);
    const since = extent === 'all' ? undefined : this.#marks.get(kind);
    const mark = { ...(this.#marks.get(kind) ?? { id: 0, removed: 0 }) };
    const { dialect } = this.#source;
    const select = buildSelect(kind, dialect, table, scopes.selected(table), since !== undefined);
    for (let last = 0; ;) {
      // A time before 1970 would become null, and no time compares as later than null.
      const bounds = since === undefined ? [] : [since.id, Math.max(0, since.removed - OVERLAP_S)];
      const rows = await this.#source.rows(select, [last, ...(kind === 'kicks' ? bounds.slice(0, 1) : bounds)]);
      const chosen = scopes.chosenOf(rows);
      const names = await this.#namesOf(chosen, context.network);
      const records: PunishmentRecord[] = [];
      const read = (row: SourceRow, place: string): PunishmentRecord =>
        readLiteBans(row, { kind, table: table.name, place, names, now: context.network.now(), left: context.left });
      yield* readRows(table.name, chosen, read, records, context.left);
      yield* punishmentFindings(kind, records, context);
      for (const row of rows) {
        last = numberIn(row, 'id');
        mark.id = Math.max(mark.id, last);
        mark.removed = Math.max(mark.removed, Math.floor(Number(textIn(row, 'removed')) || 0));
      }
      if (rows.length < PAGE_ROWS) break;
    }
    this.#marks.set(kind, mark);
  }

  /**
   * The last known name of each player of a page. The history has no row of a player who was banned before the first
   * login: then the network may know the name, and otherwise the name is the label of the UUID.
   */
  async #namesOf(rows: readonly SourceRow[], network: NetworkLookup): Promise<Map<string, SourceRow>> {
    const uuids = [...new Set(rows.map((row) => textIn(row, 'uuid')))];
    if (uuids.length === 0) return new Map();
    const history = quoted(this.#table('history').name);
    // One index look-up per player. The time as a prefix makes the newest name the largest text.
    const found = await this.#source.rows(
      `select uuid, substr(max(concat(${TIMES[this.#source.dialect].seconds('date')}, ' ', name)), 12, ${MAX_NAME}) as name
       from ${history} where uuid in (${placeholders(uuids.length)}) group by uuid`,
      uuids,
    );
    const names = new Map(found.map((row) => [textIn(row, 'uuid').toLowerCase(), row]));
    for (const text of uuids) {
      const uuid = uuidOf(text);
      if (uuid !== undefined && !names.has(text.toLowerCase()))
        names.set(text.toLowerCase(), { name: (await network.nameOf(uuid)) ?? uuidLabel(uuid) });
    }
    return names;
  }
}

function buildSelect(
  kind: Kind,
  dialect: Dialect,
  { name, columns }: SourceTable,
  scopes: readonly string[],
  recent: boolean,
): string {
  const { seconds, fromSeconds } = TIMES[dialect];
  const isFalse = (column: string): string => `${flagColumn(dialect, column)} = 0`;
  const removal = kind !== 'kicks';
  const selected = [
    'id',
    textColumn('uuid', MAX_NAME),
    textColumn('reason', MAX_REASON + 1),
    textColumn('banned_by_uuid', MAX_NAME),
    textColumn('banned_by_name', MAX_NAME),
    numberColumn('time'),
    numberColumn('until'),
    `${flagColumn(dialect, 'active')} as active`,
    ...scopes,
    ...(removal
      ? [
          textColumn('removed_by_uuid', MAX_NAME),
          textColumn('removed_by_name', MAX_NAME),
          `${seconds('removed_by_date')} as removed`,
        ]
      : []),
    ...(removal && columns.has('removed_by_reason') ? [textColumn('removed_by_reason', MAX_REASON + 1)] : []),
  ];
  const wildcard = columns.has('ipban_wildcard') ? ` and ${isFalse('ipban_wildcard')}` : '';
  const changed = removal ? ` and (id > ? or removed_by_date >= ${fromSeconds})` : ' and id > ?';
  return `select ${selected.join(', ')} from ${quoted(name)}
    where id > ? and ${isFalse('silent')} and ${isFalse('ipban')}${wildcard} and uuid is not null and uuid <> '#offline#'${recent ? changed : ''}
    order by id limit ${PAGE_ROWS}`;
}

/** A flag as 0 or 1: in MySQL one bit, in PostgreSQL one bit or a boolean. */
function flagColumn(dialect: Dialect, column: string): string {
  return dialect === 'mysql'
    ? `${quoted(column)} + 0`
    : `case when cast(${quoted(column)} as text) in ('1', 'true') then 1 else 0 end`;
}

interface LiteBansContext {
  kind: Kind;
  table: string;
  place: string;
  /** Rows of the history by UUID as the database writes it. */
  names: ReadonlyMap<string, SourceRow>;
  now: number;
  left: LeftOut;
}

/** @throws ImportRefusal or AddressInRow */
export function readLiteBans(
  row: SourceRow,
  { kind, table, place, names, now, left }: LiteBansContext,
): PunishmentRecord {
  const uuid = uuidIn(row, 'uuid');
  const named = names.get(textIn(row, 'uuid').toLowerCase());
  const name = named === undefined ? '' : nameIn(named, 'name');
  if (name === '') throw new ImportRefusal('has no name in the history table', 'uuid');
  const [id, time] = [numberIn(row, 'id'), timeIn(row, 'time')];
  const expires = kind === 'kicks' ? null : expiryOf(numberIn(row, 'until'), time);
  return {
    table,
    place,
    rowId: orderedId(id),
    reference: `litebans:${kind}:${id}:${time.toString(36)}`,
    punished: { uuid, name },
    punisher: actorIn(row, 'banned_by_uuid', 'banned_by_name', left),
    type: TYPES[kind],
    reason: reasonIn(row, 'reason'),
    expires,
    time,
    revocation: kind === 'kicks' ? undefined : revocationIn(row, expires, now, left),
  };
}

/** Whether a row is inactive for another reason than its end, which LiteBans records as removed by `#expired`. */
function revocationIn(
  row: SourceRow,
  expires: number | null,
  now: number,
  left: LeftOut,
): RevocationRecord | undefined {
  if (flagIn(row, 'active')) return undefined;
  const [uuid, name] = [textIn(row, 'removed_by_uuid'), textIn(row, 'removed_by_name')];
  if (name === '#expired' || uuid === '#expired') return undefined;
  const isOver = expires !== null && expires <= now;
  if (uuid === '' && name === '' && isOver) return undefined;
  const seconds = Number(textIn(row, 'removed'));
  return {
    time: Number.isFinite(seconds) && seconds > 0 ? Math.floor(seconds * 1000) : undefined,
    reason: reasonIn(row, 'removed_by_reason'),
    revoker: actorIn(row, 'removed_by_uuid', 'removed_by_name', left),
  };
}
