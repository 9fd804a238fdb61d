import type { Connection } from 'mysql2/promise';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import type { Report } from '../report.ts';
import { followImport, PASSWORD, type Ran, resultOf, runImport, USER } from './command.ts';
import type { MariaDb } from './mariadb.ts';
import {
  ADVANCEDBAN_ROWS,
  advancedBanOf,
  COMMUNITY_ROWS,
  fillAdvancedBan,
  fillCommunity,
  fillLiteBans,
  fillPlan,
  insertAdvancedBans,
  insertPlanSessions,
  LITEBANS_KINDS,
  LITEBANS_READABLE,
  LITEBANS_REMOVAL,
  LITEBANS_ROWS,
  LITEBANS_SCOPED,
  MODERATOR,
  PLAN_SESSIONS,
  planSession,
  uuidOf,
} from './source-tables.ts';

export interface Source {
  mariadb: MariaDb;
  /** The database of Scorehall. */
  url: string;
  /** The database of the plugin. */
  name: string;
}

const CHANGES = 500;
const MOST_MB = 400;

export async function importLiteBans(source: Source, report: Report): Promise<void> {
  const connection = await createSource(source);
  await fillLiteBans(connection, Date.now());
  await grantWithoutAddresses(connection, source.name);
  const again = (...options: string[]): Promise<Ran> =>
    runImport(source.url, ['litebans', sourceAddress(source), '--json', ...options]);

  const first = await again();
  const { taken, refused, notes } = resultOf(first);
  report.add(
    `LiteBans: events of ${LITEBANS_ROWS} rows`,
    `${taken}, ${refused} refused`,
    taken === LITEBANS_ROWS && refused === 0,
  );
  report.note('  seconds of the first import', first.seconds.toFixed(1));
  report.add('  most memory of the process, MB', first.peakMb ?? 'unknown', (first.peakMb ?? 0) < MOST_MB);
  const isNoted = (text: string): boolean => notes.some(({ note }) => note.startsWith(text));
  report.add(
    '  rows with an address as player, and of one server',
    notes.map(({ note }) => note.slice(0, 50)).join(),
    isNoted('2 rows were left out') && isNoted(`${LITEBANS_SCOPED} rows were imported for the whole network`),
  );
  const second = await again();
  const repeated = resultOf(second);
  report.add(
    '  imported again',
    `${repeated.taken} events`,
    repeated.taken === 0 && repeated.unchanged === LITEBANS_ROWS,
  );
  report.note('  seconds of an import without changes', second.seconds.toFixed(1));

  const network = resultOf(await again('--server-scope', '*', '--dry-run'));
  report.add(
    '  those of the whole network alone',
    `${network.unchanged} unchanged`,
    network.unchanged === LITEBANS_ROWS - LITEBANS_SCOPED,
  );

  await connection.query(
    `update litebans_bans set active = 0, removed_by_uuid = ?, removed_by_name = 'Mod', removed_by_date = now()
     where silent = 0 and ipban = 0 and id % 200 = 0 limit ${CHANGES}`,
    [MODERATOR],
  );
  const changed = resultOf(await again());
  report.add(`  ${CHANGES} removals`, `${changed.taken} events`, changed.taken === CHANGES);
  const counts = await countPunishments(source.url);
  const expected = [LITEBANS_ROWS, CHANGES];
  report.add('  punishments and revocations stored', counts.join(', '), counts.join() === expected.join());

  const printed = first.out + first.err + second.out + second.err;
  report.add('  the password in the output', String(printed.includes(PASSWORD)), !printed.includes(PASSWORD));
  await addressesAreUnreadable(source, report);
  const wrong = await again('--table-prefix', 'other_');
  report.add(
    '  a wrong prefix',
    wrong.err.trim().slice(0, 90),
    wrong.status === 2 && wrong.err.includes('has no table other_bans'),
  );
  await connection.end();
}

/** The user of the imports cannot read addresses, so that a statement that selects one fails. */
async function addressesAreUnreadable(source: Source, report: Report): Promise<void> {
  const { createConnection } = await import('mysql2/promise');
  const reader = await createConnection({
    host: '127.0.0.1',
    port: source.mariadb.port,
    user: USER,
    password: PASSWORD,
    database: source.name,
  });
  const refusals: string[] = [];
  for (const table of [...LITEBANS_KINDS, 'history'])
    await reader
      .query(`select ip from litebans_${table} limit 1`)
      .catch((error: { code: string }) => refusals.push(error.code));
  await reader.end();
  const unreadable = refusals.filter((code) => code === 'ER_COLUMNACCESS_DENIED_ERROR').length;
  report.add('  columns of addresses that the user may not read', `${unreadable} of 5`, unreadable === 5);
}

export async function followLiteBans(source: Source, report: Report): Promise<void> {
  const connection = await source.mariadb.connect(source.name);
  const following = followImport(source.url, ['litebans', sourceAddress(source), '--follow', '1']);
  const first = await following.line('taken');
  report.add('follow: nothing new at first', first.slice(25), first.includes('taken 0,'));
  await connection.query(
    `update litebans_bans set active = 0, removed_by_uuid = 'CONSOLE', removed_by_name = 'Console', removed_by_date = now() where id = 3`,
  );
  const removal = await following.line('taken');
  report.add('  a removal', removal.slice(25), removal.includes('taken 1,'));
  await connection.end();
  await source.mariadb.stop();
  const outage = await following.line('Trying again');
  await source.mariadb.start();
  await following.line('can be read again');
  report.add('  an outage of MariaDB is waited out', outage.slice(25, 90), true);
  const restarted = await source.mariadb.connect(source.name);
  await restarted.query(
    `insert into litebans_kicks (uuid, ip, reason, banned_by_uuid, time, until, silent, ipban, active)
     values ('${MODERATOR}', '203.0.113.9', 'Spam', 'CONSOLE', ${Date.now()}, 0, 0, 0, 0)`,
  );
  const kick = await following.line('taken');
  report.add('  a kick after it', kick.slice(25), kick.includes('taken 1,'));
  await restarted.end();
  const status = await following.stop();
  report.add('  ends at SIGTERM', String(status), status === 0);
}

export async function importAdvancedBan(source: Source, report: Report): Promise<void> {
  const connection = await createSource(source);
  const now = Date.now();
  await fillAdvancedBan(connection, now);
  await connection.query(`grant select on ${source.name}.* to '${USER}'@'127.0.0.1'`);
  const before = await countPunishments(source.url);
  const again = async (): Promise<number> =>
    resultOf(await runImport(source.url, ['advancedban', sourceAddress(source), '--json'])).taken;
  const half = ADVANCEDBAN_ROWS / 2;
  const first = await again();
  report.add(
    'AdvancedBan: issued, and half of them lifted before',
    `${first} events`,
    first === ADVANCEDBAN_ROWS + half,
  );
  const repeated = await again();
  report.add('  imported again', `${repeated} events`, repeated === 0);

  await connection.query('delete from Punishments order by id limit 10');
  await connection.query(`delete from PunishmentHistory where id > ${ADVANCEDBAN_ROWS} - 5`);
  await connection.query('delete from Punishments order by id desc limit 8');
  await connection.query(`update Punishments set reason = 'Edited' order by id limit 7`);
  for (const table of ['PunishmentHistory', 'Punishments'] as const)
    await insertAdvancedBans(connection, table, [advancedBanOf(1, 'TEMP_MUTE', now)]);
  const changed = await again();
  report.add('  10 lifted, 7 edited, 1 new, 5 deleted by hand', `${changed} events`, changed === 10 + 7 + 1);
  const settled = await again();
  report.add('  imported again', `${settled} events`, settled === 0);
  const [punishments, revoked] = await countPunishments(source.url);
  const added = [punishments! - before[0]!, revoked! - before[1]!];
  const expected = [ADVANCEDBAN_ROWS + 1, half + 10];
  report.add('  punishments and revocations stored', added.join(', '), added.join() === expected.join());
  await connection.end();
}

export async function importCommunity(source: Source, report: Report): Promise<void> {
  const connection = await createSource(source);
  const now = Date.now();
  await fillCommunity(connection, now);
  await connection.query(`grant select on ${source.name}.* to '${USER}'@'127.0.0.1'`);
  const again = async (): Promise<number> =>
    resultOf(await runImport(source.url, ['pgmdev', sourceAddress(source), '--create', '--json'])).taken;
  const first = await again();
  // One session is disguised, and one still lasts.
  const expected = COMMUNITY_ROWS + 2 * (COMMUNITY_ROWS - 1) - 1;
  report.add('Community: punishments, logins and logouts', `${first} events`, first === expected);
  await connection.query(
    `update punishments set active = false, last_updated = ${now} where punished = '${uuidOf(5)}'`,
  );
  await connection.query(`update sessions set end_time = ${now} where end_time is null`);
  const changed = await again();
  report.add('  a pardon and a logout', `${changed} events`, changed === 2);
  const settled = await again();
  report.add('  imported again', `${settled} events`, settled === 0);
  await connection.end();
}

export async function createSource({ mariadb, name }: Source): Promise<Connection> {
  const connection = await mariadb.connect();
  await connection.query(`create database ${name} character set utf8mb4`);
  await connection.query(`create user if not exists '${USER}'@'127.0.0.1' identified by '${PASSWORD}'`);
  await connection.changeUser({ database: name });
  return connection;
}

async function grantWithoutAddresses(connection: Connection, name: string): Promise<void> {
  const grant = (columns: string, table: string): Promise<unknown> =>
    connection.query(`grant select (${columns}) on ${name}.litebans_${table} to '${USER}'@'127.0.0.1'`);
  for (const kind of LITEBANS_KINDS)
    await grant(kind === 'kicks' ? LITEBANS_READABLE : `${LITEBANS_READABLE}, ${LITEBANS_REMOVAL}`, kind);
  await grant('id, uuid, name, date', 'history');
}

const sourceAddress = ({ mariadb, name }: Source): string => `mysql://${USER}@127.0.0.1:${mariadb.port}/${name}`;

async function countPunishments(url: string): Promise<number[]> {
  await using db = await openDb(url, { keyedHash: secretHash });
  const row = await db.tuple(sql`select count(*), count(revoked) from punishments`);
  return row!.map(Number);
}

export async function importPlan(source: Source, report: Report): Promise<void> {
  const connection = await createSource(source);
  const now = Date.now();
  await fillPlan(connection, now);
  await connection.query(`grant select on ${source.name}.* to '${USER}'@'127.0.0.1'`);
  const again = async (): Promise<number> =>
    resultOf(await runImport(source.url, ['plan', sourceAddress(source), '--create', '--json'])).taken;
  const first = await again();
  report.add('Plan: logins and logouts', `${first} events`, first === 2 * PLAN_SESSIONS);
  await insertPlanSessions(connection, [planSession(7, now)]);
  const later = await again();
  report.add('  a new session', `${later} events`, later === 2);
  const settled = await again();
  report.add('  imported again', `${settled} events`, settled === 0);
  await connection.end();
}
