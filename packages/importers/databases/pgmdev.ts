import { ImportRefusal, type Finding } from '../finding.ts';
import { flagIn, MAX_NAME, MAX_REASON, nameIn, numberIn, reasonIn, textIn, timeIn, uuidIn } from './cells.ts';
import {
  actorIn,
  type DatabaseImport,
  type Extent,
  type ImportContext,
  type LeftOut,
  PAGE_ROWS,
  readRows,
} from './database-import.ts';
import { punishmentFindings } from './punishment-page.ts';
import { expiryOf, type PunishmentRecord, type RevocationRecord } from './punishment-record.ts';
import { checkSession, endIn, sessionFindings, type SessionPage, type SessionRecord } from './sessions.ts';
import { checkLayout, numberColumn, type SourceDatabase, type SourceRow, textColumn } from './source-database.ts';

/** Reads punishments and sessions of PGMDev's plugin Community. Its tables of addresses and of disguises are never read. */

const LAYOUT = {
  punishments: [
    'id',
    'punished',
    'issuer',
    'reason',
    'type',
    'time',
    'expires',
    'active',
    'last_updated',
    'updated_by',
  ],
  sessions: ['id', 'player', 'disguised', 'server', 'start_time', 'end_time'],
  users: ['id', 'name'],
};
/** A name ban prevents the login until the player has another name, and is lifted then. */
const TYPES: Readonly<Record<string, string>> = {
  MUTE: 'mute',
  WARN: 'warn',
  KICK: 'kick',
  BAN: 'ban',
  TEMP_BAN: 'ban',
  NAME_BAN: 'ban',
};
/** The plugin writes a row some time after the time in it. */
const OVERLAP_MS = 600_000;

export async function openCommunity(source: SourceDatabase): Promise<DatabaseImport> {
  await checkLayout(source, LAYOUT, { program: 'Community of PGMDev', hint: 'Is it the database of Community?' });
  return new Community(source);
}

class Community implements DatabaseImport {
  readonly #source: SourceDatabase;
  /** The newest `last_updated`. */
  #updated = 0;

  constructor(source: SourceDatabase) {
    this.#source = source;
  }

  async *findings(context: ImportContext, extent: Extent): AsyncGenerator<Finding> {
    yield* this.#punishments(context, extent);
    yield* sessionFindings((mark) => this.#sessions(mark, context), context);
  }

  async *#punishments(context: ImportContext, extent: Extent): AsyncGenerator<Finding> {
    const since = extent === 'all' ? undefined : this.#updated - OVERLAP_MS;
    for (let last = ''; ;) {
      const rows = await this.#source.rows(
        punishmentsSelect(since !== undefined),
        since === undefined ? [last] : [last, since],
      );
      const records: PunishmentRecord[] = [];
      const read = (row: SourceRow, place: string): PunishmentRecord =>
        readCommunityPunishment(row, place, context.network.now(), context.left);
      yield* readRows('punishments', rows, read, records, context.left);
      yield* punishmentFindings('punishments', records, context);
      for (const row of rows) this.#updated = Math.max(this.#updated, Number(textIn(row, 'last_updated')) || 0);
      if (rows.length < PAGE_ROWS) return;
      last = textIn(rows.at(-1)!, 'id');
    }
  }

  /**
   * The ids are random, so that the sessions of a period are scattered over the table. The mark is a time, set after
   * the last session.
   */
  async *#sessions(mark: number, context: ImportContext): AsyncGenerator<SessionPage> {
    const now = context.network.now();
    const since = mark - OVERLAP_MS;
    let newest = mark;
    for (let last = ''; ;) {
      const rows = await this.#source.rows(SESSIONS, [last, since, since]);
      const records: SessionRecord[] = [];
      const findings = [...readRows('sessions', rows, readCommunitySession, records, context.left)];
      for (const { start, end } of records) newest = Math.max(newest, Math.min(now, end ?? start));
      const isLast = rows.length < PAGE_ROWS;
      yield { records, findings, mark: isLast ? newest : undefined };
      if (isLast) return;
      last = textIn(rows.at(-1)!, 'id');
    }
  }
}

function punishmentsSelect(recent: boolean): string {
  const columns = [
    textColumn('p.id', MAX_NAME, 'id'),
    textColumn('p.punished', MAX_NAME, 'punished'),
    textColumn('p.issuer', MAX_NAME, 'issuer'),
    textColumn('p.reason', MAX_REASON + 1, 'reason'),
    textColumn('p.type', MAX_NAME, 'type'),
    numberColumn('p.time', 'time'),
    numberColumn('p.expires', 'expires'),
    numberColumn('p.active', 'active'),
    numberColumn('p.last_updated', 'last_updated'),
    textColumn('p.updated_by', MAX_NAME, 'updated_by'),
    textColumn('u.name', MAX_NAME, 'punished_name'),
    textColumn('i.name', MAX_NAME, 'issuer_name'),
    textColumn('b.name', MAX_NAME, 'updater_name'),
  ];
  return `select ${columns.join(', ')} from punishments p left join users u on u.id = p.punished
    left join users i on i.id = p.issuer left join users b on b.id = p.updated_by
    where p.id > ?${recent ? ' and p.last_updated + 0 >= ?' : ''} order by p.id limit ${PAGE_ROWS}`;
}

const SESSIONS = `select ${[
  textColumn('s.id', MAX_NAME, 'id'),
  textColumn('s.player', MAX_NAME, 'player'),
  textColumn('s.server', MAX_NAME, 'server'),
  numberColumn('s.start_time', 'start_time'),
  numberColumn('s.end_time', 'end_time'),
  textColumn('u.name', MAX_NAME, 'name'),
].join(', ')} from sessions s left join users u on u.id = s.player
  where s.id > ? and coalesce(s.disguised, 0) = 0 and (s.start_time >= ? or s.end_time >= ?)
  order by s.id limit ${PAGE_ROWS}`;

/** @throws ImportRefusal or AddressInRow */
function readCommunityPunishment(row: SourceRow, place: string, now: number, left: LeftOut): PunishmentRecord {
  const [id, uuid, name] = [uuidIn(row, 'id'), uuidIn(row, 'punished'), nameIn(row, 'punished_name')];
  if (name === '') throw new ImportRefusal('has no name in the table users', 'punished');
  const type = TYPES[textIn(row, 'type').toUpperCase()];
  if (type === undefined) throw new ImportRefusal(`is none of ${Object.keys(TYPES).join(', ')}`, 'type');
  const [time, changed] = [timeIn(row, 'time'), timeIn(row, 'last_updated')];
  const until = numberIn(row, 'expires');
  // Without an end the column has the time at which the punishment was issued.
  const expires = until <= time ? null : expiryOf(until, time);
  return {
    table: 'punishments',
    place,
    rowId: id,
    reference: `pgmdev:${id}`,
    punished: { uuid, name },
    punisher: actorIn(row, 'issuer', 'issuer_name', left),
    type,
    reason: reasonIn(row, 'reason'),
    expires,
    time,
    changed,
    revocation: ['ban', 'mute'].includes(type) ? revocationIn(row, { time, changed, expires, now }, left) : undefined,
  };
}

/** Kicks and warnings become inactive when the player has seen them; bans and mutes when they are lifted. */
function revocationIn(
  row: SourceRow,
  { time, changed, expires, now }: { time: number; changed: number; expires: number | null; now: number },
  left: LeftOut,
): RevocationRecord | undefined {
  if (flagIn(row, 'active')) return undefined;
  if (changed <= time && expires !== null && expires <= now) return undefined;
  return {
    time: changed > time ? changed : undefined,
    reason: '',
    revoker: actorIn(row, 'updated_by', 'updater_name', left),
  };
}

/** @throws ImportRefusal or AddressInRow */
function readCommunitySession(row: SourceRow, place: string): SessionRecord {
  return checkSession({
    table: 'sessions',
    place,
    id: `pgmdev:session:${uuidIn(row, 'id')}`,
    player: { uuid: uuidIn(row, 'player'), name: nameIn(row, 'name') },
    server: nameIn(row, 'server'),
    start: timeIn(row, 'start_time'),
    end: endIn(row, 'end_time'),
  });
}
