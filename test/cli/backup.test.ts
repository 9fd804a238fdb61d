import assert from 'node:assert/strict';
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { fillNetwork, NETWORK_TABLES } from '#test/support/network.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  DIALECTS,
  onEachDatabase,
  testContext,
} from '#test/support/context.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { readDigests } from '#db/transfer/copy.ts';
import { readFeed } from '#store/game/changes.ts';
import { Mirror } from '#test/support/mirror.ts';
import { readDatabaseId, saveMoveMark } from '#db/transfer/closing.ts';
import { SecretKey } from '#platform/crypto/secret-key.ts';
import { run } from '#cli/dispatch.ts';
import { findPlayer } from '#store/game/players.ts';
import { captured } from '#test/support/captured.ts';
import { login, person, sendEvents } from '#test/support/builders.ts';
import { lastRun } from '#store/installation/job-runs.ts';
import { secretKeyMatches } from '#store/installation/installation.ts';
import { canonicalDumpOf } from '#test/events/canonical-dump.ts';
import { scorehall } from './scorehall.ts';

const SECRET_KEY = 'a secret that is long enough for tests';
const quiet = (): void => undefined;

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'scorehall-backup-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function ok(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<Record<string, unknown>> {
  const { status, out, err } = await scorehall(environment, ...args, '--json');
  assert.equal(status, 0, err);
  return JSON.parse(out) as Record<string, unknown>;
}

async function refused(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
  const { status, err } = await scorehall(environment, ...args);
  assert.equal(status, 2, err);
  assert.equal(err.trim().split('\n').length, 1, `one sentence: ${err}`);
  return err;
}

onEachDatabase('a backup of a database in use is restored into either database with equal tables', async (t, url) => {
  const folder = folderOf(t);
  const context = await testContext(t, url);
  await fillNetwork(context);
  await secretKeyMatches(context.db, new SecretKey(SECRET_KEY));
  await context.db.migrating((tx) => tx.script('create table added_by_somebody (note text)'));
  const file = join(folder, 'network.backup');
  const environment = { DATABASE_URL: url, SECRET_KEY };
  const [wanted, dump] = [await readDigests(context.db, quiet), await canonicalDumpOf(context.db)];
  const written = await ok(environment, 'backup', file);
  assert.equal(new Date((await lastRun(context.db, 'backup'))!).toISOString(), written['created']);
  assert.equal(written['secret_key'], 'not included');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ['network.backup'], 'no file is left beside the backup');
  assert.ok(!readFileSync(file).includes(SECRET_KEY));
  assert.equal((await ok(environment, 'backup', '--check', file))['check'], 'ok');
  assert.match(await refused(environment, 'backup', file), /exists already/);

  for (const table of NETWORK_TABLES) assert.ok(wanted[table]!.rows > 0, `${table} has rows`);
  for (const dialect of DIALECTS) {
    const target = await createEmptyDatabase(dialect);
    try {
      const there = { DATABASE_URL: target.url, SECRET_KEY };
      const restored = await ok(there, 'restore', file);
      assert.equal(restored['rows'], written['rows']);
      assert.equal(restored['accounts'], 1);
      assert.equal(restored['access_tokens'], 1);
      const db = await openDb(target.url);
      const found = await readDigests(db, quiet);
      // The restore itself is in the audit log.
      assert.equal(found['audit']!.rows, wanted['audit']!.rows + 1);
      assert.equal(found['punishment_notices']!.rows, 0, 'mails that waited at the backup are not sent');
      const { audit, change_feed, punishment_notices } = wanted;
      assert.deepEqual({ ...found, audit, change_feed, punishment_notices }, wanted);
      const [feed, lost] = [await readFeed(db), await readFeed(context.db)];
      assert.notEqual(feed.id, lost.id, 'places of the lost feed are not valid');
      assert.deepEqual({ ...feed, id: lost.id }, lost);
      await new Mirror({ db, clock: context.clock }).check('the restored feed');
      assert.deepEqual(await canonicalDumpOf(db), dump);
      assert.notEqual(await readDatabaseId(db), await readDatabaseId(context.db), 'a database has an id of its own');
      await assert.rejects(
        db.run(sql`insert into server_keys (key, server_key, hash, test, created) values (1, 1, 'x', 0, 0)`),
        'foreign keys are enforced again',
      );
      await db.close();
      assert.match(await refused(there, 'restore', file), /in use.*empty database/);
      assert.match(await refused({ ...there, SECRET_KEY: 'x'.repeat(40) }, 'restore', file), /not that of the backup/);
    } finally {
      await target.drop();
    }
  }
});

test('the secret key travels only on request', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { url } = database;
  t.after(() => database.drop());
  const folder = folderOf(t);
  const context = await testContext(t, url);
  await secretKeyMatches(context.db, new SecretKey(SECRET_KEY));
  const environment = { DATABASE_URL: url, SECRET_KEY };
  const [without, full] = [join(folder, 'without'), join(folder, 'full')];
  await ok(environment, 'backup', without);
  await ok(environment, 'backup', '--with-secret-key', full);
  const there = { DATABASE_URL: join(folder, 'new', 'scorehall.db') };
  assert.match(await refused(there, 'restore', without), /needs the secret key with fingerprint/);
  await ok(there, 'restore', full);
  const key = join(folder, 'new', 'secret.key');
  assert.equal(readFileSync(key, 'utf8').trim(), SECRET_KEY);
  assert.equal(statSync(key).mode & 0o777, 0o600);
  const files = ['scorehall.db', 'scorehall.db-turn', 'secret.key'];
  assert.deepEqual(readdirSync(join(folder, 'new')).sort(), files);
});

test('a damaged backup, another file and a newer backup are refused', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { url } = database;
  t.after(() => database.drop());
  const folder = folderOf(t);
  const context = await testContext(t, url);
  await fillNetwork(context);
  const environment = { DATABASE_URL: url, SECRET_KEY };
  const file = join(folder, 'good');
  await ok(environment, 'backup', file);
  const changed = (name: string, statement: string): string => {
    copyFileSync(file, join(folder, name));
    using handle = new DatabaseSync(join(folder, name));
    handle.exec(statement);
    return join(folder, name);
  };
  const check = (name: string): Promise<string> => refused(environment, 'backup', '--check', name);
  assert.match(await check(changed('row', "update players set name = name || '!'")), /damaged.*players has/);
  assert.match(await check(changed('lost', 'delete from kills where number = 0')), /damaged.*kills has/);
  assert.match(await check(changed('manifest', "update backup_manifest set text = text || ' '")), /its manifest/);
  const newer = changed('newer', "insert into migrations select max(number) + 1, 'next.sql' from migrations");
  assert.match(await refused({ DATABASE_URL: join(folder, 'x.db') }, 'restore', newer), /this version.*newer version/);
  copyFileSync(file, join(folder, 'short'));
  truncateSync(join(folder, 'short'), statSync(file).size / 2);
  assert.match(await check(join(folder, 'short')), /short cannot be read: database disk image is malformed/);
  copyFileSync(file, join(folder, 'torn'));
  const torn = openSync(join(folder, 'torn'), 'r+');
  for (let page = 20; page < statSync(file).size / 4096 - 1; page++) writeSync(torn, 'torn'.repeat(900), page * 4096);
  closeSync(torn);
  assert.match(await check(join(folder, 'torn')), /damaged|cannot be read/);
  assert.match(await check(join(folder, 'none')), /There is no file/);
  assert.match(await refused({ DATABASE_URL: join(folder, 'nothing.db') }, 'backup', join(folder, 'b')), /no database/);
  assert.match(await refused({ DATABASE_URL: file }, 'server', 'list'), /incomplete: a backup.*`scorehall restore`/);
  assert.ok(!readdirSync(folder).includes('nothing.db'), 'a wrong address creates no file');
});

/** The commands of the document's blocks, a line each, without comments. */
function documentedCommands(): string[] {
  const blocks = readFileSync('docs/backup.md', 'utf8').matchAll(/^ *```sh\n([^]*?)^ *```/gm);
  return [...blocks].flatMap(([, block]) => block!.trim().split('\n')).map((line) => line.trim().replace(/ +#.*/, ''));
}

test('the commands of docs/backup.md run as they stand', async (t) => {
  const folder = folderOf(t);
  const [source, moved] = [await createTestDatabase('sqlite'), await createEmptyDatabase('postgres')];
  t.after(() => Promise.all([source.drop(), moved.drop()]));
  const [restored, inContainer, replayed] = ['a.db', 'b.db', 'c.db'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const { uuid } = person(1);
  const context = await testContext(t, source.url);
  await sendEvents(context, login('Alpha', person(1)));
  await secretKeyMatches(context.db, new SecretKey(SECRET_KEY));
  writeFileSync(join(folder, 'secret.key'), SECRET_KEY);
  const log = join(folder, 'revocations.log');
  const commands = documentedCommands();
  const next = async (form: RegExp, database: string): Promise<void> => {
    const command = commands.shift() ?? '';
    assert.match(command, form);
    const args = command
      .replace(/^(docker compose .* run --rm scorehall )?scorehall /, '')
      .replaceAll('/backups', folder)
      .replace('postgres://scorehall@db.example/scorehall', moved.url)
      .split(' ');
    const environment = { DATABASE_URL: database, DATA_FOLDER: folder, REVOCATION_LOG: log, LOG_LEVEL: 'silent' };
    const { result, err } = await captured({ environment, folder }, () => run(args));
    assert.equal(result, 0, `${command}: ${err}`);
  };
  const isThere = async (url: string): Promise<boolean> => {
    await using db = await openDb(url);
    return (await findPlayer(db, uuid)) !== undefined;
  };

  await next(/^scorehall backup \//, source.url);
  await next(/^scorehall backup --check/, source.url);
  await ok({ DATABASE_URL: source.url, SECRET_KEY, REVOCATION_LOG: log }, 'player', 'erase', '--player', uuid, '--yes');
  await next(/^scorehall vacuum$/, source.url);
  await next(/^scorehall restore \S+$/, restored);
  await next(/^docker compose .* restore \S+$/, inContainer);
  assert.match(commands.shift()!, /^docker compose .* up -d$/);
  assert.deepEqual([await isThere(restored), await isThere(inContainer)], [true, true]);
  await next(/^scorehall restore \S+ --since-log \S+$/, replayed);
  await next(/^scorehall restore --since-log \S+$/, restored);
  assert.deepEqual([await isThere(restored), await isThere(replayed)], [false, false]);

  await next(/^scorehall move --to/, replayed);
  {
    await using db = await openDb(restored);
    await saveMoveMark(db, { state: 'copying', target: 'nowhere', since: 0 });
  }
  await next(/^scorehall move --cancel$/, restored);

  const [, from, to] = /^mv (\S+) (\S+)$/.exec(commands.shift()!)!;
  renameSync(join(folder, from!), join(folder, to!));
  await next(/^scorehall secret-key change /, moved.url);
  assert.notEqual(readFileSync(join(folder, 'secret.key'), 'utf8'), SECRET_KEY);
  await next(/^scorehall signing-key rotate$/, moved.url);
  assert.deepEqual(commands, []);
});
