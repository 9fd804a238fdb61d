import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { pino } from 'pino';
import { openApi } from '#api/index.ts';
import { openServices } from '#server/listeners.ts';
import { UsageError } from '#platform/errors.ts';
import { testApi } from '#test/support/api.ts';
import { ask, repliesIn } from '#test/support/request.ts';
import { createTestDatabase, testContext, testServices } from '#test/support/context.ts';

test('a server that closes answers pending requests, and idle connections do not delay it', async (t) => {
  const database = await createTestDatabase('postgres');
  const { context, origin, token } = await testApi(t, database.url);
  t.after(() => database.drop());
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // The server may reset a connection when it closes.
  const idle = connect(Number(new URL(origin).port), '127.0.0.1').on('error', () => undefined);
  await Promise.all([once(socket, 'connect'), once(idle, 'connect')]);
  socket.write(`GET /v1/servers/online HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await ask(origin, '/v1/openapi.json');
  const started = performance.now();
  const closed = once(socket, 'close');
  await context[Symbol.asyncDispose]();
  context[Symbol.asyncDispose] = () => Promise.resolve();
  await closed;
  const [reply] = repliesIn(Buffer.concat(chunks));
  assert.equal(reply!.status, 200);
  assert.deepEqual(reply!.json, { count: 0 });
  assert.ok(performance.now() - started < 2_000, 'closing waits only for the pending requests');
  await assert.rejects(ask(origin, '/v1/servers'));
});

test('an address that cannot be listened on is refused with an error that names the setting', async (t) => {
  const database = await createTestDatabase('sqlite');
  const occupied = createServer().listen(0, '127.0.0.1');
  await once(occupied, 'listening');
  t.after(() => void occupied.close());
  const { port } = occupied.address() as AddressInfo;
  for (const address of [`127.0.0.1:${port}`, '192.0.2.1:80', '/nowhere/api.sock', 'no.such.host.invalid:80']) {
    const context = await testContext(t, database.url, { API_LISTEN: address });
    await assert.rejects(openServices(context, ['API']), (error) => {
      assert.ok(error instanceof UsageError, String(error));
      assert.match(error.message, /^API_LISTEN .*cannot/);
      return true;
    });
  }
  t.after(() => database.drop());
});

test('a service may listen on a Unix socket behind a trusted proxy', async (t) => {
  const database = await createTestDatabase('sqlite');
  const path = `${database.url}.sock`;
  const context = await testContext(t, database.url, { API_LISTEN: path, TRUSTED_PROXIES: 'unix' });
  assert.deepEqual(await testServices(context, ['API']), { API: path });
  t.after(() => database.drop());
  const socket = connect(path);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write('GET /v1/servers HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.7\r\nConnection: close\r\n\r\n');
  await once(socket, 'close');
  const [reply] = repliesIn(Buffer.concat(chunks));
  assert.deepEqual([reply!.status, reply!.headers['x-ratelimit-remaining']], [401, '599']);
  await context[Symbol.asyncDispose]();
  const again = await testContext(t, database.url, {});
  const saved = await again.db.tuples({ strings: ['select subject from rate_limits'], values: [] });
  assert.deepEqual(saved, [['failedCredentials 203.0.113.7']]);
  context[Symbol.asyncDispose] = () => Promise.resolve();
});

test('a response that cannot be sent is logged, and its connection ends', async (t) => {
  const database = await createTestDatabase('sqlite');
  const context = await testContext(t, database.url);
  t.after(() => database.drop());
  const written: string[] = [];
  const log = pino({}, { write: (line) => void written.push(line) });
  await using api = { ...(await openApi({ ...context, log })), [Symbol.asyncDispose]: async () => await api.close?.() };
  const server = createServer((request, response) => {
    response.writeHead = () => {
      throw new Error('no head');
    };
    api.listener(request, response);
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  await assert.rejects(ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, '/v1/servers'));
  assert.deepEqual(
    written.map((line) => (JSON.parse(line) as { err: { message: string } }).err.message),
    ['no head'],
  );
});
