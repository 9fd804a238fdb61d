import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { test, type TestContext } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { createTestDatabase, onEachDatabase } from '#test/support/context.ts';
import { addSecret } from '#store/applications/applications.ts';
import { setDisabled } from '#store/accounts/account-changes.ts';
import {
  authorize,
  CALLBACK,
  makeAccount,
  makeApplication,
  openTestAuth,
  statusWithinASecond,
  type TestAuth,
} from './support.ts';
import { Person } from './person.ts';

const STEVE = { uuid: '11111111-2222-4333-8444-555555555555', name: 'Steve' };

type Fields = Record<string, string>;
interface TokenResponse {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

async function post(services: TestAuth, path: string, fields: Fields, headers: Fields = {}): Promise<TokenResponse> {
  const response = await fetch(services.auth + path, { method: 'POST', body: new URLSearchParams(fields), headers });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? {} : (JSON.parse(text) as TokenResponse['body']),
    headers: response.headers,
  };
}

async function openOnSqlite(t: TestContext, settings: Fields = {}): Promise<TestAuth> {
  const database = await createTestDatabase('sqlite');
  const services = await openTestAuth(t, database.url, settings);
  t.after(() => database.drop());
  return services;
}

function requestFor(services: TestAuth, clientId: string, more: Fields = {}): string {
  const fields = {
    client_id: clientId,
    response_type: 'code',
    scope: 'openid profile email',
    redirect_uri: CALLBACK,
    ...more,
  };
  return `${services.auth}/oauth/authorize?${new URLSearchParams(fields).toString()}`;
}

/** An authorization code, after Steve has signed in and consented. */
async function codeOf(services: TestAuth, clientId: string, more: Fields = {}): Promise<string> {
  const callback = await authorize(services.auth, requestFor(services, clientId, more), 'Steve');
  return callback.searchParams.get('code')!;
}

async function serviceWithSteve(t: TestContext, settings: Fields = {}) {
  const services = await openOnSqlite(t, settings);
  const account = await makeAccount(services, 'Someone', STEVE);
  const { application, secret } = await makeApplication(services, 'service');
  const credentials = { client_id: application.client_id, client_secret: secret! };
  const redeem = (code: string, more: Fields = {}): Promise<TokenResponse> =>
    post(services, '/oauth/token', {
      ...credentials,
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      ...more,
    });
  return { services, account, application, credentials, redeem };
}

onEachDatabase(
  'the authorization code flow is as specified: code, token response, ID token, tokeninfo, userinfo, refresh',
  async (t, url) => {
    const services = await openTestAuth(t, url);
    const account = await makeAccount(services, 'Someone', STEVE);
    const { application, secret } = await makeApplication(services, 'service');
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

test('the client credentials response is exactly as specified, by form, Basic and JSON', async (t) => {
  const { services, credentials, application } = await serviceWithSteve(t);
  const grant_type = 'client_credentials';
  const basic = `Basic ${Buffer.from(`${credentials.client_id}:${credentials.client_secret}`).toString('base64')}`;
  const json = await fetch(`${services.auth}/oauth/token`, {
    ...{ method: 'POST', body: JSON.stringify({ ...credentials, grant_type }) },
    headers: { 'content-type': 'application/json' },
  });
  const answers = [
    (await post(services, '/oauth/token', { ...credentials, grant_type })).body,
    (await post(services, '/oauth/token', { grant_type }, { authorization: basic })).body,
    (await json.json()) as Record<string, unknown>,
  ];
  for (const body of answers) {
    const { access_token, ...rest } = body;
    assert.deepEqual(rest, { expires_in: 3600, token_type: 'bearer', scope: null });
    const headers = { authorization: `Bearer ${access_token as string}` };
    assert.equal((await fetch(`${services.api}/v1/servers`, { headers })).status, 200);
    assert.equal((await fetch(`${services.api}/v1/players/me`, { headers })).status, 403);
  }
  const scoped = await post(services, '/oauth/token', { ...credentials, grant_type, scope: 'openid' });
  assert.equal(scoped.body['scope'], 'openid');
  const second = await services.context.db.transaction((tx) =>
    addSecret(tx, services.context.clock.now(), application.key),
  );
  for (const client_secret of [credentials.client_secret, second]) {
    assert.equal((await post(services, '/oauth/token', { ...credentials, client_secret, grant_type })).status, 200);
  }
  const wrong = await post(services, '/oauth/token', { ...credentials, client_secret: `${second}x`, grant_type });
  assert.deepEqual([wrong.status, wrong.body['error']], [401, 'invalid_client']);
});

/** A response without its date and the value of its token, which differ each time. */
function shape({ status, body, headers }: TokenResponse): unknown[] {
  const { date: _, ...rest } = Object.fromEntries(headers);
  return [status, rest, { ...body, access_token: (body['access_token'] as string).length }];
}

test('the client credentials fast path answers like oidc-provider, and its tokens can be introspected and revoked', async (t) => {
  const { services, credentials } = await serviceWithSteve(t);
  const fields = { ...credentials, grant_type: 'client_credentials' };
  const form = 'application/x-www-form-urlencoded';
  const fast = await post(services, '/oauth/token', fields, { 'content-type': form });
  const slow = await post(services, '/oauth/token', fields, { 'content-type': `${form};charset=UTF-8` });
  assert.deepEqual(shape(fast), shape(slow));
  for (const { body } of [fast, slow]) {
    const token = body['access_token'] as string;
    const { iat, exp, ...received } = (await post(services, '/oauth/introspect', { ...credentials, token })).body;
    assert.equal((exp as number) - (iat as number), 3600);
    assert.deepEqual(received, {
      active: true,
      client_id: credentials.client_id,
      iss: services.auth,
      token_type: 'Bearer',
    });
    await post(services, '/oauth/revoke', { ...credentials, token });
    assert.equal(await statusWithinASecond(services.api, token, 401), 401);
  }
});

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

test('an application can introspect and revoke only its own tokens', async (t) => {
  const { services, application, credentials, redeem } = await serviceWithSteve(t);
  const other = await makeApplication(services, 'service');
  const stranger = { client_id: other.application.client_id, client_secret: other.secret! };
  const tokens = (await redeem(await codeOf(services, application.client_id))).body;
  const token = tokens['access_token'] as string;
  const own = (await post(services, '/oauth/introspect', { ...credentials, token })).body;
  assert.deepEqual(
    [own['active'], own['client_id'], own['scope'], own['token_type']],
    [true, application.client_id, 'openid profile email', 'Bearer'],
  );
  assert.deepEqual((await post(services, '/oauth/introspect', { ...stranger, token })).body, { active: false });
  await post(services, '/oauth/revoke', { ...stranger, token });
  assert.equal((await post(services, '/oauth/introspect', { ...credentials, token })).body['active'], true);
  assert.equal((await post(services, '/oauth/revoke', { ...credentials, token })).status, 200);
  assert.deepEqual((await post(services, '/oauth/introspect', { ...credentials, token })).body, { active: false });
  assert.equal((await post(services, '/oauth/revoke', { ...credentials, token: 'unknown' })).status, 200);
  assert.equal((await post(services, '/oauth/introspect', { token })).status, 400);
});

test('an application in INTROSPECTORS can introspect every token', async (t) => {
  const database = await createTestDatabase('sqlite');
  const first = await openTestAuth(t, database.url);
  const gateway = await makeApplication(first, 'service');
  const { application, secret } = await makeApplication(first, 'service');
  const services = await openTestAuth(t, database.url, { INTROSPECTORS: gateway.application.client_id });
  t.after(() => database.drop());
  const own = { client_id: application.client_id, client_secret: secret!, grant_type: 'client_credentials' };
  const token = (await post(services, '/oauth/token', own)).body['access_token'] as string;
  const credentials = { client_id: gateway.application.client_id, client_secret: gateway.secret! };
  assert.equal((await post(services, '/oauth/introspect', { ...credentials, token })).body['active'], true);
});

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

test('tokens of a disabled account are refused on the next request', async (t) => {
  const { services, application, account, credentials, redeem } = await serviceWithSteve(t);
  const tokens = (await redeem(await codeOf(services, application.client_id))).body;
  await setDisabled(services.context.db, account.id, services.context.clock.now());
  const headers = { authorization: `Bearer ${tokens['access_token'] as string}` };
  assert.equal((await fetch(`${services.api}/v1/players/me`, { headers })).status, 401);
  assert.equal((await fetch(`${services.auth}/oauth/userinfo`, { headers })).status, 401);
  const refresh = { ...credentials, grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] as string };
  assert.equal((await post(services, '/oauth/token', refresh)).body['error'], 'invalid_grant');
});

test('access tokens expire after an hour, refresh tokens 30 days after their last use', async (t) => {
  const { services, application, credentials, redeem } = await serviceWithSteve(t);
  let tokens = (await redeem(await codeOf(services, application.client_id))).body;
  const me = async () =>
    (
      await fetch(`${services.api}/v1/players/me`, {
        headers: { authorization: `Bearer ${tokens['access_token'] as string}` },
      })
    ).status;
  const refresh = () =>
    post(services, '/oauth/token', {
      ...credentials,
      grant_type: 'refresh_token',
      refresh_token: tokens['refresh_token'] as string,
    });
  services.context.clock.advance(3_599_000);
  assert.equal(await me(), 200);
  services.context.clock.advance(1_000);
  assert.equal(await me(), 401);
  for (let month = 0; month < 2; month++) {
    services.context.clock.advance(29 * 86_400_000);
    tokens = (await refresh()).body;
    assert.equal(await me(), 200);
  }
  services.context.clock.advance(30 * 86_400_000);
  assert.equal((await refresh()).body['error'], 'invalid_grant');
});

test('a used refresh token works again within REFRESH_GRACE', async (t) => {
  const { services, application, credentials, redeem } = await serviceWithSteve(t, { REFRESH_GRACE: '10s' });
  const { refresh_token } = (await redeem(await codeOf(services, application.client_id))).body as Fields;
  const refresh = () =>
    post(services, '/oauth/token', { ...credentials, grant_type: 'refresh_token', refresh_token: refresh_token! });
  assert.deepEqual([(await refresh()).status, (await refresh()).status], [200, 200]);
  services.context.clock.advance(20_000);
  assert.equal((await refresh()).status, 400);
});
