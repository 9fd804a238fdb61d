import type { Connection } from 'mysql2/promise';
import { chunksOf } from '#platform/streams/chunks.ts';

/** The tables of LiteBans and AdvancedBan as these plugins create them, filled with invented players. */

export const LITEBANS_ROWS = 100_000;
/** Bans of one server only. */
export const LITEBANS_SCOPED = 100;
export const ADVANCEDBAN_ROWS = 5_000;
/** Rows of one `insert`. */
const BATCH = 2_000;
const DAY_MS = 86_400_000;

const punishments = (name: string, removable: boolean): string => `create table litebans_${name} (
  id bigint unsigned not null auto_increment unique, uuid varchar(36), ip varchar(45), reason varchar(2048),
  banned_by_uuid varchar(36) not null, banned_by_name varchar(128),
  ${removable ? 'removed_by_uuid varchar(36), removed_by_name varchar(128), removed_by_reason varchar(2048), removed_by_date timestamp not null default current_timestamp,' : ''}
  time bigint not null, until bigint not null, template tinyint unsigned not null default 255, server_scope varchar(32),
  server_origin varchar(32), silent bit(1) not null, ipban bit(1) not null, ipban_wildcard bit(1) not null default b'0',
  active bit(1) not null, primary key (id), key (uuid), key (ip), key (time))`;

export const LITEBANS_KINDS = ['bans', 'mutes', 'warnings', 'kicks'] as const;
/** Columns of LiteBans that the user of the import may read; \`ip\` is none of them. */
export const LITEBANS_READABLE =
  'id, uuid, reason, banned_by_uuid, banned_by_name, time, until, server_scope, silent, ipban, ipban_wildcard, active';
export const LITEBANS_REMOVAL = 'removed_by_uuid, removed_by_name, removed_by_reason, removed_by_date';

export const uuidOf = (player: number): string => `7f0c6a4e-52b1-4c2f-9b7d-${player.toString(16).padStart(12, '0')}`;
export const MODERATOR = uuidOf(0);
const inventedAddress = (player: number): string => `203.0.${(player >> 8) % 256}.${player % 256}`;

/** `LITEBANS_ROWS` bans to import, and two of each kind that is left out: silent, of an address, without a player. */
export async function fillLiteBans(connection: Connection, now: number): Promise<void> {
  for (const kind of LITEBANS_KINDS) await connection.query(punishments(kind, kind !== 'kicks'));
  await connection.query(`create table litebans_history (id bigint unsigned not null auto_increment primary key,
    date timestamp not null default current_timestamp, name varchar(16), uuid varchar(36), ip varchar(45), key (uuid))`);
  const players = Array.from({ length: LITEBANS_ROWS + 1 }, (_, player) => player);
  for (const some of chunksOf(players, BATCH)) {
    await connection.query('insert into litebans_history (name, uuid, ip) values ?', [
      some.map((player) => [player === 0 ? 'Mod' : `Player${player}`, uuidOf(player), inventedAddress(player)]),
    ]);
  }
  for (const some of chunksOf(players.slice(1), BATCH))
    await insertBans(
      connection,
      some.map((player) => inventedBan(player, now)),
    );
  const ban = inventedBan(LITEBANS_ROWS, now);
  await insertBans(
    connection,
    [{ silent: 1 }, { ipban: 1 }, { uuid: '#offline#' }, { uuid: '203.0.113.9' }].flatMap((parts) => [
      { ...ban, ...parts },
      { ...ban, ...parts },
    ]),
  );
}

type Ban = ReturnType<typeof inventedBan>;

function inventedBan(player: number, now: number) {
  return {
    uuid: uuidOf(player),
    ip: inventedAddress(player),
    reason: `Reason ${player}`,
    banned_by_uuid: player % 3 === 0 ? 'CONSOLE' : MODERATOR,
    banned_by_name: player % 3 === 0 ? 'Console' : 'Mod',
    time: now - DAY_MS - player * 1_000,
    until: player % 2 === 0 ? -1 : now + DAY_MS,
    server_scope: player <= LITEBANS_SCOPED ? 'Survival' : '*',
    silent: 0,
    ipban: 0,
    active: 1,
  };
}

async function insertBans(connection: Connection, bans: readonly Ban[]): Promise<void> {
  const columns = Object.keys(bans[0]!).join(', ');
  await connection.query(`insert into litebans_bans (${columns}) values ?`, [bans.map((ban) => Object.values(ban))]);
}

const ADVANCEDBAN = (name: string): string => `create table ${name} (id int not null auto_increment,
  name VARCHAR(16), uuid VARCHAR(35), reason VARCHAR(255), operator VARCHAR(16), punishmentType VARCHAR(16), start LONG, end LONG,
  calculation VARCHAR(50), primary key (id))`;

/** Half of the punishments are in force; the history has all of them, and also IP bans and notes. */
export async function fillAdvancedBan(connection: Connection, now: number): Promise<void> {
  for (const table of ['Punishments', 'PunishmentHistory']) await connection.query(ADVANCEDBAN(table));
  const rows = Array.from({ length: ADVANCEDBAN_ROWS }, (_, index) => advancedBanOf(index + 1, 'BAN', now));
  const others = ['IP_BAN', 'TEMP_IP_BAN', 'NOTE'].map((type) => [
    '203.0.113.9',
    '203.0.113.9',
    'x',
    'Mod',
    type,
    now,
    -1,
  ]);
  await insertAdvancedBans(connection, 'PunishmentHistory', [...rows, ...others]);
  const inForce = rows.slice(ADVANCEDBAN_ROWS / 2);
  await insertAdvancedBans(connection, 'Punishments', [...inForce, ...others]);
}

export const advancedBanOf = (player: number, type: string, now: number): (string | number)[] => [
  `Player${player}`,
  uuidOf(player).replaceAll('-', ''),
  `Reason ${player}`,
  player % 2 === 0 ? 'CONSOLE' : 'Mod',
  type,
  now - DAY_MS - player,
  -1,
];

export async function insertAdvancedBans(
  connection: Connection,
  table: 'Punishments' | 'PunishmentHistory',
  rows: readonly (string | number)[][],
): Promise<void> {
  for (const some of chunksOf(rows, BATCH))
    await connection.query(`insert into ${table} (name, uuid, reason, operator, punishmentType, start, end) values ?`, [
      some,
    ]);
}

/** The tables of Community as it creates them: in MySQL a `LONG` is a text. */
export async function fillCommunity(connection: Connection, now: number): Promise<void> {
  await connection.query(`create table punishments (id VARCHAR(36) PRIMARY KEY, punished VARCHAR(36), issuer VARCHAR(36),
    reason VARCHAR(255), type VARCHAR(8), time LONG, expires LONG, active BOOL, last_updated LONG, updated_by VARCHAR(36),
    service VARCHAR(255))`);
  await connection.query(`create table sessions (id VARCHAR(36) PRIMARY KEY, player VARCHAR(36), disguised BOOL,
    server VARCHAR(32), start_time BIGINT, end_time BIGINT)`);
  await connection.query(
    'create table users (id VARCHAR(36) PRIMARY KEY, name VARCHAR(16), first_join LONG, join_count INT)',
  );
  const players = Array.from({ length: COMMUNITY_ROWS }, (_, index) => index + 1);
  const time = now - DAY_MS;
  await connection.query('insert into users values ?', [
    players.map((player) => [uuidOf(player), `Player${player}`, time, 1]),
  ]);
  await connection.query('insert into punishments values ?', [
    players.map((player) => {
      const temporary = player % 2 === 0;
      const [type, expires] = [temporary ? 'TEMP_BAN' : 'BAN', temporary ? now + DAY_MS : time];
      return [uuidOf(player), uuidOf(player), 'console', 'Why', type, time, expires, true, time, 'console', 'pgm'];
    }),
  ]);
  await connection.query('insert into sessions values ?', [
    players.map((player) => [
      uuidOf(player),
      uuidOf(player),
      player === 1,
      'Lantern',
      time,
      player === 2 ? null : time + 1,
    ]),
  ]);
}

export const COMMUNITY_ROWS = 1_000;

/** The statements of `createTableSQL` in SessionsTable, UsersTable and ServerTable of Plan 6108bc28 for MySQL. */
const PLAN_TABLES = [
  `create table plan_servers (id integer not null auto_increment, uuid varchar(36) not null unique, name varchar(100),
    web_address varchar(100), is_installed boolean not null default 1, is_proxy boolean not null default 0,
    plan_version varchar(18), primary key (id))`,
  `create table plan_users (id integer not null auto_increment, uuid varchar(36) not null unique, registered bigint not null,
    name varchar(36) not null, times_kicked integer not null default 0, primary key (id))`,
  `create table plan_sessions (id integer not null auto_increment, user_id integer not null, server_id integer not null,
    session_start bigint not null, session_end bigint not null, mob_kills integer not null, deaths integer not null,
    afk_time bigint not null, join_address_id integer not null default 1, primary key (id),
    foreign key (user_id) references plan_users (id), foreign key (server_id) references plan_servers (id))`,
];
export const PLAN_SESSIONS = 5_000;

/** Sessions on two servers of a network, each of which a player ended before the next. */
export async function fillPlan(connection: Connection, now: number): Promise<void> {
  for (const statement of PLAN_TABLES) await connection.query(statement);
  await connection.query('insert into plan_servers (uuid, name) values ?', [
    ['Lantern', 'Hub'].map((name, index) => [uuidOf(index), name]),
  ]);
  await connection.query('insert into plan_users (uuid, registered, name) values ?', [
    Array.from({ length: 50 }, (_, player) => [uuidOf(player), now - DAY_MS, `Player${player}`]),
  ]);
  const sessions = Array.from({ length: PLAN_SESSIONS }, (_, index) =>
    planSession(index, now - DAY_MS + index * 1_000),
  );
  for (const some of chunksOf(sessions, BATCH)) await insertPlanSessions(connection, some);
}

export const planSession = (index: number, start: number): number[] => [
  (index % 50) + 1,
  (index % 2) + 1,
  start,
  start + 500,
  0,
  0,
  0,
];

export async function insertPlanSessions(connection: Connection, rows: readonly number[][]): Promise<void> {
  await connection.query(
    'insert into plan_sessions (user_id, server_id, session_start, session_end, mob_kills, deaths, afk_time) values ?',
    [rows],
  );
}
