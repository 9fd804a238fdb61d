import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from '#test/support/request.ts';
import { openWorldOnSqlite } from '../world.ts';

const ENDPOINTS: Record<string, string> = {
  '/.well-known/openid-configuration': 'GET, HEAD, OPTIONS',
  '/.well-known/oauth-authorization-server': 'GET, HEAD, OPTIONS',
  '/oauth/authorize': 'GET, HEAD, POST',
  '/oauth/introspect': 'POST, OPTIONS',
  '/oauth/jwks': 'GET, HEAD, OPTIONS',
  '/oauth/logout': 'GET, HEAD, POST',
  '/oauth/logout/confirm': 'POST',
  '/oauth/logout/success': 'GET, HEAD',
  '/oauth/par': 'POST, OPTIONS',
  '/oauth/revoke': 'POST, OPTIONS',
  '/oauth/token': 'POST, OPTIONS',
  '/oauth/userinfo': 'GET, HEAD, POST, OPTIONS',
};

test('an endpoint answers its methods, and any other with 405 and `Allow`', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const preflight = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
  for (const [path, allow] of Object.entries(ENDPOINTS))
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])
      for (const [at, headers] of [
        [path, {}],
        [`${path.toUpperCase()}/?x=y`, preflight],
      ] as const) {
        const { status, headers: responseHeaders, json } = await ask(services.auth, at, { method, headers });
        const label = `${method} ${at}: ${status}`;
        if (allow.split(', ').includes(method)) {
          assert.ok(![404, 405, 500].includes(status), label);
          if (method === 'OPTIONS') assert.equal(status, 204, label);
          continue;
        }
        assert.deepEqual([status, responseHeaders['allow']], [405, allow], label);
        if (method === 'HEAD') continue;
        assert.deepEqual([json.error, typeof json.error_description], ['method_not_allowed', 'string'], label);
      }
  const plain = await ask(services.auth, '/oauth/token', { method: 'OPTIONS' });
  assert.deepEqual([plain.status, plain.headers['allow']], [204, 'POST, OPTIONS']);
});

test('an unknown endpoint is 404 as JSON', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const paths = ['/oauth/', '/oauth/tokens', '/oauth/constructor', '/oauth/token/x', '/.well-known/x', '/OAuth/x?y'];
  for (const path of paths)
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const { status, json } = await ask(services.auth, path, { method });
      assert.deepEqual([status, json.error], [404, 'not_found'], `${method} ${path}`);
      assert.match(json.error_description, /The endpoints are .*\/oauth\/token/);
    }
});

test('a path that other services have for an endpoint is 404 as JSON, and names ours', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const meant: [path: string, endpoint: string][] = [
    ['/token', '/oauth/token'],
    ['/Token/?x=y', '/oauth/token'],
    ['/oauth2/token', '/oauth/token'],
    ['/oauth/v2/token', '/oauth/token'],
    ['/login/oauth/access_token', '/oauth/token'],
    ['/authorize', '/oauth/authorize'],
    ['/userinfo', '/oauth/userinfo'],
    ['/tokeninfo', '/oauth/tokeninfo'],
    ['/.well-known/jwks.json', '/oauth/jwks'],
    ['/oauth/.well-known/openid-configuration', '/.well-known/openid-configuration'],
  ];
  for (const [path, endpoint] of meant)
    for (const method of ['GET', 'POST']) {
      const { status, json } = await ask(services.auth, path, { method, headers: { accept: 'text/html' } });
      assert.deepEqual([status, json.error], [404, 'not_found'], `${method} ${path}`);
      assert.match(json.error_description, new RegExp(`The endpoint is ${RegExp.escape(endpoint)}\\.$`));
    }
  for (const path of ['/tokens', '/account/token', '/register/keys', '/sign-in/keys']) {
    const response = await fetch(services.auth + path, { redirect: 'manual' });
    assert.doesNotMatch(await response.text(), /The endpoint is/, path);
  }
});

test('discovery and keys may be cached: discovery for an hour, keys for five minutes', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  for (const [path, seconds] of [
    ['/.well-known/openid-configuration', 3600],
    ['/.well-known/oauth-authorization-server', 3600],
    ['/oauth/jwks', 300],
  ] as const) {
    const { headers } = await ask(services.auth, path, { method: 'GET' });
    assert.equal(headers['cache-control'], `public, max-age=${seconds}`, path);
  }
});
