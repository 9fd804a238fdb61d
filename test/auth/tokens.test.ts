import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/sql.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { decideRequest, decideWithoutRequest, requestAccess } from '#store/applications/access-requests.ts';
import { addSecret, setAccess } from '#store/applications/applications.ts';
import { setDisabled } from '#store/accounts/account-changes.ts';
import { codeOf, post, serviceWithSteve, STEVE } from './flow.ts';
import { makeApplication, openTestAuth, send, statusWithinASecond } from './support.ts';

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
  assert.match(String(wrong.body['error_description']), /^client_id or client_secret is wrong, or was withdrawn/);
});

test('userinfo says `banned` only to applications that an operator has approved', async (t) => {
  const { services, account, application, redeem } = await serviceWithSteve(t);
  const { db, clock } = services.context;
  const token = (await redeem(await codeOf(services, application.client_id))).body['access_token'] as string;
  const claims = async (): Promise<Record<string, unknown>> => {
    const response = await fetch(`${services.auth}/oauth/userinfo`, { headers: { authorization: `Bearer ${token}` } });
    return (await response.json()) as Record<string, unknown>;
  };
  const { banned, ...others } = await claims();
  assert.equal(banned, false);
  await setAccess(db, application.client_id, 'none');
  assert.deepEqual(await claims(), others, 'no access to the data API');
  const request = { kind: 'access', account_id: account.id, purpose: 'A bot', site: '', volume: 10 } as const;
  await requestAccess(db, clock.now(), application, request, true);
  assert.deepEqual(await claims(), others, 'approved automatically');
  for (const state of ['revoked', 'approved'] as const)
    await decideWithoutRequest(db, clock.now(), application.client_id, { state, by: 'command' });
  assert.deepEqual(await claims(), { ...others, banned: false }, 'approved again, by an operator');
  await send(services.context, 'punishment.issued', { punishment: '1', punished: STEVE, type: 'ban' });
  await setAccess(db, application.client_id, 'none');
  const { id } = (await requestAccess(db, clock.now(), application, request))!;
  await decideRequest(db, clock.now(), id, { state: 'approved', note: '', by: 'Operator' });
  assert.deepEqual(await claims(), { ...others, banned: true });
});

test('a client credentials token can be introspected and revoked', async (t) => {
  const { services, credentials } = await serviceWithSteve(t);
  const fields = { ...credentials, grant_type: 'client_credentials' };
  const token = (await post(services, '/oauth/token', fields)).body['access_token'] as string;
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
});

test('an application can introspect and revoke only its own tokens', async (t) => {
  const { services, application, credentials, redeem } = await serviceWithSteve(t);
  const other = await makeApplication(services, 'service');
  const otherClient = { client_id: other.application.client_id, client_secret: other.secret! };
  const tokens = (await redeem(await codeOf(services, application.client_id))).body;
  const token = tokens['access_token'] as string;
  const own = (await post(services, '/oauth/introspect', { ...credentials, token })).body;
  assert.deepEqual(
    [own['active'], own['client_id'], own['scope'], own['token_type']],
    [true, application.client_id, 'openid profile email', 'Bearer'],
  );
  assert.deepEqual((await post(services, '/oauth/introspect', { ...otherClient, token })).body, { active: false });
  await post(services, '/oauth/revoke', { ...otherClient, token });
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
  const { services, application, credentials, redeem } = await serviceWithSteve(
    t,
    { REFRESH_GRACE: '10s' },
    { rotate_refresh_tokens: true },
  );
  const refresh = (refresh_token: string) =>
    post(services, '/oauth/token', { ...credentials, grant_type: 'refresh_token', refresh_token });
  const next = async (token: string): Promise<string> => (await refresh(token)).body['refresh_token'] as string;
  const first = (await redeem(await codeOf(services, application.client_id))).body['refresh_token'] as string;
  const tabs = [await next(first), await next(first)];
  const later = [await next(tabs[0]!), await next(tabs[1]!)];
  assert.equal(new Set([first, ...tabs, ...later]).size, 5, 'the tokens of both tabs work on');
  services.context.clock.advance(9_000);
  assert.equal((await refresh(first)).status, 200);
  services.context.clock.advance(1_000);
  assert.equal((await refresh(first)).status, 400, 'a use within the grace does not prolong it');
  assert.equal((await refresh(later[0]!)).status, 400, 'a use after it ends the family');
});

test('refresh tokens end a year after the sign-in, however often they are used', async (t) => {
  const { services, application, credentials, redeem } = await serviceWithSteve(t);
  const { refresh_token } = (await redeem(await codeOf(services, application.client_id))).body as {
    refresh_token: string;
  };
  const refresh = async (): Promise<number> =>
    (await post(services, '/oauth/token', { ...credentials, grant_type: 'refresh_token', refresh_token })).status;
  /** oidc-provider measures the age by the clock of the machine. */
  const setAge = (seconds: number): Promise<number> =>
    services.context.db.run(sql`
      update tokens set payload = json_set(payload, '$.iiat', ${Math.floor(Date.now() / 1000) - seconds})
      where kind = 'RefreshToken'`);
  const year = 365 * 86_400;
  await setAge(year - 29 * 86_400);
  assert.equal(await refresh(), 200);
  services.context.clock.advance(28 * 86_400_000);
  await setAge(year - 86_400);
  assert.equal(await refresh(), 200, 'within 30 days of its last use');
  services.context.clock.advance(86_400_000 + 1_000);
  assert.equal(await refresh(), 400, 'although it was used a day ago');
});
