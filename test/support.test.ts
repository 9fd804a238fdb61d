import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { launchBrowser } from './support/browser.ts';
import { Mailbox } from './support/mailbox.ts';
import { unpack } from './support/postgres-native.ts';
import { createPostgresDatabase } from './support/postgres.ts';

test('the tests have a real PostgreSQL, a database of their own, and it sorts by language', async () => {
  const database = await createPostgresDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  const { rows } = await client.query<{ version: string; order: string }>(
    `select current_setting('server_version') as version, (select string_agg(x, '' order by x) from (values ('B'), ('a')) v (x)) as order`,
  );
  await client.end();
  await database.drop();
  assert.ok(Number.parseInt(rows[0]!.version) >= 16, rows[0]!.version);
  assert.equal(rows[0]!.order, 'aB');
});

test('a dropped database is gone even while someone is connected', async () => {
  const database = await createPostgresDatabase();
  const client = new pg.Client(database.url);
  client.on('error', () => {});
  await client.connect();
  const gone = new Promise<void>((resolve) => void client.once('end', resolve));
  await database.drop();
  await gone;
  await assert.rejects(new pg.Client(database.url).connect(), /does not exist/);
});

test('the tests have a real browser that draws a page and reaches this machine only', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('set-cookie', 'seen=yes').end('<h1>Hall</h1>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    await using browser = await launchBrowser();
    const page = await browser.newPage();
    await page.goto(url);
    assert.equal(await page.textContent('h1'), 'Hall');
    const picture = await page.screenshot();
    assert.deepEqual([...picture.subarray(1, 4)], [...Buffer.from('PNG')]);
    assert.ok(picture.length > 1_000);
    assert.equal((await page.context().cookies()).length, 1);
    assert.deepEqual(await (await browser.newContext()).cookies(), [], 'contexts share nothing');
    await assert.rejects(page.goto('http://example.com/'), /ERR_NAME_NOT_RESOLVED/);
    await assert.rejects(page.goto('http://192.0.2.1/'), /ERR_NAME_NOT_RESOLVED/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('a mailbox survives a client that resets its connection in the middle of a mail', async (t) => {
  const { port } = new URL((await Mailbox.open(t)).url);
  const converse = async (...lines: string[]) => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    for (const line of lines) {
      await once(socket, 'data');
      socket.write(`${line}\r\n`);
    }
    await once(socket, 'data');
    socket.resetAndDestroy();
  };
  await converse('HELO x', 'MAIL FROM:<a@example.org>', 'RCPT TO:<b@example.org>', 'DATA');
  await converse('HELO x', 'MAIL FROM:<a@example.org>');
});

test('PostgreSQL is unpacked with its links, whether an install script has created them or not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unpack-'));
  const source = join(folder, 'package/native');
  mkdirSync(join(source, 'lib'), { recursive: true });
  writeFileSync(join(source, 'lib/libx.so.1.2'), 'x');
  const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
  writeFileSync(join(source, 'pg-symlinks.json'), JSON.stringify(links));
  for (const name of ['without', 'with']) {
    const native = join(folder, name, 'native');
    await unpack(native, source);
    assert.equal(readlinkSync(join(native, 'lib/libx.so.1')), 'libx.so.1.2', name);
    assert.equal(readFileSync(join(native, 'lib/libx.so.1'), 'utf8'), 'x', name);
    if (name === 'without') symlinkSync('libx.so.1.2', join(source, 'lib/libx.so.1'));
  }
});
