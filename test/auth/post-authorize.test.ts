import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from '#test/support/request.ts';
import { requestFor, serviceWithSteve } from './flow.ts';
import { authorize, CALLBACK } from './support.ts';
import { Person } from './person.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

test('an authorization or sign-out request can be sent by POST, from the form of another site too', async (t) => {
  const { services, application, redeem } = await serviceWithSteve(t);
  const person = new Person(services.auth);
  await authorize(services.auth, requestFor(services, application.client_id), 'Steve', person);
  const request = new URL(requestFor(services, application.client_id, { state: 'a b&c', nonce: 'n' }));
  const foreign = { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' };
  // A browser withholds the `SameSite=Lax` cookie from a form of another site, and sends it with the redirect.
  const body = request.searchParams.toString();
  const reply = await ask(services.auth, '/oauth/authorize', {
    method: 'POST',
    body,
    headers: { ...FORM, ...foreign },
  });
  assert.deepEqual([reply.status, reply.headers['cache-control']], [303, 'no-store']);
  await person.open(String(reply.headers.location));
  const callback = new URL(person.page.url);
  assert.deepEqual([callback.origin + callback.pathname, callback.searchParams.get('state')], [CALLBACK, 'a b&c']);
  assert.equal((await redeem(callback.searchParams.get('code')!)).status, 200);

  const logout = await ask(services.auth, '/oauth/logout', {
    ...{ method: 'POST', headers: { ...FORM, ...foreign } },
    body: new URLSearchParams({ client_id: application.client_id, post_logout_redirect_uri: CALLBACK }).toString(),
  });
  await person.open(String(logout.headers.location));
  assert.match(person.text, /Sign out\?/);
});

test('a redirect after a password or a consent is a 303, which does not repeat the form', async (t) => {
  const { services, application } = await serviceWithSteve(t);
  const person = new Person(services.auth);
  const { origin } = await authorize(services.auth, requestFor(services, application.client_id), 'Steve', person);
  assert.equal(origin, new URL(CALLBACK).origin);
  assert.ok(person.redirects.length >= 4, 'to the sign-in, after it, to the consent, after it');
  assert.deepEqual(new Set(person.redirects), new Set([303]));
});

test('a posted request that is no form, or too long for a URL, is refused', async (t) => {
  const { services } = await serviceWithSteve(t);
  const post = (headers: Record<string, string>, body: string) =>
    ask(services.auth, '/oauth/authorize', { method: 'POST', headers, body });
  const json = await post({ 'content-type': 'application/json' }, '{}');
  assert.deepEqual([json.status, json.json.error], [400, 'invalid_request']);
  const state = (length: number) => post(FORM, new URLSearchParams({ state: 'x'.repeat(length) }).toString());
  assert.equal((await state(7_000)).status, 303);
  assert.deepEqual([(await state(8_000)).status, (await state(100_000)).status], [413, 413]);
});
