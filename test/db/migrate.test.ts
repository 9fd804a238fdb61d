import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { secretHash } from '#platform/crypto/secrets.ts';
import { UsageError } from '#platform/errors.ts';
import { idOf } from '#platform/ids.ts';
import { nameKey } from '#text/text.ts';
import type { Db } from '#db/db.ts';
import { teamsKeyOf } from '#store/game/own-teams.ts';
import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';
import { sql } from '#db/sql.ts';
import { openBackup, restoreBackup } from '#db/transfer/backup-file.ts';
import { mapChanges } from '#events/handlers/map-changes.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { punishmentHistory } from '#events/punishments/changes.ts';
import { type LoggedReceipt, receiptsBefore } from '#events/ledger/server-events.ts';
import { setRole } from '#store/accounts/account-changes.ts';
import { listAccounts } from '#store/accounts/accounts.ts';
import { listAudit } from '#store/audit/audit.ts';
import { punishmentByKey } from '#store/game/punishments.ts';
import { serverByKey } from '#store/game/servers.ts';
import { event } from '#test/support/builders.ts';
import { createEmptyDatabase, onEachEmptyDatabase, testContext, TestClock } from '#test/support/context.ts';

const SRC = join(import.meta.dirname, '../../src');
const FILES = readdirSync(join(SRC, 'db/migrations')).filter((name) => name.endsWith('.sql'));

const OPERATOR = { kind: 'operator' } as const;
const ANN = '00000000-0000-4000-8000-000000000001';
/** A rejected event of server 1, as the baseline stores it. */
const refusal = (key: number): ReturnType<typeof sql> => sql`
  insert into refusals (key, scope_key, event_id, reason, place, received) values (${key}, 1, 'bad', 'is odd', 'id', 9)`;
/** Its letters sort differently by collation. */
const MAP = 'Łódź Isle';

/** A program that migrates the database, run as another process. */
const STARTER = `
  const { openDb } = await import(${JSON.stringify(`${SRC}/db/open.ts`)});
  const { migrate } = await import(${JSON.stringify(`${SRC}/db/migrate.ts`)});
  const db = await openDb(process.argv[1]);
  await migrate(db);
  await db.close();`;

const start = (url: string) => promisify(execFile)(process.execPath, ['--input-type=module', '-e', STARTER, url]);

onEachEmptyDatabase('migrations run once, even when four processes start together', async (t, url) => {
  await Promise.all([start(url), start(url), start(url), start(url)]);
  const db = await openDb(url);
  t.after(() => db.close());
  const rows = await db.tuples(sql`select number, name from migrations order by number`);
  assert.deepEqual(
    rows,
    FILES.toSorted().map((name, place) => [place + 1, name]),
  );
  await migrate(db);
  assert.deepEqual(await db.tuples(sql`select last from sequence where name = 'key'`), [[0]]);
});

onEachEmptyDatabase('a database in use is backed up before it is migrated', async (t, url) => {
  const folder = mkdtempSync(join(tmpdir(), 'scorehall-migrate-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const db = await openDb(url);
  const before = FILES.length - 1;
  await migrate(db, { upTo: before });
  await db.run(sql`insert into throttles (subject, used, resets) values ('before', 1, 1)`);
  await db.run(refusal(5));
  await db.close();
  const backups = (): string[] => readdirSync(join(folder, 'backups'));
  await testContext(t, url, { DATA_FOLDER: folder });
  await testContext(t, url, { DATA_FOLDER: folder });
  const [name, ...others] = backups();
  assert.deepEqual(others, [], 'only before a migration');
  assert.ok(name!.startsWith(`before-migration-${FILES.length}-2026-03-01T120000000Z-`));
  await using backup = await openBackup(join(folder, 'backups', name!));
  assert.deepEqual([backup.manifest.migration, backup.manifest.tables['throttles']!.rows], [before, 1]);
  await using target = await openDb(join(folder, 'restored.db'), { foreignKeys: false });
  await restoreBackup(backup, target, () => undefined);
  assert.deepEqual(await target.tuples(sql`select max(number) from migrations`), [[FILES.length]]);
  const [{ receipt, type, reason }] = (await receiptsBefore(target, 1, 9, 9)) as [LoggedReceipt];
  assert.deepEqual([receipt, type, reason], [idOf(5), undefined, 'is odd']);
});

onEachEmptyDatabase('each migration of a database with tables is announced', async (t, url) => {
  const db = await openDb(url);
  t.after(() => db.close());
  const began: string[] = [];
  await migrate(db, { upTo: FILES.length - 2, began: (name) => began.push(name) });
  assert.equal(began.length, 0, 'a new database takes no time');
  await migrate(db, { began: (name) => began.push(name) });
  assert.deepEqual(began, FILES.slice(-2));
});

onEachEmptyDatabase('a failed migration is rolled back', async (t, url) => {
  const db = await openDb(url);
  t.after(() => db.close());
  const broken = db.migrating(async (tx) => {
    await tx.script('create table half (x bigint); insert into half values (1); insert into nothing values (1)');
  });
  await assert.rejects(broken);
  await assert.rejects(db.all(sql`select x from half`));
});

test('opening a SQLite file waits until another process releases its lock', async (t) => {
  const database = await createEmptyDatabase('sqlite');
  const { url } = database;
  const busy = new DatabaseSync(url);
  busy.exec('begin exclusive; create table other (x)');
  const opening = openDb(url);
  await new Promise(setImmediate);
  busy.exec('commit');
  busy.close();
  const db = await opening;
  await migrate(db);
  assert.deepEqual(await db.tuples(sql`select last from sequence where name = 'key'`), [[0]]);
  await db.close();
  t.after(() => database.drop());
});

onEachEmptyDatabase('the database of a version before the baseline is refused and keeps its tables', async (t, url) => {
  const db = await openDb(url);
  t.after(() => db.close());
  await db.migrating(async (tx) => {
    await tx.script('create table migrations (number bigint primary key, name text not null)');
    await tx.script("insert into migrations (number, name) values (1, '001-network.sql'), (2, '002-accounts.sql')");
  });
  await assert.rejects(migrate(db), (error) => {
    assert.ok(error instanceof UsageError);
    assert.match(error.message, /before the first release.*`scorehall export events FILE`/);
    return true;
  });
  assert.equal((await db.all(sql`select number from migrations`)).length, 2);
  await assert.rejects(db.all(sql`select key from matches`));
});

/** Rows as the first version wrote them: a match with two kills and objectives; a merged player died and scored in it. */
const FIRST_VERSION = `
  insert into players (key, uuid, name, name_key, name_since, last_login_server) values
    (1, 'a', 'Ada', 'ada', 0, ''), (2, 'b', 'Bob', 'bob', 0, '');
  insert into player_aliases (uuid, into_uuid, key) values ('old-b', 'b', null);
  insert into player_stats (player_key, name_seen, ctw_kill, teampvp_play) values (1, 0, 2, 1);
  insert into name_observations (player_key, ledger_key, time, name) values (1, 9, 2, 'Ada'), (2, 9, 2, 'B');
  insert into matches (key, head, started, finished, map_key, server_key, gamemode) values (9, '{', 1, 2, 'm', 1, 'ctw');
  insert into player_aliases (uuid, into_uuid, key) values ('hidden-b', 'b', null);
  insert into pseudonyms (uuid_hash, uuid, name, created, ledger_done, original) values ('h', 'hidden-b', 'x', 1, 0, 'real-b');
  insert into matches (key, head, started, finished, map_key, server_key, gamemode)
    select key, '{', 1, 2, 'm', 1, 'ctw' from (select 10 as key union select 11 union select 12) own;
  insert into player_matches (match_key, player_key, name, result, score, kill_count, death_count, time_played)
    select key, 2, 'Bob', 'win', 1, 0, 0, 60 from matches where key > 9;
  insert into ledger (key, scope_key, event_id, type, time, received, body) values
    (10, 1, 'own', 'match.finished', 2, 2, '{"uuid":"b"}'), (11, 1, 'merged', 'match.finished', 2, 2, '{"uuid":"old-b"}'),
    (12, 1, 'anonymised', 'match.finished', 2, 2, '{"uuid":"real-b"}');
  insert into match_details (match_key, head, started, finished, teams, objectives) values (9, '{', 1, 2, '[]', '[
    {"player":null,"team":"Red","type":"wool","name":"Nobody''s","color":"","time":5},
    {"player":{"uuid":"old-b","name":"B"},"team":"Blue","type":"core","name":"Core","color":"red","time":6},
    {"player":{"uuid":"a","name":"Ada"},"team":"Red","type":"flag","name":"Flag","color":"","time":7},
    {"player":{"uuid":"a","name":"Ada"},"team":"Red","type":"wool","name":"Lime","color":"lime","time":8}]');
  insert into player_matches (match_key, player_key, name, result, score, kill_count, death_count, time_played)
    values (9, 1, 'Ada', 'win', 1, 2, 0, 60);
  insert into kills (killer_key, match_key, number, victim_uuid, victim_name, killer_name, time) values
    (1, 9, 0, 'b', 'Bob', 'Ada', 3), (1, 9, 1, 'old-b', 'B', 'Ada', 4);
  insert into faction_reports (player_key, time, ledger_key, power, faction) values (1, 1, 1, 2.5, 'Foxes')`;

onEachEmptyDatabase(
  'a filled database of the first version gets victims, objectives by player, merged players and ranks',
  async (t, url) => {
    const db = await openDb(url);
    t.after(() => db.close());
    await db.migrating(async (tx) => {
      await tx.script('create table migrations (number bigint primary key, name text not null)');
      await tx.script(readFileSync(join(SRC, 'db/migrations/001-baseline.sql'), 'utf8'));
      await tx.run(sql`insert into migrations (number, name) values (1, '001-baseline.sql')`);
      await tx.script(FIRST_VERSION);
    });
    await migrate(db);
    const tables = [
      sql`select number, killer_key, killer_name, victim_key, victim_name, time, location from kills order by number`,
      sql`select player_key, type, match_key, number, name, color, team, percent, time from player_objectives order by time`,
      sql`select ctw_kill, ctw_envdeath from player_stats`,
      sql`select kill_count, envdeath_count from player_matches where match_key = 9`,
      sql`select power, faction, faction_id, faction_role from faction_reports`,
      sql`select match_key, player_key from merged_in_matches order by match_key`,
      sql`select player_key from rank_changes`,
    ];
    const [kills, objectives, ...others] = await Promise.all(tables.map((query) => db.tuples(query)));
    assert.deepEqual(kills, [
      [0, 1, 'Ada', 2, 'Bob', 3, null],
      [1, 1, 'Ada', 2, 'B', 4, null],
    ]);
    assert.deepEqual(objectives, [
      [2, 'core', 9, 1, 'Core', 'red', 'Blue', 100, 6],
      [1, 'wool', 9, 3, 'Lime', 'lime', 'Red', 100, 8],
    ]);
    assert.deepEqual(others, [
      [[2, 0]],
      [[2, 0]],
      [[2.5, 'Foxes', '', '']],
      [9, 11, 12].map((match) => [match, 2]),
      [[1]],
    ]);
  },
);

/** The statement that stores an event of the server 1. */
const ledger = (key: number, id: string, type: string, time: number, body: object, aggregate: string) => sql`
  insert into ledger (key, scope_key, event_id, type, time, received, body, aggregate)
  values (${key}, 1, ${id}, ${type}, ${time}, ${time}, ${JSON.stringify(body)}, ${aggregate})`;

/** Creates the tables of the baseline with a server, a map, a player, a punishment and events. */
async function fillBaseline(db: Db): Promise<void> {
  await db.migrating(async (tx) => {
    await tx.script('create table migrations (number bigint primary key, name text not null)');
    await tx.script(readFileSync(join(SRC, 'db/migrations', FILES[0]!), 'utf8'));
    await tx.run(sql`insert into migrations (number, name) values (1, ${FILES[0]!})`);
  });
  await db.runAll([
    ...['user', 'operator'].map(
      (role) => sql`
      insert into accounts (id, name, name_key, email, email_key, email_verified, role, locale, created)
      values (${role}, ${role}, ${role}, ${role}, ${role}, 1, ${role}, '', 1)`,
    ),
    sql`insert into console_sessions (hash, account_id, client_id, created, expires) values ('h', 'operator', 'c', 1, 2)`,
    sql`
    insert into servers (key, name, name_key, region, icon, sort_order, max) values (1, 'Alpha', 'alpha', 'eu', '', 0, 9)`,
    sql`
    insert into players (key, uuid, name, name_key, name_since, last_login_server) values (2, ${ANN}, 'Ann', 'ann', 1, '')`,
    sql`
    insert into punishments (key, scope_key, reference, punished_key, type, level, reason, server, automatic, time, revoked, changed)
    values (3, 1, 'p1', 2, 'ban', 0, '', 'Alpha', 0, 5, 6, 5)`,
    ledger(3, 'ban', 'punishment.issued', 5, { punishment: 'p1', type: 'ban' }, 'punishment 1 p1'),
    ledger(4, 'lift', 'punishment.revoked', 6, { punishment: 'p1' }, 'punishment 1 p1'),
    ...[MAP, 'Moor'].map(
      (name, index) => sql`
      insert into maps (key, name, name_key, version, proto, objective, type, path, authors, teams, gamemodes, publisher_key, published)
      values (${5 + index}, ${name}, ${nameKey(name)}, '2.0', '', '', '', '', '[]', '[]', '[]', 1, 8)`,
    ),
    ledger(5, 'isle 1', 'map.published', 7, { name: MAP, version: '1.0' }, `map ${nameKey(MAP)}`),
    ledger(7, 'isle 2', 'map.published', 8, { name: MAP, version: '2.0' }, `map ${nameKey(MAP)}`),
    ledger(8, 'isle 3', 'map.published', 6, { name: MAP, version: '0.9' }, `map ${nameKey(MAP)}`),
    refusal(9),
    sql`update sequence set last = 10 where name = 'key'`,
  ]);
}

onEachEmptyDatabase(
  'the later migrations keep what a database of the baseline holds, and new events follow',
  async (t, url) => {
    const db = await openDb(url, { keyedHash: secretHash });
    t.after(() => db.close());
    await fillBaseline(db);
    const [label, bedrock] = ['00000000-0000', '00000000-0000-0000-0009-01f3a4b5c601'];
    await db.run(sql`
    insert into players (key, uuid, name, name_key, name_since, last_login_server)
    values (3, ${bedrock}, ${label}, ${label}, 0, '')`);
    await db.run(sql`
    insert into player_names (name_key, player_key, name, first_seen, last_seen) values (${label}, 3, ${label}, 0, 0)`);
    await migrate(db);
    for (const table of [sql`players`, sql`player_names`])
      assert.deepEqual(
        await db.tuples(sql`select name_key, name from ${table} where name_key < 'a'`),
        [['', '00000000-01f3a4b5c601']],
        'a label is no key',
      );
    assert.deepEqual(
      (await listAccounts(db)).map(({ id, role }) => [id, role]),
      [
        ['operator', 'operator'],
        ['user', 'user'],
      ],
    );
    assert.equal((await db.all(sql`select hash from console_sessions`)).length, 1, 'nothing cascades');
    await setRole(db, 'user', 'moderator');
    await assert.rejects(db.run(sql`update accounts set role = 'king'`));
    assert.equal((await serverByKey(db, 1, 0))!.punishments, 'network');
    const { revocation } = (await punishmentByKey(db, 3, 9))!;
    assert.deepEqual(revocation, { time: 6, reason: '', by: null, server: '' });
    assert.deepEqual(
      (await punishmentHistory(db, { scope: 1, reference: 'p1' })).map(({ key, type }) => [key, type]),
      [
        [3, 'punishment.issued'],
        [4, 'punishment.revoked'],
      ],
    );
    assert.deepEqual(
      await db.tuples(sql`select name, changed_key from maps order by key`),
      [
        [MAP, 7],
        ['Moor', 0],
      ],
      'the event of the present content, and 0 where the ledger has none',
    );
    assert.deepEqual(
      (await receiptsBefore(db, 1, 10, 9)).map(({ receipt, type, problems }) => [receipt, type, problems]),
      [
        [9, undefined],
        [8, 'map.published'],
        [7, 'map.published'],
        [5, 'map.published'],
        [4, 'punishment.revoked'],
        [3, 'punishment.issued'],
      ].map(([key, type]) => [idOf(key as number), type, undefined]),
    );

    const clock = new TestClock();
    const time = new Date(clock.now()).toISOString();
    const receipts = await ingestEvents(db, clock, OPERATOR, [
      event('punishment.revoked', { punishment: 'p1', reason: 'not compared' }, { id: 'lift', server: 'Alpha', time }),
      event('punishment.changed', { punishment: 'p1', server: 'Alpha', level: 4 }, { time }),
      event('map.published', { name: MAP, version: '3.0' }, { time }),
    ]);
    assert.deepEqual(
      receipts.map(({ status }) => status),
      ['duplicate', 'accepted', 'accepted'],
      `events of the baseline are duplicates, and new ones follow them: ${JSON.stringify(receipts)}`,
    );
    assert.equal((await punishmentByKey(db, 3, clock.now()))!.level, 4);
    assert.equal((await mapChanges(db, MAP))[0]!.version, '3.0');
  },
);

const auditEntry = (id: string, time: number): ReturnType<typeof sql> => sql`
  insert into audit (id, time, via, actor_id, actor, actor_key, address, action, subject, label, outcome, detail)
  values (${id}, ${time}, 'command', null, '', '', '', 'x', '', '', 'done', '{}')`;

const teamOf = (name: string, ...players: string[]) => ({
  ...{ name, score: 1 },
  players: players.map((player) => ({ uuid: player.toLowerCase(), name: player })),
});

interface Upgrade {
  /** What holds after the migration. */
  title: string;
  /** The migration before which the rows are written. */
  before: string;
  fill: (db: Db) => Promise<void>;
  check: (db: Db) => Promise<void>;
}

const MATCHES: [teams: object[], key: string | null][] = [
  [[teamOf('Red', 'Ann', 'Ben'), teamOf('blue', 'Cat')], 'blue\nred'],
  [[teamOf('Blue'), teamOf('RED "2"', 'Ben')], 'blue\nred "2"'],
  [[teamOf('Ann', 'Ann', 'Ben'), teamOf('Red', 'Cat')], 'ann\nred'],
  [[teamOf('Red', 'Ben'), teamOf('ANN', 'Ann')], null],
  [[teamOf('Ann 2', 'Ann'), teamOf('Red', 'Ben')], null],
  [[teamOf('Grün', 'Ben', 'Ann'), teamOf('Red', 'Cat')], null],
  [[teamOf('Red', 'Ben'), teamOf('Blue', 'Ann'), teamOf('Green')], null],
  [[teamOf('Red', 'Ben')], null],
  [[], null],
];

const OLD_SERVER = 2 ** 50 + 123_456_789;
const OLD_ENTRIES: [via: string, action: string, subject: string, detail: object][] = [
  ['console', 'account.make_moderator', 'ann', {}],
  ['console', 'account.make_user', 'ann', {}],
  ['console', 'account.make_operator', 'ann', {}],
  ['command', 'account.disable', 'ann', { account: 'ann', undo: 'true' }],
  ['command', 'account.disable', 'ann', { account: 'ann' }],
  ['console', 'punishment.undo', 'key', { since: '2026-01-31T12:00:00.000Z', events: 1, job: 'job' }],
  ['command', 'punishment.undo', 'key', {}],
  ['command', 'punishment.undo', '', { receipt: 'receipt' }],
  ['console', 'punishment.undo', 'ban', { undone: 'receipt' }],
  ['command', 'application.owner.remove', 'app', { account: 'ann' }],
  ['command', 'server.set', 'Été', { region: 'us' }],
  ['command', 'server.key.create', 'Éloise', {}],
  ['console', 'server.set', idOf(OLD_SERVER), {}],
];

/** In the order of the migrations: one database has the rows of all of them. */
const UPGRADES: readonly Upgrade[] = [
  {
    title: 'a filled database starts with the time of its newest entry as the last purge',
    before: '002-',
    fill: async (db) => {
      await db.run(auditEntry('a', 1000));
      await db.run(auditEntry('b', 2000));
    },
    check: async (db) => {
      assert.deepEqual(await db.tuples(sql`select name, completed from job_runs`), [['purge', 2000]]);
    },
  },
  {
    title: 'a grant ends with the last of its tokens',
    before: 'token-families',
    fill: async (db) => {
      const rows: [hash: string, kind: string, grant: string | null, expires: number | null][] = [
        ['used', 'Grant', null, 900],
        ['unused', 'Grant', null, 900],
        ['access', 'AccessToken', 'used', 20],
        ['refresh', 'RefreshToken', 'used', 50],
        ['own', 'ClientCredentials', null, 30],
        ['session', 'Session', null, null],
      ];
      for (const [hash, kind, grant, expires] of rows) {
        await db.run(sql`
          insert into tokens (hash, kind, payload, grant_id, expires) values (${hash}, ${kind}, '{}', ${grant}, ${expires})`);
      }
    },
    check: async (db) => {
      assert.deepEqual(await db.tuples(sql`select hash, expires from tokens order by hash`), [
        ['access', 20],
        ['own', 30],
        ['refresh', 50],
        ['session', null],
        ['unused', 0],
        ['used', 50],
      ]);
    },
  },
  {
    title: 'old audit entries have the names, subjects and details of today',
    before: 'audit-names',
    fill: async (db) => {
      await db.run(sql`
        insert into servers (key, name, name_key, region, icon, sort_order, max, removed)
        values (${OLD_SERVER}, 'Été', ${nameKey('Été')}, 'eu', '', 0, 0, null)`);
      for (const [place, [via, action, subject, detail]] of OLD_ENTRIES.entries()) {
        await db.run(sql`
          insert into audit (id, time, via, actor_id, actor, actor_key, address, action, subject, label, outcome, detail)
          values (${`a${String(place).padStart(2, '0')}`}, 1, ${via}, null, '', '', '', ${action}, ${subject}, 'old', 'done',
            ${JSON.stringify(detail)})`);
      }
    },
    check: async (db) => {
      const entries = (await listAudit(db, {}, 20)).toReversed().filter(({ action }) => action !== 'x');
      assert.deepEqual(
        entries.map(({ action, subject, label, detail }) => [action, subject, label, detail]),
        [
          ['account.role', 'ann', 'old', { role: 'moderator' }],
          ['account.role', 'ann', 'old', { role: 'user' }],
          ['account.role', 'ann', 'old', { role: 'operator' }],
          ['account.enable', 'ann', 'old', {}],
          ['account.disable', 'ann', 'old', { account: 'ann' }],
          ['punishment.undo_key', 'key', 'old', OLD_ENTRIES[5]![3]],
          ['punishment.undo_key', 'key', 'old', {}],
          ['punishment.undo', '', 'old', { receipt: 'receipt' }],
          ['punishment.undo', 'ban', 'old', { undone: 'receipt' }],
          ['application.owner.remove', 'app', 'old', { owner: 'ann' }],
          ['server.set', idOf(OLD_SERVER), 'Été', { region: 'us' }],
          ['server.key.create', 'Éloise', 'old', {}],
          ['server.set', idOf(OLD_SERVER), 'old', {}],
        ],
      );
    },
  },
  {
    title: 'known gamemodes of stored maps get the case of their tags',
    before: 'match-filters',
    fill: async (db) => {
      const maps = [['["CTW","dtm","KOTH"]'], ['["Capture The CP"]'], ['[]']] as const;
      for (const [place, [gamemodes]] of maps.entries())
        await db.run(sql`
          insert into maps (key, name, name_key, version, proto, objective, type, path, authors, teams, gamemodes, publisher_key, published)
          values (${place}, ${`M${place}`}, ${`m${place}`}, '1', '', '', '', '', '[]', '[]', ${gamemodes}, 0, 0)`);
    },
    check: async (db) => {
      assert.deepEqual(await db.tuples(sql`select gamemodes from maps order by key`), [
        ['["ctw","dtm","koth"]'],
        ['["Capture The CP"]'],
        ['[]'],
      ]);
    },
  },
  {
    title: 'stored matches get their two teams',
    before: '050-teams.sql',
    fill: async (db) => {
      for (const [key, [teams]] of MATCHES.entries()) {
        await db.run(sql`
          insert into matches (key, head, started, finished, map_key, server_key, gamemode)
          values (${key}, '{', 1, 2, 'm', 1, 'ctw')`);
        await db.run(sql`
          insert into match_details (match_key, head, started, finished, teams, objectives)
          values (${key}, '{', 1, 2, ${JSON.stringify(teams)}, '[]')`);
        const [, expected] = MATCHES[key]!;
        if (!JSON.stringify(teams).includes('ü'))
          assert.equal(teamsKeyOf(teams as Parameters<typeof teamsKeyOf>[0]), expected);
      }
    },
    check: async (db) => {
      assert.deepEqual(
        await db.tuples(sql`select teams_key from matches order by key`),
        MATCHES.map(([, key]) => [key]),
      );
    },
  },
];

onEachEmptyDatabase('rows of older versions are those of today', async (t, url) => {
  const db = await openDb(url);
  t.after(() => db.close());
  for (const { before, fill } of UPGRADES) {
    await migrate(db, { upTo: FILES.findIndex((name) => name.includes(before)) });
    await fill(db);
  }
  await migrate(db);
  for (const { title, check } of UPGRADES) await t.test(title, () => check(db));
});
