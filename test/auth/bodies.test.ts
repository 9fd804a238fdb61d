import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askRaw, type Reply, requestText } from '#test/support/request.ts';
import { disconnect, LogRecorder } from '#test/support/disconnect.ts';
import { makeAccount, PASSWORD, type TestAuth } from './support.ts';
import { openWorldOnSqlite } from './world.ts';

const FORM = 'application/x-www-form-urlencoded';
const NEXT = requestText('GET', '/oauth/tokeninfo?id_token=next', { connection: 'close' });

/** The answer to a request, once it is seen that the one behind it on the connection is read as it was sent. */
async function askAlone({ auth }: TestAuth, text: string): Promise<Reply> {
  const [first, next, ...more] = await askRaw(auth, text, NEXT);
  assert.deepEqual([next?.status, next?.json.error, more], [400, 'invalid_token', []], text);
  return first!;
}

test('a request without a body, or with one of unknown length, is answered as one that tells its length', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const headers = { origin: services.auth, 'content-type': FORM };
  const withLength = (body: string) => ({ ...headers, 'content-length': String(body.length) });
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'GET', 'TRACE'])
    for (const path of ['/sign-in', '/register', '/account/password', '/nowhere', '/assets/x', '/oauth/tokeninfo']) {
      const empty = await askAlone(services, requestText(method, path, withLength('')));
      const none = await askAlone(services, requestText(method, path, headers));
      const noChunks = await askAlone(services, requestText(method, path, headers, ''));
      assert.deepEqual([none.status, noChunks.status], [empty.status, empty.status], `${method} ${path}`);
      const body = 'id_token=x&login=nobody&password=x';
      const whole = await askAlone(services, requestText(method, path, withLength(body), body));
      const chunks = await askAlone(services, requestText(method, path, headers, body));
      assert.equal(chunks.status, whole.status, `${method} ${path}`);
      assert.ok(whole.status < 500, `${method} ${path}: ${whole.status}`);
    }
});

test('tokeninfo answers preflights, other methods and forms without a length', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const ask = (method: string, headers: Record<string, string> = {}, body?: string) =>
    askAlone(services, requestText(method, '/oauth/tokeninfo', headers, body));
  const asked = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
  const preflight = await ask('OPTIONS', asked);
  assert.deepEqual([preflight.status, preflight.headers['access-control-allow-methods']], [204, 'GET, POST']);
  const refused = await ask('DELETE');
  assert.deepEqual([refused.status, refused.headers['allow']], [405, 'GET, POST, OPTIONS']);
  const invalid = await ask('POST', { 'content-type': FORM }, 'id_token=x');
  assert.deepEqual([invalid.status, invalid.json.error], [400, 'invalid_token']);
  const missing = await ask('POST');
  assert.deepEqual([missing.status, missing.json.error], [400, 'invalid_request']);
});

test('somebody signs in by a form that comes in chunks', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  await makeAccount(services, 'Robin');
  const body = new URLSearchParams({ login: 'Robin', password: PASSWORD }).toString();
  const headers = { origin: services.auth, 'sec-fetch-site': 'same-origin', 'content-type': FORM };
  const answer = await askAlone(services, requestText('POST', '/sign-in', headers, body));
  assert.deepEqual([answer.status, answer.headers['location']], [303, '/account']);
  const cookie = /scorehall_session=[^;]+/.exec(String(answer.headers['set-cookie']))![0];
  assert.equal((await fetch(`${services.auth}/account`, { headers: { cookie }, redirect: 'manual' })).status, 200);
});

test('a body that is too long is 413 with or without a length, and the last of its connection', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const headers = { origin: services.auth, 'content-type': FORM };
  for (const path of ['/sign-in', '/oauth/tokeninfo'])
    for (const length of [33_000, 300_000]) {
      const body = `login=${'a'.repeat(length)}`;
      for (const received of [{}, { 'content-length': String(body.length) }] as Record<string, string>[]) {
        const [answer, ...more] = await askRaw(
          services.auth,
          requestText('POST', path, { ...headers, ...received }, body),
          NEXT,
        );
        assert.deepEqual([answer?.status, answer?.headers['connection'], more], [413, 'close', []]);
        assert.match(answer!.text, /<h1>/);
      }
    }
  const longest = `login=${'a'.repeat(32 * 1024 - 6)}`;
  assert.equal((await askAlone(services, requestText('POST', '/sign-in', headers, longest))).status, 400);
});

test('whoever hangs up in the middle of a body is no fault of ours', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const received = new LogRecorder(t, services.context.log);
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
      received.forget();
      const text = requestText('POST', path, { ...headers, [name]: value });
      await disconnect(services.auth, `${text}5\r\nlogin\r\n`);
      await received.something();
      await fetch(`${services.auth}/sign-in`);
      assert.deepEqual([...new Set(received.levels)], ['debug'], `${path} ${name}`);
    }
});
