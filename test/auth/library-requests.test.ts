import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setDisabled } from '#store/accounts/account-changes.ts';
import { codeOf, type Fields, openOnSqlite, post, requestFor, serviceWithSteve, STEVE } from './flow.ts';
import { Person } from './person.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, PASSWORD } from './support.ts';

const basic = (id: string, secret: string): Fields => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

test('the same credentials by Basic and in the form are accepted, different ones are not', async (t) => {
  const { services, credentials } = await serviceWithSteve(t);
  const { client_id, client_secret } = credentials;
  const grant = { grant_type: 'client_credentials' };
  const header = basic(client_id, client_secret);
  const status = async (fields: Fields, headers: Fields): Promise<number> =>
    (await post(services, '/oauth/token', { ...grant, ...fields }, headers)).status;
  assert.equal(await status(credentials, header), 200);
  assert.equal(await status({ client_secret }, header), 200);
  assert.equal(await status({ client_secret: 'other' }, header), 400);
  assert.equal(await status(credentials, basic(client_id, 'other')), 400);
  assert.equal(await status({ ...credentials, client_secret: 'other' }, basic(client_id, 'other')), 401);
  assert.equal(await status({ client_id: 'other', client_secret }, header), 400);
  const token = (await post(services, '/oauth/token', { ...grant, ...credentials })).body['access_token'] as string;
  for (const path of ['/oauth/introspect', '/oauth/revoke'])
    assert.equal((await post(services, path, { ...credentials, token }, header)).status, 200, path);
});

test('introspection names the account, userinfo has its name, both only with the scope profile', async (t) => {
  const { services, credentials, redeem } = await serviceWithSteve(t);
  const read = async (scope: string): Promise<[unknown, unknown]> => {
    const { body } = await redeem(await codeOf(services, credentials.client_id, { scope }));
    const token = String(body['access_token']);
    const introspection = await post(services, '/oauth/introspect', { ...credentials, token });
    assert.equal(introspection.body['active'], true);
    const userinfo = await fetch(`${services.auth}/oauth/userinfo`, { headers: { authorization: `Bearer ${token}` } });
    return [introspection.body['username'], ((await userinfo.json()) as Fields)['name']];
  };
  assert.deepEqual(await read('openid profile'), ['Steve', 'Steve']);
  assert.deepEqual(await read('openid email'), [undefined, undefined]);
  const unknown = await post(services, '/oauth/introspect', { ...credentials, token: 'unknown' });
  assert.deepEqual(unknown.body, { active: false });
});

test('a nonce without the scope openid is ignored, at authorize and at par', async (t) => {
  const { services, credentials, redeem } = await serviceWithSteve(t);
  const request = { scope: 'profile', nonce: 'n' };
  const first = await redeem(await codeOf(services, credentials.client_id, request));
  assert.deepEqual([first.status, first.body['scope'], first.body['id_token']], [200, 'profile', undefined]);
  const pushed = await post(services, '/oauth/par', {
    ...{ ...credentials, ...request, response_type: 'code', redirect_uri: CALLBACK },
  });
  assert.equal(pushed.status, 201, JSON.stringify(pushed.body));
  const { client_id } = credentials;
  const query = new URLSearchParams({ client_id, request_uri: String(pushed.body['request_uri']) });
  const callback = await authorize(services.auth, `${services.auth}/oauth/authorize?${query.toString()}`, 'Steve');
  assert.equal((await redeem(callback.searchParams.get('code')!)).body['scope'], 'profile');
  const withNonce = await redeem(await codeOf(services, client_id, { scope: 'openid', nonce: 'n' }));
  assert.match(Buffer.from(String(withNonce.body['id_token']).split('.')[1]!, 'base64url').toString(), /"nonce":"n"/);
});

test('tokeninfo refuses the ID token of a disabled account', async (t) => {
  const { services, account, application, redeem } = await serviceWithSteve(t);
  const id_token = String((await redeem(await codeOf(services, application.client_id))).body['id_token']);
  assert.equal((await post(services, '/oauth/tokeninfo', { id_token })).status, 200);
  await setDisabled(services.context.db, account.id, services.context.clock.now());
  const refused = await post(services, '/oauth/tokeninfo', { id_token });
  assert.deepEqual([refused.status, refused.body['error']], [400, 'invalid_token']);
});

test('prompt=select_account asks whether to continue with the account that is signed in', async (t) => {
  const services = await openOnSqlite(t, { REGISTRATION: 'linked' });
  await makeAccount(services, 'Someone', STEVE);
  await makeAccount(services, 'Other', { uuid: '22222222-2222-4333-8444-555555555555', name: 'Alex' });
  const { client_id } = (await makeApplication(services, 'web')).application;
  const request = requestFor(services, client_id, { prompt: 'select_account' });
  const person = new Person(services.auth);
  assert.ok((await authorize(services.auth, request, 'Steve', person)).searchParams.has('code'), 'signing in selects');

  await person.open(request);
  assert.match(person.text, /Use the account Steve\?/);
  await person.submit({}, '/account');
  assert.ok(new URL(person.page.url).searchParams.has('code'));

  await person.open(request);
  await person.submit({}, '/switch');
  assert.match(person.text, /Sign in/);
  await person.submit({ login: 'Alex', password: PASSWORD });
  await person.submit({}, '/consent');
  assert.ok(new URL(person.page.url).searchParams.has('code'));
  await person.open('/account');
  assert.match(person.text, /Alex/);

  await person.open(request);
  await person.submit({}, '/cancel');
  assert.equal(new URL(person.page.url).searchParams.get('error'), 'access_denied');
});
