import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, type Reply, type Wish } from '#test/support/request.ts';
import { LogRecorder } from '#test/support/disconnect.ts';
import { UnsteadyDatabase } from '#test/support/outage.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, openTestAuth } from './support.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

test('every endpoint answers 503 with `Retry-After` while the database cannot be reached', async (t) => {
  const { database, drop } = await UnsteadyDatabase.open();
  const services = await openTestAuth(t, database.url);
  t.after(() => drop());
  await makeAccount(services, 'Steve');
  const { application, secret } = await makeApplication(services, 'service');
  const client = { client_id: application.client_id, client_secret: secret! };
  const wish = { client_id: application.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
  const query = new URLSearchParams(wish).toString();
  const code = async (): Promise<string> => {
    const callback = await authorize(services.auth, `/oauth/authorize?${query}`, 'Steve');
    return callback.searchParams.get('code')!;
  };
  const post = (path: string, fields: Record<string, string>, headers = {}): Promise<Reply> =>
    ask(services.auth, path, {
      method: 'POST',
      headers: { ...FORM, ...headers },
      body: new URLSearchParams({ ...client, ...fields }).toString(),
    });
  const redeem = async (code: string): Promise<Reply> =>
    await post('/oauth/token', { grant_type: 'authorization_code', code, redirect_uri: CALLBACK });
  const { access_token: token, refresh_token } = (await redeem(await code())).json as Record<string, string>;
  const unused = await code();
  const get = (path: string, wish: Wish = {}): Promise<Reply> => ask(services.auth, path, wish);
  assert.equal((await get('/oauth/userinfo', { token })).status, 200);

  await database.takeAway();
  const logged = new LogRecorder(t, services.context.log);
  await get('/oauth/userinfo', { token });
  assert.deepEqual(logged.levels, ['error'], 'the outage is logged for the operator');
  const answers: Record<string, Reply> = {
    userinfo: await get('/oauth/userinfo', { token }),
    'an unknown token': await get('/oauth/userinfo', { token: 'x' }),
    authorize: await get(`/oauth/authorize?${query}`, { headers: { accept: 'text/html' } }),
    'an unknown application': await get('/oauth/authorize?client_id=abc&response_type=code'),
    par: await post('/oauth/par', wish),
    'client credentials': await post('/oauth/token', { grant_type: 'client_credentials' }),
    'client credentials by JSON': await ask(services.auth, '/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...client, grant_type: 'client_credentials' }),
    }),
    'a code': await redeem(unused),
    'a refresh token': await post('/oauth/token', { grant_type: 'refresh_token', refresh_token: refresh_token! }),
    revoke: await post('/oauth/revoke', { token: token! }),
    introspect: await post('/oauth/introspect', { token: token! }),
    'signing out': await get(`/oauth/logout?client_id=${application.client_id}`),
    'the sign-in page': await get('/sign-in', { headers: { cookie: 'scorehall_session=x' } }),
  };
  for (const [label, { status, headers, text, json }] of Object.entries(answers)) {
    assert.equal(status, 503, `${label}: ${text}`);
    assert.equal(headers['retry-after'], '5', label);
    if (json !== undefined)
      assert.deepEqual([json.error, typeof json.error_description], ['temporarily_unavailable', 'string'], label);
    else assert.match(text, /<h1>/, label);
  }

  await database.giveBack();
  assert.equal((await get('/oauth/userinfo', { token })).status, 200);
  assert.equal((await redeem(unused)).status, 200, 'the outage did not consume the code');
});
