import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENDPOINTS } from '#api/index.ts';
import { testApi } from '#test/support/api.ts';
import { ask, type Reply } from '#test/support/request.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { fill, paths } from './filled-network.ts';

const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

const withoutVariable = ({ headers }: Reply) => ({
  ...headers,
  'x-ratelimit-remaining': '',
  'x-request-id': '',
  date: '',
});
const remaining = ({ headers }: Reply): number => Number(headers['x-ratelimit-remaining']);

/** The headers of every `/v1` response, of any status. */
function assertCommon(reply: Reply): void {
  for (const name of RATE_HEADERS) assert.match(String(reply.headers[name]), /^\d+$/, `${name} of ${reply.status}`);
  assert.equal(reply.headers['access-control-allow-origin'], '*');
  assert.equal(reply.headers['access-control-allow-credentials'], undefined);
  assert.match(String(reply.headers['cache-control']), /^private/);
  for (const name of [...RATE_HEADERS, 'retry-after', 'www-authenticate'])
    assert.ok(String(reply.headers['access-control-expose-headers']).toLowerCase().includes(name), name);
}

/** The body of every error: a code and a sentence. */
function assertError(reply: Reply, status: number, error: string): void {
  assert.equal(reply.status, status, reply.text);
  assertCommon(reply);
  assert.match(String(reply.headers['content-type']), /^application\/json/);
  assert.deepEqual(Object.keys(reply.json), ['error', 'error_description']);
  assert.equal(reply.json.error, error);
  assert.ok(reply.json.error_description.length > 10);
}

test('the endpoints are the eleven paths of the specification and eleven of ours', () => {
  assert.deepEqual(ENDPOINTS.map(({ path }) => path).sort(), Object.keys(paths({} as never)).sort());
});

onEachDatabase('every endpoint follows the contract of the data API', async (t, url) => {
  const { context, origin, get, token } = await testApi(t, url);
  const history = paths(await fill(context));
  // The pages of a first walk do not count: it begins, and has a second page, which ends the time in which it can begin again.
  const { json: first } = await get('/v1/changes?limit=1');
  await get(`/v1/changes?limit=1&after=${first.cursor}`);
  // test/api/change-stream.test.ts covers the stream, which does not end.
  for (const endpoint of ENDPOINTS.filter(({ isStream }) => isStream !== true)) {
    const path = history[endpoint.path]!;
    const joint = path.includes('?') ? '&' : '?';
    const reply = await get(path);

    await t.test(`${endpoint.path} answers with exactly the members of its schema`, () => {
      assert.equal(reply.status, 200, reply.text);
      assertCommon(reply);
      assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(reply.headers['content-length'], String(reply.bytes.length));
      assert.deepEqual(endpoint.response.parse(reply.json), reply.json);
      if (Array.isArray(reply.json)) assert.ok(reply.json.length > 0);
    });

    await t.test(`${endpoint.path} answers HEAD like GET, without the body`, async () => {
      const head = await get(path, { method: 'HEAD' });
      assert.equal(head.status, 200);
      assert.equal(head.text, '');
      assert.deepEqual(withoutVariable(head), withoutVariable(reply));
    });

    await t.test(`${endpoint.path} answers 304 to a matching If-None-Match`, async () => {
      const etag = String(reply.headers.etag);
      assert.match(etag, /^W\/"[^"]+"$/);
      for (const held of [etag, etag.slice(2), `"other", ${etag}`, `${etag},"other"`, '*', ` ${etag} `]) {
        const again = await get(path, { headers: { 'if-none-match': held } });
        assert.equal(again.status, 304, held);
        assert.equal(again.text, '');
        assert.equal(again.headers.etag, etag);
        assertCommon(again);
      }
      for (const other of ['"other"', 'W/"other"', '', etag.slice(3, -1)])
        assert.equal((await get(path, { headers: { 'if-none-match': other } })).status, 200, other);
    });

    await t.test(`${endpoint.path} ignores a trailing slash, an empty query and unknown parameters`, async () => {
      const [where, query = ''] = path.split('?');
      for (const same of [`${where}/?${query}`, `${path}${joint}`, `${path}${joint}what=1&&=&%zz=%zz&x[]=2`])
        assert.equal((await get(same)).text, reply.text, same);
    });

    await t.test(`${endpoint.path} checks the credentials before everything else`, async () => {
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
        const unauthenticated = await ask(origin, path, { method });
        assert.equal(unauthenticated.status, 401, method);
        assertCommon(unauthenticated);
        assert.match(String(unauthenticated.headers['www-authenticate']), /^Bearer realm="Scorehall"$/);
      }
      assertError(await ask(origin, path), 401, 'invalid_token');
    });

    await t.test(`${endpoint.path} refuses all methods but GET, HEAD and OPTIONS`, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
        const refused = await get(path, { method });
        assertError(refused, 405, 'method_not_allowed');
        assert.equal(refused.headers.allow, 'GET, HEAD, OPTIONS');
      }
    });

    await t.test(`${endpoint.path} allows cross-origin requests of browsers`, async () => {
      const before = await get(path);
      const preflight = await ask(origin, path, { method: 'OPTIONS', token });
      assert.equal(preflight.status, 204);
      assertCommon(preflight);
      assert.match(
        String(preflight.headers['access-control-allow-headers']),
        /Authorization.*X-Client-ID.*Content-Type.*X-Requested-With.*, \*$/,
      );
      assert.match(String(preflight.headers['access-control-allow-methods']), /GET/);
      assert.equal(remaining(await get(path)), remaining(before) - 1, 'a preflight does not count');
    });
  }

  await t.test('lists check their limit, and unknown ids are 404', async () => {
    for (const { path, query } of ENDPOINTS) {
      if ('limit' in query) assertError(await get(`${history[path]!.split('?')[0]}?limit=0`), 400, 'invalid_request');
      if (path.includes(':id')) assertError(await get(path.replace(':id', 'nothing%20here')), 404, 'not_found');
    }
  });

  await t.test('a path without endpoint is 404, but only with valid credentials', async () => {
    const missing = [
      '/',
      '/v1',
      '/v1/',
      '/v2/servers',
      '/v1/nothing',
      '/v1/servers/x/y',
      '/v1/servers//',
      '//v1/servers',
    ];
    for (const path of [...missing, '/v1/players/x/punishments/y', '/v1/maps/a/punishments', '/V1/servers']) {
      assertError(await get(path), 404, 'not_found');
      assertError(await ask(origin, path), 401, 'invalid_token');
      assertError(await get(path, { method: 'POST' }), 405, 'method_not_allowed');
    }
  });

  await t.test('a response to a URL with a token is not cached', async () => {
    const inUrl = await ask(origin, `/v1/servers?access_token=${token}`);
    assert.equal(inUrl.status, 200);
    assert.equal(inUrl.headers['cache-control'], 'private, no-store');
    assert.equal((await get('/v1/servers')).headers['cache-control'], 'private');
  });
});
