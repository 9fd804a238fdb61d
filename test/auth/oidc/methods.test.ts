import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from '#test/support/request.ts';
import { openWorldOnSqlite } from '../world.ts';

const ENDPOINTS: Record<string, string> = {
  '/.well-known/openid-configuration': 'GET, HEAD, OPTIONS',
  '/.well-known/oauth-authorization-server': 'GET, HEAD, OPTIONS',
  '/oauth/authorize': 'GET, HEAD',
  '/oauth/introspect': 'POST, OPTIONS',
  '/oauth/jwks': 'GET, HEAD, OPTIONS',
  '/oauth/logout': 'GET, HEAD',
  '/oauth/logout/confirm': 'POST',
  '/oauth/logout/success': 'GET, HEAD',
  '/oauth/par': 'POST, OPTIONS',
  '/oauth/revoke': 'POST, OPTIONS',
  '/oauth/token': 'POST, OPTIONS',
  '/oauth/userinfo': 'GET, HEAD, POST, OPTIONS',
};

test('an endpoint answers the methods that it has, and says which they are to any other', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const preflight = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
  for (const [path, allow] of Object.entries(ENDPOINTS))
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])
      for (const [at, headers] of [
        [path, {}],
        [`${path.toUpperCase()}/?x=y`, preflight],
      ] as const) {
        const { status, headers: answered, json } = await ask(services.auth, at, { method, headers });
        const what = `${method} ${at}: ${status}`;
        if (allow.split(', ').includes(method)) {
          assert.ok(![404, 405, 500].includes(status), what);
          if (method === 'OPTIONS') assert.equal(status, 204, what);
          continue;
        }
        assert.deepEqual([status, answered['allow']], [405, allow], what);
        if (method === 'HEAD') continue;
        assert.deepEqual([json.error, typeof json.error_description], ['method_not_allowed', 'string'], what);
      }
  const plain = await ask(services.auth, '/oauth/token', { method: 'OPTIONS' });
  assert.deepEqual([plain.status, plain.headers['allow']], [204, 'POST, OPTIONS']);
});

test('what is no endpoint is said to be none, as JSON', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const paths = ['/oauth/', '/oauth/tokens', '/oauth/constructor', '/oauth/token/x', '/.well-known/x', '/OAuth/x?y'];
  for (const path of paths)
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const { status, json } = await ask(services.auth, path, { method });
      assert.deepEqual([status, json.error], [404, 'not_found'], `${method} ${path}`);
      assert.match(json.error_description, /The endpoints are .*\/oauth\/token/);
    }
});
