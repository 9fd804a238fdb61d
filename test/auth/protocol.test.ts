import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { onEachDatabase } from '#test/support/context.ts';
import { codeOf, openOnSqlite, post, requestFor, serviceWithSteve, STEVE, type Fields } from './flow.ts';
import { Person } from './person.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, openTestAuth, type TestAuth } from './support.ts';

const ROTATING = { rotate_refresh_tokens: true };

onEachDatabase(
  'the authorization code flow is as specified: code, token response, ID token, tokeninfo, userinfo, refresh',
  async (t, url) => {
    const services = await openTestAuth(t, url);
    const account = await makeAccount(services, 'Someone', STEVE);
    const { application, secret } = await makeApplication(services, 'service', [CALLBACK], ROTATING);
    const credentials = { client_id: application.client_id, client_secret: secret! };
    const callback = await authorize(
      services.auth,
      requestFor(services, application.client_id, { nonce: 'n-1', state: 'a b&c' }),
      'Steve',
    );
    assert.equal(callback.origin + callback.pathname, CALLBACK);
    assert.equal(callback.searchParams.get('state'), 'a b&c');
    assert.equal(callback.searchParams.get('iss'), services.auth);
    const code = callback.searchParams.get('code')!;
    const { status, body, headers } = await post(services, '/oauth/token', {
      ...{ ...credentials, grant_type: 'authorization_code', code, redirect_uri: CALLBACK },
    });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), [
      'access_token',
      'expires_in',
      'id_token',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    assert.deepEqual([body['token_type'], body['expires_in'], body['scope']], ['Bearer', 3600, 'openid profile email']);
    assert.match(headers.get('cache-control')!, /no-store/);
    const idToken = body['id_token'] as string;
    const claims = decodeJwt(idToken);
    assert.deepEqual(Object.keys(claims).sort(), ['aud', 'auth_time', 'exp', 'iat', 'iss', 'nonce', 'sub']);
    assert.deepEqual(
      [claims.iss, claims.sub, claims.aud, claims['nonce']],
      [services.auth, account.id, application.client_id, 'n-1'],
    );
    assert.equal(claims.exp! - claims.iat!, 3600);
    assert.equal(decodeProtectedHeader(idToken).alg, 'RS256');

    for (const info of [
      await fetch(`${services.auth}/oauth/tokeninfo?id_token=${idToken}`),
      await fetch(`${services.auth}/oauth/tokeninfo`, {
        method: 'POST',
        body: new URLSearchParams({ id_token: idToken }),
      }),
    ]) {
      const received = (await info.json()) as Record<string, unknown>;
      const { expires_in, ...rest } = received;
      assert.deepEqual(rest, {
        ...{ issuer: services.auth, issued_to: application.client_id, audience: application.client_id },
        ...{ user_id: account.id, issued_at: claims.iat },
      });
      assert.ok((expires_in as number) > 3590 && (expires_in as number) <= 3660);
      assert.equal(info.headers.get('access-control-allow-origin'), '*');
    }

    const fresh = await post(services, '/oauth/token', {
      ...credentials,
      grant_type: 'refresh_token',
      refresh_token: body['refresh_token'] as string,
    });
    assert.equal(fresh.status, 200);
    assert.equal(decodeJwt(fresh.body['id_token'] as string)['nonce'], 'n-1');
    const reused = await post(services, '/oauth/token', {
      ...credentials,
      grant_type: 'refresh_token',
      refresh_token: body['refresh_token'] as string,
    });
    assert.deepEqual([reused.status, reused.body['error']], [400, 'invalid_grant']);
    const family = await post(services, '/oauth/token', {
      ...credentials,
      grant_type: 'refresh_token',
      refresh_token: fresh.body['refresh_token'] as string,
    });
    assert.equal(family.status, 400, 'reuse revokes all tokens of the sign-in');
    const info = await fetch(`${services.auth}/oauth/userinfo`, {
      headers: { authorization: `Bearer ${fresh.body['access_token'] as string}` },
    });
    assert.equal(info.status, 401);
  },
);

test('a code works once; a second use revokes the tokens of the first', async (t) => {
  const { services, application, redeem } = await serviceWithSteve(t);
  const code = await codeOf(services, application.client_id);
  const first = await redeem(code);
  assert.equal(first.status, 200);
  const headers = { authorization: `Bearer ${first.body['access_token'] as string}` };
  assert.equal((await fetch(`${services.api}/v1/players/me`, { headers })).status, 200);
  assert.deepEqual((await redeem(code)).body['error'], 'invalid_grant');
  assert.equal((await fetch(`${services.api}/v1/players/me`, { headers })).status, 401);
});

test('a code works for sixty seconds, only with its redirect URI and only for its application', async (t) => {
  const { services, application, credentials, redeem } = await serviceWithSteve(t);
  const late = await codeOf(services, application.client_id);
  services.context.clock.advance(60_000);
  assert.equal((await redeem(late)).body['error'], 'invalid_grant');
  const code = await codeOf(services, application.client_id);
  assert.equal((await redeem(code, { redirect_uri: `${CALLBACK}/` })).body['error'], 'invalid_grant');
  const other = await makeApplication(services, 'service');
  const stolen = { client_id: other.application.client_id, client_secret: other.secret! };
  assert.equal((await redeem(code, stolen)).body['error'], 'invalid_grant');
  const { redirect_uri: _, ...without } = { ...credentials, grant_type: 'authorization_code', code, redirect_uri: '' };
  assert.equal((await post(services, '/oauth/token', without)).status, 400);
});

test('PKCE is enforced when a challenge is sent, `plain` is refused, and an application can require PKCE', async (t) => {
  const { services, application, redeem } = await serviceWithSteve(t);
  const challenge = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const withoutVerifier = await codeOf(services, application.client_id, challenge);
  assert.equal((await redeem(withoutVerifier)).status, 400);
  const code = await codeOf(services, application.client_id, challenge);
  assert.equal((await redeem(code, { code_verifier: verifier })).status, 200);
  const plain = await authorize(
    services.auth,
    requestFor(services, application.client_id, { ...challenge, code_challenge_method: 'plain' }),
    'Steve',
  );
  assert.equal(plain.searchParams.get('error'), 'invalid_request');
  await services.context.db.run({ strings: ['update applications set require_pkce = 1'], values: [] });
  const refused = await authorize(services.auth, requestFor(services, application.client_id), 'Steve');
  assert.equal(refused.searchParams.get('error'), 'invalid_request');
});

test('errors are shown on a page until client and redirect URI are validated, then sent to the redirect URI', async (t) => {
  const { services, application } = await serviceWithSteve(t);
  const id = application.client_id;
  const pages = [
    requestFor(services, 'unknown'),
    requestFor(services, 'a'.repeat(4000)),
    requestFor(services, 'nul\0'),
    requestFor(services, id, { redirect_uri: 'https://evil.example/' }),
    requestFor(services, id, { redirect_uri: `${CALLBACK}?x=1` }),
    requestFor(services, id, { redirect_uri: 'javascript:alert(1)' }),
    requestFor(services, id, { redirect_uri: '' }),
    `${requestFor(services, id)}&client_id=other`,
    `${requestFor(services, id)}&redirect_uri=${encodeURIComponent(CALLBACK)}`,
    `${services.auth}/oauth/authorize`,
    `${services.auth}/oauth/authorize?client_id=%ff%fe`,
  ];
  for (const address of pages) {
    const person = new Person(services.auth, { accept: 'text/html' });
    const { status, url, html, headers } = await person.open(address);
    assert.equal(new URL(url).origin, services.auth, `${address} leads to ${url}`);
    assert.ok(status >= 400 && status < 500, `${address}: ${status}`);
    assert.match(html, /This did not work/);
    assert.match(headers.get('content-security-policy')!, /default-src 'none'/);
  }
  const redirects: [Fields, string][] = [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: 'id_token', nonce: 'x' }, 'unsupported_response_type'],
    [{ scope: 'openid\u0001' }, 'invalid_scope'],
    [{ prompt: 'none' }, 'login_required'],
    [{ prompt: 'nonsense' }, 'invalid_request'],
    [{ max_age: '-1' }, 'invalid_request'],
    [{ request: 'x' }, 'request_not_supported'],
    [{ registration: '{}' }, 'registration_not_supported'],
    [{ id_token_hint: 'x' }, 'invalid_request'],
    [{ response_mode: 'nonsense' }, 'unsupported_response_mode'],
  ];
  for (const [more, error] of redirects) {
    const url = new URL((await new Person(services.auth).open(requestFor(services, id, { state: 's', ...more }))).url);
    const answer = url.searchParams.has('error') ? url.searchParams : new URLSearchParams(url.hash.slice(1));
    assert.deepEqual(
      [url.origin + url.pathname, answer.get('error'), answer.get('state')],
      [CALLBACK, error, 's'],
      url.href,
    );
  }
});

test('every URL in a response is the issuer’s, whatever the host headers of the request say', async (t) => {
  const { services, application } = await serviceWithSteve(t);
  const evil = {
    ...{ host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    ...{ 'x-forwarded-port': '1234', forwarded: 'host=evil.example;proto=https', 'x-original-host': 'evil.example' },
  };
  for (const path of [
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    new URL(requestFor(services, application.client_id)).href.slice(services.auth.length),
    '/oauth/logout',
    '/register',
    '/nowhere',
  ]) {
    const { body, location } = await raw(services, path, evil);
    assert.doesNotMatch(body + location, /evil/, path);
    if (path.startsWith('/.well-known'))
      assert.match(body, new RegExp(`"token_endpoint":"${services.auth}/oauth/token"`));
  }
  const absolute = await raw(services, `http://evil.example/.well-known/openid-configuration`, {});
  assert.equal(absolute.status, 400);
});

/** Sends a request target and headers that `fetch` would not send. */
async function raw(
  services: TestAuth,
  path: string,
  headers: Fields,
): Promise<{ status: number; body: string; location: string }> {
  const { hostname, port } = new URL(services.auth);
  return await new Promise((resolve, reject) => {
    httpRequest({ hostname, port, path, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode!, body, location: response.headers.location ?? '' }),
      );
    })
      .on('error', reject)
      .end();
  });
}

test('a public application that sends a secret is refused; an empty secret counts as none', async (t) => {
  const services = await openOnSqlite(t);
  await makeAccount(services, 'Someone', STEVE);
  const { application } = await makeApplication(services, 'installed', ['myapp://callback']);
  const fields = { client_id: application.client_id, redirect_uri: 'myapp://callback' };
  const grant = async () => ({
    ...{ ...fields, grant_type: 'authorization_code' },
    code: (
      await authorize(services.auth, requestFor(services, application.client_id, fields), 'Steve')
    ).searchParams.get('code')!,
  });
  assert.equal((await post(services, '/oauth/token', { ...(await grant()), client_secret: 'guess' })).status, 401);
  assert.equal((await post(services, '/oauth/token', { ...(await grant()), client_secret: '' })).status, 200);
  const own = await post(services, '/oauth/token', {
    client_id: application.client_id,
    grant_type: 'client_credentials',
  });
  assert.equal(own.status, 400);
});

test('an installed application needs consent every time, a web application once; any loopback port is accepted', async (t) => {
  const services = await openOnSqlite(t);
  await makeAccount(services, 'Someone', STEVE);
  const installed = (await makeApplication(services, 'installed', ['http://127.0.0.1/cb'])).application.client_id;
  const web = (await makeApplication(services, 'web')).application.client_id;
  const person = new Person(services.auth);
  const open = (id: string, redirect_uri: string) => person.open(requestFor(services, id, { redirect_uri }));
  await authorize(services.auth, requestFor(services, web), 'Steve', person);
  assert.match((await open(web, CALLBACK)).url, /^https:\/\/app\.example\/callback\?code=/);
  for (const port of [3000, 45_678]) {
    await open(installed, `http://127.0.0.1:${port}/cb`);
    assert.match(person.page.html, /\/consent"/);
    assert.match((await person.submit({}, '/consent')).url, new RegExp(`^http://127.0.0.1:${port}/cb\\?code=`));
  }
});

test('a web application can call from its own origin, and no other origin can', async (t) => {
  const services = await openOnSqlite(t);
  await makeAccount(services, 'Someone', STEVE);
  const { application } = await makeApplication(services, 'web');
  const fields = { client_id: application.client_id, grant_type: 'authorization_code', redirect_uri: CALLBACK };
  const code = await codeOf(services, application.client_id);
  const foreign = await post(services, '/oauth/token', { ...fields, code }, { origin: 'https://evil.example' });
  assert.deepEqual([foreign.status, foreign.headers.get('access-control-allow-origin')], [400, null]);
  const own = await post(services, '/oauth/token', { ...fields, code }, { origin: 'https://app.example' });
  assert.deepEqual([own.status, own.headers.get('access-control-allow-origin')], [200, 'https://app.example']);
  const preflight = await fetch(`${services.auth}/oauth/userinfo`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
  });
  assert.equal(preflight.status, 204);
});
