import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { closeForWrites, openForWrites, removeMoveMark, saveMoveMark } from '#db/transfer/closing.ts';
import { openDb } from '#db/open.ts';
import { scorehall, scorehallProcess, serve } from '../cli/scorehall.ts';
import { login, person } from '#test/support/builders.ts';
import { createTestDatabase, onEachDatabase } from '#test/support/context.ts';

/** Both databases refuse writes and answer reads: a standby, or a network that has moved away. */
async function setWritable(url: string, isWritable: boolean): Promise<void> {
  if (url.startsWith('postgres')) return await setReadOnlyByDefault(url, !isWritable);
  await using db = await openDb(url);
  if (isWritable) {
    await openForWrites(db);
    await removeMoveMark(db);
  } else {
    await saveMoveMark(db, { state: 'closed', target: 'postgres://elsewhere', since: 0 });
    await closeForWrites(db);
  }
}

/** As a server that has become a standby: sessions end, and new ones may only read. */
async function setReadOnlyByDefault(url: string, isReadOnly: boolean): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  const client = new pg.Client(maintenance.href);
  await client.connect();
  await client.query(`alter database ${name} set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  await client.end();
}

test('a start on a read-only server ends with one sentence', async (t) => {
  const database = await createTestDatabase('postgres');
  const { url } = database;
  t.after(() => database.drop());
  const settings = { DATABASE_URL: url, REVOCATION_LOG: 'off' };
  assert.equal((await scorehall(settings, 'server', 'list')).status, 0);
  await setReadOnlyByDefault(url, true);
  const { status, err } = scorehallProcess('', settings, 'serve');
  assert.equal(status, 1, 'systemd tries again: the server may become the primary');
  assert.equal(
    err,
    'scorehall: The PostgreSQL server is read-only, as a standby is. Set DATABASE_URL to the primary.\n',
  );
  assert.match(
    (await scorehall(settings, 'doctor')).out,
    /^ERROR +database +It cannot be written: cannot execute UPDATE/m,
  );
});

interface Ready {
  ready: boolean;
  checks: Record<string, string>;
}

async function assertFullDiskIsOutage(
  url: string,
  send: () => Promise<Response>,
  writes: () => Promise<string>,
): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file "base/16384/16397"' using errcode = 'disk_full'; end $$`);
  await client.query('create trigger full_disk before insert on ledger execute function full_disk()');
  assert.equal((await send()).status, 503);
  assert.equal(await writes(), 'a transaction has failed because the disk is full');
  await client.query('drop trigger full_disk on ledger');
  await client.end();
  while ((await send()).status === 503) await pause(20);
  while ((await writes()) !== 'ok') await pause(20);
}

/** What is written to a file that has left its place is lost for the next start, and a file in its place is another database. */
async function assertMovedFileIsOutage(
  file: string,
  send: () => Promise<Response>,
  writes: () => Promise<string>,
): Promise<void> {
  await rename(file, `${file}.elsewhere`);
  assert.equal((await send()).status, 503);
  assert.match(await writes(), /: its file \S+ was moved, removed or replaced/);
  await rename(`${file}.elsewhere`, file);
  while ((await send()).status === 503) await pause(20);
  while ((await writes()) !== 'ok') await pause(20);
}

onEachDatabase('a database that cannot be written is an outage without lost or counted events', async (t, url) => {
  const settings = { DATABASE_URL: url, INGEST_LIMIT: '60', REVOCATION_LOG: 'off' };
  const created = await scorehall(settings, 'server', 'create', '--name', 'Alpha', '--region', 'eu', '--json');
  const { ingest_key: key } = JSON.parse(created.out) as { ingest_key: string };
  const { child, exit, addresses, log } = await serve(settings);
  t.after(() => child.kill('SIGKILL'));
  const readiness = async (): Promise<Ready> =>
    (await (await fetch(`${addresses['INTERNAL']!}/readyz`)).json()) as Ready;
  const send = async (first: number, count: number): Promise<Response> =>
    await fetch(`${addresses['INGEST']!}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(Array.from({ length: count }, (_, index) => login('Alpha', person(first + index)))),
    });
  assert.equal((await send(1, 5)).status, 200);
  assert.equal((await readiness()).checks['writes'], 'ok');

  await setWritable(url, false);
  const began = performance.now();
  assert.equal((await send(100, 5)).status, 503);
  const { ready, checks } = await readiness();
  assert.equal(ready, false, 'one failed transaction is enough');
  assert.match(checks['writes']!, /^The database cannot be reached: .*read-only|^This database is closed since/);
  assert.equal(checks['database'], 'ok', 'reads are still answered');
  for (let batch = 0; batch < 40; batch++) {
    const response = await send(100, 5);
    assert.equal(response.status, 503);
    assert.match(await response.text(), /temporarily_unavailable/);
  }
  const failures = log.filter(({ msg }) => msg === 'request with events failed').length;
  const seconds = Math.ceil((performance.now() - began) / 1000);
  assert.ok(failures >= 1 && failures <= seconds + 1, `${failures} entries of 40 requests in ${seconds} s`);

  await setWritable(url, true);
  // Game servers repeat their events, which may bring the first transactions after the outage.
  let repeated = await send(100, 50);
  while (repeated.status === 503) repeated = await send(100, 50);
  assert.equal(repeated.status, 200, 'events that were not stored do not count for the limit');
  assert.match(await repeated.text(), /accepted/);
  assert.equal((await readiness()).ready, true);
  const writes = async (): Promise<string> => (await readiness()).checks['writes']!;
  if (url.startsWith('postgres'))
    await t.test('a full disk is an outage although small writes find space', () =>
      assertFullDiskIsOutage(url, () => send(200, 1), writes),
    );
  else
    await t.test('a file that is no longer in its place is an outage', () =>
      assertMovedFileIsOutage(url, () => send(200, 1), writes),
    );
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
  assert.ok(log.some(({ msg }) => msg === 'the database can be written again'));
});
