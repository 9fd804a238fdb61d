import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askRaw, type Reply, requestText } from '#test/support/request.ts';
import { disconnect, LogRecorder } from '#test/support/disconnect.ts';
import { makeAccount, PASSWORD, type TestAuth } from './support.ts';
import { openWorldOnSqlite } from './world.ts';

const FORM = 'application/x-www-form-urlencoded';
const NEXT = requestText('GET', '/oauth/tokeninfo?id_token=next', { connection: 'close' });

/** Sends a request and a second one on the same connection, and asserts that the second is parsed from its own start. */
async function askFirstOfTwo({ auth }: TestAuth, text: string): Promise<Reply> {
  const [first, next, ...more] = await askRaw(auth, text, NEXT);
  assert.deepEqual([next?.status, next?.json.error, more], [400, 'invalid_token', []], text);
  return first!;
}

test('a request without a body, or with a chunked one, is answered like one with a content length', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const headers = { origin: services.auth, 'content-type': FORM };
  const withLength = (body: string) => ({ ...headers, 'content-length': String(body.length) });
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'GET', 'TRACE'])
    for (const path of ['/sign-in', '/register', '/account/password', '/nowhere', '/assets/x', '/oauth/tokeninfo']) {
      const empty = await askFirstOfTwo(services, requestText(method, path, withLength('')));
      const none = await askFirstOfTwo(services, requestText(method, path, headers));
      const noChunks = await askFirstOfTwo(services, requestText(method, path, headers, ''));
      assert.deepEqual([none.status, noChunks.status], [empty.status, empty.status], `${method} ${path}`);
      const body = 'id_token=x&login=nobody&password=x';
      const whole = await askFirstOfTwo(services, requestText(method, path, withLength(body), body));
      const chunks = await askFirstOfTwo(services, requestText(method, path, headers, body));
      assert.equal(chunks.status, whole.status, `${method} ${path}`);
      assert.ok(whole.status < 500, `${method} ${path}: ${whole.status}`);
    }
});

test('tokeninfo answers preflights, other methods and forms without a length', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const ask = (method: string, headers: Record<string, string> = {}, body?: string) =>
    askFirstOfTwo(services, requestText(method, '/oauth/tokeninfo', headers, body));
  const preflightHeaders = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
  const preflight = await ask('OPTIONS', preflightHeaders);
  assert.deepEqual([preflight.status, preflight.headers['access-control-allow-methods']], [204, 'GET, POST']);
  const refused = await ask('DELETE');
  assert.deepEqual([refused.status, refused.headers['allow']], [405, 'GET, POST, OPTIONS']);
  const invalid = await ask('POST', { 'content-type': FORM }, 'id_token=x');
  assert.deepEqual([invalid.status, invalid.json.error], [400, 'invalid_token']);
  const missing = await ask('POST');
  assert.deepEqual([missing.status, missing.json.error], [400, 'invalid_request']);
});

test('the sign-in accepts a chunked form', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  await makeAccount(services, 'Robin');
  const body = new URLSearchParams({ login: 'Robin', password: PASSWORD }).toString();
  const headers = { origin: services.auth, 'sec-fetch-site': 'same-origin', 'content-type': FORM };
  const answer = await askFirstOfTwo(services, requestText('POST', '/sign-in', headers, body));
  assert.deepEqual([answer.status, answer.headers['location']], [303, '/account']);
  const cookie = /scorehall_session=[^;]+/.exec(String(answer.headers['set-cookie']))![0];
  assert.equal((await fetch(`${services.auth}/account`, { headers: { cookie }, redirect: 'manual' })).status, 200);
});

test('a body that is too long gets 413, with or without a length, and the connection is closed', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const headers = { origin: services.auth, 'content-type': FORM };
  for (const path of ['/sign-in', '/oauth/tokeninfo'])
    for (const length of [33_000, 300_000]) {
      const body = `login=${'a'.repeat(length)}`;
      for (const lengthHeader of [{}, { 'content-length': String(body.length) }] as Record<string, string>[]) {
        const [answer, ...more] = await askRaw(
          services.auth,
          requestText('POST', path, { ...headers, ...lengthHeader }, body),
          NEXT,
        );
        assert.deepEqual([answer?.status, answer?.headers['connection'], more], [413, 'close', []]);
        assert.match(answer!.text, path === '/sign-in' ? /<h1>/ : /^\{"error":"invalid_request"/);
      }
    }
  const longest = `login=${'a'.repeat(32 * 1024 - 6)}`;
  assert.equal((await askFirstOfTwo(services, requestText('POST', '/sign-in', headers, longest))).status, 400);
});

test('a client that disconnects in the middle of a body is logged only at debug level', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const logged = new LogRecorder(t, services.context.log);
  const form = { origin: services.auth, 'content-type': FORM };
  const plain = { 'content-type': FORM };
  for (const [path, headers] of [
    ['/sign-in', form],
    ['/oauth/token', { 'content-type': 'application/json' }],
    ['/oauth/token', plain],
    ['/oauth/token', form],
    ['/oauth/revoke', plain],
    ['/oauth/userinfo', plain],
  ] as [string, Record<string, string>][])
    for (const [name, value] of [
      ['content-length', '100'],
      ['transfer-encoding', 'chunked'],
    ] as const) {
      logged.forget();
      const text = requestText('POST', path, { ...headers, [name]: value });
      await disconnect(services.auth, `${text}5\r\nlogin\r\n`);
      await logged.something();
      await fetch(`${services.auth}/sign-in`);
      assert.deepEqual([...new Set(logged.levels)], ['debug'], `${path} ${name}`);
    }
});
