import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '#test/support/context.ts';
import {
  codeOf,
  type Fields,
  openOnSqlite,
  post,
  requestFor,
  serviceWithSteve,
  STEVE,
  type TokenResponse,
} from './flow.ts';
import { Person } from './person.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, openTestAuth, type TestAuth } from './support.ts';

const DAY_MS = 86_400_000;

/** Signs Steve in to an application. @returns the refresh token, and a function that uses one */
async function signedIn(services: TestAuth, credentials: Fields) {
  const code = await codeOf(services, credentials['client_id']!);
  const grant = { ...credentials, grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
  const { refresh_token } = (await post(services, '/oauth/token', grant)).body as Fields;
  const refresh = (token: string): Promise<TokenResponse> =>
    post(services, '/oauth/token', { ...credentials, grant_type: 'refresh_token', refresh_token: token });
  return { first: refresh_token!, refresh };
}

onEachDatabase('the refresh token of a service stays the same, until 30 days after its last use', async (t, url) => {
  const services = await openTestAuth(t, url);
  await makeAccount(services, 'Someone', STEVE);
  const { application, secret } = await makeApplication(services, 'service');
  const credentials = { client_id: application.client_id, client_secret: secret! };
  const { first, refresh } = await signedIn(services, credentials);
  const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(first)));
  for (const { status, body } of answers) assert.deepEqual([status, body['refresh_token']], [200, first]);
  for (let month = 0; month < 3; month++) {
    services.context.clock.advance(29 * DAY_MS);
    assert.equal((await refresh(first)).status, 200);
  }
  const { scope: narrowed } = (
    await post(services, '/oauth/token', {
      ...{ ...credentials, grant_type: 'refresh_token', refresh_token: first, scope: 'openid' },
    })
  ).body;
  assert.equal(narrowed, 'openid');
  services.context.clock.advance(30 * DAY_MS);
  const late = await refresh(first);
  assert.deepEqual([late.status, late.body['error']], [400, 'invalid_grant']);
  assert.match(String(late.body['error_description']), /refresh token is unknown, has expired or has been revoked/);

  const next = await signedIn(services, credentials);
  await post(services, '/oauth/revoke', { ...credentials, token: next.first });
  assert.equal((await next.refresh(next.first)).status, 400, 'a revoked token is not renewed');
});

onEachDatabase(
  'public applications, and services that are set to it, get a new refresh token each time',
  async (t, url) => {
    const services = await openTestAuth(t, url);
    await makeAccount(services, 'Someone', STEVE);
    const web = (await makeApplication(services, 'web')).application;
    const service = await makeApplication(services, 'service', [CALLBACK], { rotate_refresh_tokens: true });
    const applications: Fields[] = [
      { client_id: web.client_id },
      { client_id: service.application.client_id, client_secret: service.secret! },
    ];
    for (const credentials of applications) {
      const { first, refresh } = await signedIn(services, credentials);
      const second = (await refresh(first)).body['refresh_token'] as string;
      assert.notEqual(second, first);
      const reused = await refresh(first);
      assert.match(String(reused.body['error_description']), /used before.*revoked/);
      assert.equal((await refresh(second)).status, 400, 'reuse revokes the family');
    }
  },
);

test('offline_access is listed, granted when asked for, needs no consent and changes nothing', async (t) => {
  const { services, application, credentials, redeem } = await serviceWithSteve(t);
  const discovery = await (await fetch(`${services.auth}/.well-known/openid-configuration`)).json();
  assert.deepEqual((discovery as { scopes_supported: string[] }).scopes_supported, [
    'openid',
    'profile',
    'email',
    'offline_access',
  ]);
  const person = new Person(services.auth);
  const sign = async (scope: string, more: Fields = {}): Promise<TokenResponse> => {
    const request = requestFor(services, application.client_id, { scope, ...more });
    return await redeem((await authorize(services.auth, request, 'Steve', person)).searchParams.get('code')!);
  };
  await person.open(requestFor(services, application.client_id, { scope: 'openid offline_access' }));
  await person.submit({ login: 'Steve', password: 'correct horse battery' });
  assert.doesNotMatch(person.text, /offline/, 'the consent page shows what has an effect');
  const callback = new URL((await person.submit({}, '/consent')).url);
  const first = await redeem(callback.searchParams.get('code')!);
  assert.equal(first.body['scope'], 'openid offline_access');
  assert.equal(typeof first.body['refresh_token'], 'string');
  assert.equal((await sign('openid')).body['scope'], 'openid');
  await person.open(requestFor(services, application.client_id, { scope: 'openid offline_access' }));
  assert.match(person.page.url, /^https:\/\/app\.example\/callback\?code=/, 'it asks for no new consent');
  assert.equal((await sign('openid offline_access', { prompt: 'consent' })).body['scope'], 'openid offline_access');

  const pushed = await post(services, '/oauth/par', {
    ...{ ...credentials, response_type: 'code', scope: 'openid offline_access', redirect_uri: CALLBACK },
  });
  const query = { client_id: application.client_id, request_uri: String(pushed.body['request_uri']) };
  await person.open(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
  const byPar = await redeem(new URL(person.page.url).searchParams.get('code')!);
  assert.equal(byPar.body['scope'], 'openid offline_access');
  await person.open('/account');
  assert.doesNotMatch(person.text, /offline/);
});

test('a session without offline_access gets it without a new consent', async (t) => {
  const { services, application, redeem } = await serviceWithSteve(t);
  const person = new Person(services.auth);
  for (const scope of ['openid', 'openid offline_access']) {
    const request = requestFor(services, application.client_id, { scope });
    await person.open(request);
    if (scope === 'openid') await authorize(services.auth, request, 'Steve', person);
    const code = new URL(person.page.url).searchParams.get('code')!;
    assert.equal((await redeem(code)).body['scope'], scope);
  }
});

const basic = (id: string, secret = '') => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

test('Basic with an empty password is a public application’s', async (t) => {
  const services = await openOnSqlite(t);
  await makeAccount(services, 'Someone', STEVE);
  const { client_id } = (await makeApplication(services, 'web')).application;
  const grant = async (more: Fields = {}) => ({
    ...{ grant_type: 'authorization_code', code: await codeOf(services, client_id), redirect_uri: CALLBACK, ...more },
  });
  const tokens = await post(services, '/oauth/token', await grant(), basic(client_id));
  assert.equal(tokens.status, 200, JSON.stringify(tokens.body));
  const named = await post(services, '/oauth/token', await grant({ client_id }), basic(client_id));
  assert.equal(named.status, 200);
  const json = await fetch(`${services.auth}/oauth/token`, {
    ...{ method: 'POST', body: JSON.stringify(await grant()) },
    headers: { ...basic(client_id), 'content-type': 'application/json' },
  });
  assert.equal(json.status, 200);
  const token = String(tokens.body['access_token']);
  assert.equal((await post(services, '/oauth/revoke', { token }, basic(client_id))).status, 200);

  const other = await post(services, '/oauth/token', await grant({ client_id: 'another' }), basic(client_id));
  assert.deepEqual([other.status, other.body['error']], [400, 'invalid_request']);
  assert.match(String(other.body['error_description']), /differs from the Authorization header/);
  assert.equal((await post(services, '/oauth/token', await grant(), basic(client_id, 'guess'))).status, 401);
  const service = (await makeApplication(services, 'service')).application.client_id;
  const own = await post(services, '/oauth/token', { grant_type: 'client_credentials' }, basic(service));
  assert.deepEqual([own.status, own.body['error']], [401, 'invalid_client'], 'a service needs its secret');
});
