import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENDPOINTS } from '#api/index.ts';
import { testApi } from '#test/support/api.ts';
import { ask, type Reply } from '#test/support/request.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { fill, paths } from './filled-network.ts';

const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

const steady = ({ headers }: Reply) => ({ ...headers, 'x-ratelimit-remaining': '', date: '' });
const left = ({ headers }: Reply): number => Number(headers['x-ratelimit-remaining']);

/** Every `/v1` answer carries these, whatever its status. */
function assertCommon(reply: Reply): void {
  for (const name of RATE_HEADERS) assert.match(String(reply.headers[name]), /^\d+$/, `${name} of ${reply.status}`);
  assert.equal(reply.headers['access-control-allow-origin'], '*');
  assert.equal(reply.headers['access-control-allow-credentials'], undefined);
  assert.match(String(reply.headers['cache-control']), /^private/);
  for (const name of [...RATE_HEADERS, 'retry-after', 'www-authenticate'])
    assert.ok(String(reply.headers['access-control-expose-headers']).toLowerCase().includes(name), name);
}

/** The body of every error: two members, whose words are for people. */
function assertError(reply: Reply, status: number, error: string): void {
  assert.equal(reply.status, status, reply.text);
  assertCommon(reply);
  assert.match(String(reply.headers['content-type']), /^application\/json/);
  assert.deepEqual(Object.keys(reply.json), ['error', 'error_description']);
  assert.equal(reply.json.error, error);
  assert.ok(reply.json.error_description.length > 10);
}

test('the rows are the specification’s eleven paths', () => {
  assert.deepEqual(ENDPOINTS.map(({ path }) => path).sort(), Object.keys(paths({} as never)).sort());
});

onEachDatabase('every row keeps the contract of the data API', async (t, url) => {
  const { context, origin, get, token } = await testApi(t, url);
  const history = paths(await fill(context));
  for (const row of ENDPOINTS) {
    const path = history[row.path]!;
    const joint = path.includes('?') ? '&' : '?';
    const reply = await get(path);

    await t.test(`${row.path} answers its shape, no member more or less`, () => {
      assert.equal(reply.status, 200, reply.text);
      assertCommon(reply);
      assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(reply.headers['content-length'], String(reply.bytes.length));
      assert.deepEqual(row.response.parse(reply.json), reply.json);
      if (Array.isArray(reply.json)) assert.ok(reply.json.length > 0);
    });

    await t.test(`${row.path} answers HEAD like GET, without the body`, async () => {
      const head = await get(path, { method: 'HEAD' });
      assert.equal(head.status, 200);
      assert.equal(head.text, '');
      assert.deepEqual(steady(head), steady(reply));
    });

    await t.test(`${row.path} answers 304 to whoever has the answer already`, async () => {
      const etag = String(reply.headers.etag);
      assert.match(etag, /^W\/"[^"]+"$/);
      for (const known of [etag, etag.slice(2), `"other", ${etag}`, `${etag},"other"`, '*', ` ${etag} `]) {
        const again = await get(path, { headers: { 'if-none-match': known } });
        assert.equal(again.status, 304, known);
        assert.equal(again.text, '');
        assert.equal(again.headers.etag, etag);
        assertCommon(again);
      }
      for (const other of ['"other"', 'W/"other"', '', etag.slice(3, -1)])
        assert.equal((await get(path, { headers: { 'if-none-match': other } })).status, 200, other);
    });

    await t.test(`${row.path} is the same with a slash, a bare ?, and parameters that nobody knows`, async () => {
      const [where, query = ''] = path.split('?');
      for (const same of [`${where}/?${query}`, `${path}${joint}`, `${path}${joint}what=1&&=&%zz=%zz&x[]=2`])
        assert.equal((await get(same)).text, reply.text, same);
    });

    await t.test(`${row.path} asks for a credential before it says anything else`, async () => {
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
        const stranger = await ask(origin, path, { method });
        assert.equal(stranger.status, 401, method);
        assertCommon(stranger);
        assert.match(String(stranger.headers['www-authenticate']), /^Bearer realm="Scorehall"$/);
      }
      assertError(await ask(origin, path), 401, 'invalid_token');
    });

    await t.test(`${row.path} refuses other methods`, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
        const refused = await get(path, { method });
        assertError(refused, 405, 'method_not_allowed');
        assert.equal(refused.headers.allow, 'GET, HEAD, OPTIONS');
      }
    });

    await t.test(`${row.path} lets browsers in`, async () => {
      const before = await get(path);
      const preflight = await ask(origin, path, { method: 'OPTIONS', token });
      assert.equal(preflight.status, 204);
      assertCommon(preflight);
      assert.match(String(preflight.headers['access-control-allow-headers']), /Authorization.*X-Client-ID/);
      assert.match(String(preflight.headers['access-control-allow-methods']), /GET/);
      assert.equal(left(await get(path)), left(before) - 1, 'a preflight counts nothing');
    });
  }

  await t.test('lists page, single resources are found or not', async () => {
    for (const { path, query } of ENDPOINTS) {
      if ('limit' in query) assertError(await get(`${history[path]!.split('?')[0]}?limit=0`), 400, 'invalid_request');
      if (path.includes(':id')) assertError(await get(path.replace(':id', 'nothing%20here')), 404, 'not_found');
    }
  });

  await t.test('what is no path is not found, for whoever is let in', async () => {
    const none = ['/', '/v1', '/v1/', '/v2/servers', '/v1/nothing', '/v1/servers/x/y', '/v1/servers//', '//v1/servers'];
    for (const path of [...none, '/v1/players/x/punishments/y', '/v1/maps/a/punishments', '/V1/servers']) {
      assertError(await get(path), 404, 'not_found');
      assertError(await ask(origin, path), 401, 'invalid_token');
      assertError(await get(path, { method: 'POST' }), 405, 'method_not_allowed');
    }
  });

  await t.test('a token in the address is not cached', async () => {
    const inAddress = await ask(origin, `/v1/servers?access_token=${token}`);
    assert.equal(inAddress.status, 200);
    assert.equal(inAddress.headers['cache-control'], 'private, no-store');
    assert.equal((await get('/v1/servers')).headers['cache-control'], 'private');
  });
});
