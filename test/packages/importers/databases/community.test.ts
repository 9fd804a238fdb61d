import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { followDatabase } from '#importers/databases/follow.ts';
import { sql } from '#db/sql.ts';
import { ImportedDatabase, PROGRAMS } from '#importers/databases/imported-database.ts';
import { openSqliteSource } from '#importers/databases/sqlite-source.ts';
import { importCore } from '#cli/import/core.ts';
import { type Outcome, runImport } from '#cli/import/run.ts';
import { listPunishments, type Punishment } from '#store/game/punishments.ts';
import { playerByName } from '#store/game/players.ts';
import { configured, presence, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite, testContext } from '#test/support/context.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { folderOf } from '../fixtures.ts';

const HOUR = 3_600_000;
/** Before the clock of every test. */
const TIME = Date.parse('2026-01-01T00:00:00Z');
const uuid = (number: number): string => `7f0c6a4e-52b1-4c2f-9b7d-${String(number).padStart(12, '0')}`;
const [ANN, BEN, MOD, ODD, NOBODY] = [1, 2, 3, 4, 5].map(uuid) as [string, string, string, string, string];

/** The tables as the plugin creates them; its connection stays open, as that of a running server. */
function communityAt(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  db.exec(`pragma journal_mode = wal;
    create table punishments (id VARCHAR(36) PRIMARY KEY, punished VARCHAR(36), issuer VARCHAR(36), reason VARCHAR(255),
      type VARCHAR(8), time LONG, expires LONG, active BOOL, last_updated LONG, updated_by VARCHAR(36), service VARCHAR(255));
    create table sessions (id VARCHAR(36) PRIMARY KEY, player VARCHAR(36), disguised BOOL, server VARCHAR(32),
      start_time BIGINT, end_time BIGINT);
    create table users (id VARCHAR(36) PRIMARY KEY, name VARCHAR(16), first_join LONG, join_count INT);
    insert into users values ('${ANN}', 'Ann', ${TIME}, 1), ('${BEN}', 'Ben', ${TIME}, 1), ('${MOD}', 'Mod', ${TIME}, 1),
      ('${ODD}', '203.0.113.9', ${TIME}, 1)`);
  return db;
}

interface Ban {
  id: number;
  punished?: string;
  issuer?: string;
  reason?: string;
  type?: string;
  expires?: number;
  active?: 0 | 1;
  updated?: number;
}

function punish(db: DatabaseSync, bans: readonly Ban[]): void {
  const insert = db.prepare('insert into punishments values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  for (const {
    id,
    punished = ANN,
    issuer = MOD,
    reason = 'Why',
    type = 'BAN',
    expires = TIME,
    active = 1,
    updated = TIME,
  } of bans)
    insert.run(uuid(100 + id), punished, issuer, reason, type, TIME, expires, active, updated, MOD, 'pgm');
}

function play(db: DatabaseSync, id: number, player: string, server: string, end: number | null, disguised = 0): void {
  db.prepare('insert into sessions values (?, ?, ?, ?, ?, ?)').run(
    uuid(200 + id),
    player,
    disguised,
    server,
    TIME,
    end,
  );
}

interface Printed {
  taken: number;
  unchanged: number;
  refused: number;
  refusals: { file: string; place: string; reason: string }[];
  notes: { note: string }[];
}

async function importWith(url: string, ...args: string[]): Promise<Printed> {
  const { status, out, err } = await scorehall({ DATABASE_URL: url }, 'import', ...args, '--json');
  assert.deepEqual([status, err], [0, '']);
  return JSON.parse(out) as Printed;
}

const totals = ({ taken, unchanged, refused }: Pick<Printed, keyof Outcome>): number[] => [taken, unchanged, refused];

onEachDatabase('Community: every change is imported once, whatever says that it changed', async (t, url) => {
  await using folder = await folderOf({});
  const file = join(folder.path, 'community.db');
  const db = communityAt(file);
  t.after(() => db.close());
  punish(db, [
    { id: 1, issuer: 'console' },
    { id: 2, punished: BEN, type: 'TEMP_BAN', expires: TIME + 10_000 * HOUR },
    { id: 3, punished: BEN, type: 'MUTE', expires: TIME + HOUR, active: 0, updated: TIME + 60_000 },
    { id: 4, type: 'WARN', active: 0, reason: '§cSpam from\t203.0.113.9\u202e' },
    { id: 5, punished: ODD },
    { id: 6, punished: BEN, issuer: ODD, type: 'KICK' },
    { id: 7, punished: NOBODY },
  ]);
  play(db, 1, ANN, 'Lantern', TIME + HOUR);
  play(db, 2, BEN, 'Lantern', null);
  play(db, 3, ANN, 'Lantern', TIME + 9 * HOUR, 1);
  play(db, 4, MOD, 'Hub', TIME + HOUR);
  const again = (...args: string[]): Promise<Printed> => importWith(url, 'pgmdev', file, ...args);

  assert.deepEqual(totals(await again('--dry-run')), [6, 0, 3]);
  const first = await again();
  assert.deepEqual(totals(first), [6, 0, 3], 'five punishments, one of them revoked');
  assert.deepEqual(
    first.refusals.map(({ place, reason }) => `${place}: ${reason.slice(0, 41)}`),
    [
      `id ${uuid(107)}, punished: has no name in the table users`,
      'Lantern: 2 sessions were left out: there is no ser',
      'Hub: 1 session was left out: there is no serve',
    ],
  );
  assert.deepEqual(
    first.notes.map(({ note }) => note.slice(0, 30)),
    ['1 row was left out, with an IP', '1 row was imported without the'],
  );
  const listed = await punishmentsOf(t, url);
  assert.deepEqual(
    listed.map(({ type, punished, punisher, reason, state }) => [type, punished.name, punisher?.name, reason, state]),
    [
      ['kick', 'Ben', undefined, 'Why', 0],
      ['warn', 'Ann', 'Mod', 'Spam from [address]', 0],
      ['mute', 'Ben', 'Mod', 'Why', 2],
      ['ban', 'Ben', 'Mod', 'Why', 0],
      ['ban', 'Ann', undefined, 'Why', 0],
    ],
  );
  assert.deepEqual(totals(await again()), [0, 5, 3]);
  assert.equal(
    (await scorehall({ DATABASE_URL: url }, 'server', 'create', '--name', 'Lantern', '--region', 'eu')).status,
    0,
  );
  assert.deepEqual(totals(await again()), [3, 5, 2], 'the sessions of a server that is known now');
  assert.deepEqual(totals(await again('--create')), [2, 8, 1]);
  assert.deepEqual(totals(await again()), [0, 5 + 4, 1], 'an open session before the mark is read again when it ends');

  db.exec(`update punishments set active = 0, last_updated = ${TIME + HOUR} where id = '${uuid(101)}';
    update punishments set reason = 'Edited' where id = '${uuid(102)}';
    update users set name = 'Benny' where id = '${BEN}';
    update sessions set end_time = ${TIME + 2 * HOUR} where id = '${uuid(202)}'`);
  punish(db, [{ id: 8, punished: MOD, updated: TIME + HOUR }]);
  const later = await again();
  assert.deepEqual([later.taken, later.refusals.length], [4, 1], 'a player who has another name since the login');
  db.exec(`update punishments set reason = 'Why' where id = '${uuid(102)}'`);
  assert.equal((await again()).taken, 1, 'a change back is a change');
  db.exec(`update punishments set reason = 'Edited' where id = '${uuid(102)}'`);
  assert.equal((await again()).taken, 1, 'and so is the same change again');
  const after = await punishmentsOf(t, url);
  assert.deepEqual(
    after.map(({ reason, state, revocation }) => [reason, state, revocation?.by?.name]),
    [
      ['Why', 0, undefined],
      ['Why', 0, undefined],
      ['Spam from [address]', 0, undefined],
      ['Why', 2, 'Mod'],
      ['Edited', 0, undefined],
      ['Why', 2, 'Mod'],
    ],
  );

  const name = `pgmdev ${file}`;
  const sources = JSON.parse((await scorehall({ DATABASE_URL: url }, 'import', 'sources', '--json')).out) as object[];
  assert.partialDeepStrictEqual(sources, [{ name, rows: 6 }]);
  assert.equal((await scorehall({ DATABASE_URL: url }, 'import', 'forget', '--source', name)).status, 0);
  assert.equal((await again()).taken, 0, 'the ids of the events do not depend on what was remembered');
  const rows = await rowsOf(t, url);
  assert.equal(rows.length, 6);
  assert.ok(
    rows.every((row) => !/Ann|Ben|Why|Edited|203\.0/.test(row)),
    'what is remembered is keyed',
  );
});

async function punishmentsOf(t: TestContext, url: string): Promise<Punishment[]> {
  const { db, clock } = await testContext(t, url);
  return await listPunishments(db, Number.MAX_SAFE_INTEGER, 100, clock.now());
}

async function rowsOf(t: TestContext, url: string): Promise<string[]> {
  const { db } = await testContext(t, url);
  return (await db.tuples(sql`select row_id, reference, hash, version from import_rows`)).map((row) => row.join());
}

onSqlite(
  'following imports new rows and marked changes at once, and a reason that was edited later',
  async (t, url) => {
    await using folder = await folderOf({});
    const file = join(folder.path, 'community.db');
    const db = communityAt(file);
    t.after(() => db.close());
    punish(db, [{ id: 1 }, { id: 2 }]);
    const context = await testContext(t, url);
    const { clock } = context;
    const stop = new AbortController();
    t.after(() => stop.abort());
    let ended = Promise.withResolvers<number>();
    let waits = Promise.withResolvers<void>();
    const quiet = { refused: () => {}, noted: () => {}, progressed: () => {} };
    const following = followDatabase({
      open: () =>
        ImportedDatabase.open(PROGRAMS.pgmdev, { sqlite: file }, importCore(context.db, clock), { create: false }),
      ingest: async (findings) => {
        const { taken } = await runImport(context.db, clock, findings, quiet);
        ended.resolve(taken);
      },
      isOutage: () => false,
      everyMs: 30_000,
      clock: {
        now: () => clock.now(),
        wait: (ms, signal) => {
          const waited = clock.wait(ms, signal);
          waits.resolve();
          return waited;
        },
      },
      onTrouble: assert.fail,
      signal: stop.signal,
    });
    const next = async (): Promise<number> => (await Promise.race([ended.promise, following])) ?? Number.NaN;
    const round = async (ms: number): Promise<number> => {
      await waits.promise;
      waits = Promise.withResolvers();
      ended = Promise.withResolvers<number>();
      clock.advance(ms);
      return await next();
    };
    assert.equal(await next(), 2);
    punish(db, [{ id: 3, updated: TIME + 1000 }]);
    db.exec(`update punishments set reason = 'Edited' where id = '${uuid(101)}';
    update punishments set last_updated = ${TIME - HOUR} where id = '${uuid(101)}'`);
    assert.equal(await round(30_000), 1, 'the edited row has an old mark');
    assert.equal(await round(600_000), 1, 'all rows are compared now and then');
    stop.abort();
    await following;
  },
);

test('a file that cannot be imported says why', async () => {
  await using folder = await folderOf({ 'text.db': 'x'.repeat(4096), 'empty.db': '' });
  const open = async (name: string) => {
    await using source = await openSqliteSource(join(folder.path, name), 0);
    return await PROGRAMS.pgmdev.open(source);
  };
  await assert.rejects(open('none.db'), /none\.db does not exist\.$/);
  await assert.rejects(open('.'), /is not a file\.$/);
  await assert.rejects(open('text.db'), /text\.db is not a SQLite file, or it is encrypted\.$/);
  await assert.rejects(
    open('empty.db'),
    /has no table punishments that this user may read, as Community of PGMDev has\..* sees no table\.$/,
  );
  const locked = communityAt(join(folder.path, 'locked.db'));
  locked.exec('alter table users drop column name; pragma journal_mode = delete; begin exclusive');
  await assert.rejects(
    open('locked.db'),
    /locked\.db is locked by the program that writes it; import it again in a moment\.$/,
  );
  locked.exec('rollback');
  await assert.rejects(
    open('locked.db'),
    /The table users of .* has no column name that this user may read; Community/,
  );
  locked.close();
});

onSqlite('Plan: sessions become logins and logouts, each once', async (t, url) => {
  await using folder = await folderOf({});
  const file = join(folder.path, 'database.db');
  const plan = new DatabaseSync(file);
  t.after(() => plan.close());
  plan.exec(`create table plan_users (id integer primary key autoincrement, uuid varchar(36), registered bigint, name varchar(36));
    create table plan_servers (id integer primary key autoincrement, uuid varchar(36), name varchar(100));
    create table plan_sessions (id integer primary key autoincrement, user_id int, server_id int, session_start bigint,
      session_end bigint, mob_kills int, deaths int, afk_time bigint, join_address_id int);
    insert into plan_users values (1, '${ANN}', ${TIME}, 'Ann'), (2, '203.0.113.9', ${TIME}, 'Odd');
    insert into plan_servers values (1, 'x', 'Lantern')`);
  const session = plan.prepare('insert into plan_sessions values (null, ?, 1, ?, ?, 0, 0, 0, 1)');
  for (let index = 0; index < 501; index++) session.run(1, TIME + index * 2_000, TIME + index * 2_000 + 1_000);
  session.run(2, TIME, TIME + 1);
  session.run(1, TIME, TIME - 1);
  session.run(1, 9_223_372_036_854_775_807n, TIME);
  const again = (): Promise<Printed> => importWith(url, 'plan', file, '--create');
  const first = await again();
  assert.deepEqual([totals(first), first.notes.length], [[1_002, 0, 2], 1]);
  session.run(1, TIME + 3 * HOUR, TIME + 4 * HOUR);
  assert.deepEqual(totals(await again()), [2, 0, 0]);
  const { db } = await testContext(t, url);
  const ann = (await playerByName(db, 'Ann'))!;
  assert.deepEqual(
    [ann.last_login, ann.last_login_server, ann.last_logout],
    [TIME + 3 * HOUR, 'Lantern', TIME + 4 * HOUR],
  );
  plan.exec('delete from plan_sessions; delete from sqlite_sequence');
  session.run(1, TIME + 5 * HOUR, TIME + 6 * HOUR);
  assert.deepEqual(totals(await again()), [2, 0, 0], 'a database that began again');
  // What Plan has of a server that was killed, and of one whose clock was wrong.
  const future = Date.UTC(2999, 0);
  session.run(1, TIME + 7 * HOUR, 0);
  session.run(1, TIME + 8 * HOUR, future);
  session.run(1, future, future + HOUR);
  const last = await again();
  assert.deepEqual([totals(last), last.notes.length], [[2, 0, 1], 1]);
  assert.equal(last.notes[0]!.note, 'ends in the future; only its beginning is imported');
  assert.equal(last.refusals[0]!.reason, 'begins in the future: the clock of its server was ahead');
  const { last_login, last_logout } = (await playerByName(db, 'Ann'))!;
  assert.deepEqual([last_login, last_logout], [TIME + 8 * HOUR, TIME + 6 * HOUR]);
});

onEachDatabase('imported sessions of a server that reports its logins itself are noted', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await using folder = await folderOf({});
  const file = join(folder.path, 'community.db');
  const community = communityAt(file);
  t.after(() => community.close());
  await sendEvents(context, configured('Lantern'), configured('Hub'));
  const notes = async (): Promise<string[]> => {
    await using source = await openSqliteSource(file);
    const imported = await ImportedDatabase.of(PROGRAMS.pgmdev, source, importCore(db, clock), { create: false });
    const found: string[] = [];
    const noted = ({ place }: { place: string }, note: string): void => void found.push(`${place} ${note}`);
    await runImport(db, clock, imported.findings('all'), { refused: () => {}, noted, progressed: () => {} });
    return found;
  };
  play(community, 1, ANN, 'lantern', TIME + HOUR);
  play(community, 2, ANN, 'Hub', TIME + HOUR);
  assert.deepEqual(await notes(), []);
  await sendEvents(context, presence('Lantern', {}, { time: new Date(clock.now()).toISOString() }));
  play(community, 3, ANN, 'lantern', TIME + 2 * HOUR);
  assert.deepEqual(await notes(), [
    'lantern reports its logins itself, by the agent or a plugin: with the imported sessions they are there twice',
  ]);
});
