import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Db } from '#db/db.ts';
import { latestMigration, migrate, refuseNewer, schemaVersion } from '#db/migrate.ts';
import { lockService, openDb } from '#db/open.ts';
import { serviceSessionName } from '#db/postgres/service-sessions.ts';
import { sql } from '#db/sql.ts';
import { TemporaryError, UsageError } from '#platform/errors.ts';
import { createTestDatabase, onEachDatabase, onSqlite } from '#test/support/context.ts';

const ROOT = join(import.meta.dirname, '../..');
const KNOWN = latestMigration();
const nameOf = (place: number): string => `${String(KNOWN + place).padStart(3, '0')}-next.sql`;

const ONLINE = '-- online: programs name their columns.\nalter table throttles add column note text;';
const OFFLINE = '-- offline: statements name the column.\nalter table throttles rename column resets to ends;';

interface Version {
  migrate: typeof migrate;
  schemaVersion: typeof schemaVersion;
}

/** The code of a version with further migrations. */
async function versionWith(t: TestContext, migrations: readonly string[]): Promise<Version> {
  const folder = mkdtempSync(join(tmpdir(), 'version-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of ['package.json', 'src/db', 'src/platform', 'packages/text']) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [place, text] of migrations.entries())
    writeFileSync(join(folder, 'src/db/migrations', nameOf(place + 1)), text);
  return (await import(pathToFileURL(join(folder, 'src/db/migrate.ts')).href)) as Version;
}

/** A process of the service that knows as many migrations, as others see it. */
async function serving(url: string, known = KNOWN): Promise<AsyncDisposable> {
  const db = await openDb(url, { sessionName: serviceSessionName(7, known) });
  const lock = (await lockService(url, true))!;
  return {
    [Symbol.asyncDispose]: async () => {
      lock[Symbol.dispose]();
      await db.close();
    },
  };
}

const open = async (t: TestContext, url: string): Promise<Db> => {
  const db = await openDb(url);
  t.after(() => db.close());
  return db;
};

const numberOf = async (db: Db): Promise<unknown> => (await db.tuple(sql`select max(number) from migrations`))![0];

onEachDatabase('an online migration runs beside a service of the version before, which continues', async (t, url) => {
  const { migrate: upgrade } = await versionWith(t, [ONLINE]);
  const db = await open(t, url);
  await using _ = await serving(url);
  const { required } = await schemaVersion(db);
  await upgrade(db);
  assert.equal(await numberOf(db), KNOWN + 1);
  const version = await schemaVersion(db);
  assert.deepEqual(version, { applied: KNOWN + 1, missing: [], required }, 'threads and processes start again');
  await migrate(db);
  assert.equal(await numberOf(db), KNOWN + 1);
  assert.throws(() => refuseNewer(version), /only knows/, 'a backup would lack what this version does not know');
});

onEachDatabase('an offline migration is refused beside a service of the version before', async (t, url, dialect) => {
  const newer = await versionWith(t, [ONLINE, OFFLINE]);
  const db = await open(t, url);
  {
    await using _ = await serving(url);
    const refusal = await newer.migrate(db).then(
      () => assert.fail(),
      (error: Error) => error,
    );
    assert.equal(refusal.name, new TemporaryError().name, refusal.message);
    const named = dialect === 'sqlite' ? '.*test\\.db open' : '7@\\S+';
    assert.match(
      refusal.message,
      new RegExp(
        `^The migration ${nameOf(2)} cannot run while processes of the version before serve \\(${named}\\): stop`,
      ),
    );
    assert.equal(await numberOf(db), KNOWN, 'nor does the online one before it');
  }
  await newer.migrate(db);
  assert.equal(await numberOf(db), KNOWN + 2);
  assert.equal((await newer.schemaVersion(db)).required, KNOWN + 2);
  await assert.rejects(schemaVersion(db), (error) => {
    assert.ok(error instanceof UsageError);
    assert.match(error.message, new RegExp(`at migration ${KNOWN + 2}, .* only knows ${KNOWN}: use the newer version`));
    return true;
  });
});

onEachDatabase('of several new processes one runs an offline migration, and none refuses another', async (t, url) => {
  const newer = await versionWith(t, [OFFLINE]);
  const connections = await Promise.all(
    [0, 1, 2].map(() => openDb(url, { sessionName: serviceSessionName(8, KNOWN + 1) })),
  );
  t.after(() => Promise.all(connections.map((db) => db.close())));
  await Promise.all(connections.map((db) => newer.migrate(db)));
  assert.equal(await numberOf(connections[0]!), KNOWN + 1);
});

test('a service that starts during an offline migration waits for its end, or does not start', async (t) => {
  const newer = await versionWith(t, [OFFLINE]);
  const postgres = await createTestDatabase('postgres');
  t.after(() => postgres.drop());
  const [first, second] = [await open(t, postgres.url), await open(t, postgres.url)];
  const { promise: going, resolve: begin } = Promise.withResolvers<void>();
  const migrated = newer.migrate(first, { began: () => begin() });
  await going;
  await second.untilMigrated();
  assert.equal(await numberOf(second), KNOWN + 1);
  await migrated;

  const sqlite = await createTestDatabase('sqlite');
  t.after(() => sqlite.drop());
  const db = await open(t, sqlite.url);
  const locks: unknown[] = [];
  await newer.migrate(db, { began: () => void lockService(sqlite.url, true).then((lock) => locks.push(lock)) });
  assert.deepEqual(locks, [undefined]);
  (await lockService(sqlite.url, true))![Symbol.dispose]();
});

test('an online migration does not wait for a long transaction, behind which requests would wait', async (t) => {
  const { migrate: upgrade } = await versionWith(t, [ONLINE]);
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  const [db, other] = [await open(t, database.url), await open(t, database.url)];
  {
    await using backup = await other.snapshot();
    await backup.tuples(sql`select subject from throttles`);
    await assert.rejects(upgrade(db), {
      name: 'TemporaryError',
      message: /^A migration waited two seconds for a table/,
    });
    await other.run(sql`insert into throttles (subject, used, resets) values ('x', 1, 1)`);
    assert.equal(await numberOf(db), KNOWN);
  }
  await upgrade(db);
  assert.equal(await numberOf(db), KNOWN + 1);
});

onSqlite('a migration without a declared effect, or without its reason, does not run', async (t, url) => {
  const db = await open(t, url);
  for (const line of ['', '-- online:', '-- Online: x', '\n-- online: x', '-- later: x', '-- online x']) {
    const newer = await versionWith(t, [`${line}\ncreate table more (x bigint);`, OFFLINE]);
    const refusal = new RegExp(`^${nameOf(1)} must begin with "-- online: REASON" if a process of the version before`);
    await assert.rejects(newer.migrate(db), { name: 'Error', message: refusal }, line);
  }
  assert.equal(await numberOf(db), KNOWN);
});
