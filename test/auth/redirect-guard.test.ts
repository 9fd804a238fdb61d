import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { decideRequest, requestAccess } from '#store/applications/access-requests.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { type Fields, openOnSqlite, requestFor } from './flow.ts';
import { Person } from './person.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, openTestAuth, PASSWORD, type TestAuth } from './support.ts';

async function openRequest(services: TestAuth, clientId: string, more: Fields, person = new Person(services.auth)) {
  return await person.open(requestFor(services, clientId, { state: 's', ...more }));
}

const isAtApplication = ({ url }: { url: string }): boolean => url.startsWith(CALLBACK);

onEachDatabase(
  'an error is a page until the person consents to an application that nobody has approved',
  async (t, url) => {
    const services = await openTestAuth(t, url);
    await makeAccount(services, 'Robin');
    const { client_id } = (await makeApplication(services, 'web', [CALLBACK], { access: 'none' })).application;
    for (const wrong of [{ prompt: 'none' }, { response_type: 'token' }, { scope: 'openid\u0001' }] as Fields[]) {
      const { status, url: shown, html, headers } = await openRequest(services, client_id, wrong);
      assert.equal(new URL(shown).origin, services.auth, JSON.stringify(wrong));
      assert.deepEqual([status, headers.get('location')], [400, null]);
      assert.match(html, /Go to app\.example/);
      assert.match(html, /href="https:\/\/app\.example\/callback[^"]*error=/);
      assert.match(headers.get('content-security-policy')!, /default-src 'none'/);
    }
    const person = new Person(services.auth);
    await openRequest(services, client_id, {}, person);
    await person.submit({}, '/cancel');
    assert.match(person.page.html, /error=access_denied/);
    await authorize(services.auth, requestFor(services, client_id), 'Robin', person);
    for (const wrong of [{ prompt: 'none', max_age: '0' }, { response_type: 'token' }] as Fields[])
      assert.ok(isAtApplication(await openRequest(services, client_id, wrong, person)), JSON.stringify(wrong));
    assert.ok(!isAtApplication(await openRequest(services, client_id, { prompt: 'none' })), 'in another browser');
  },
);

test('errors redirect to applications that an operator has approved, not to those approved by a setting', async (t) => {
  const services = await openOnSqlite(t);
  const { db, clock } = services.context;
  const account = await makeAccount(services, 'Robin');
  const decide = async (by: string | null): Promise<boolean> => {
    const { application } = await makeApplication(services, 'web', [CALLBACK], { access: 'none' });
    const wanted = { kind: 'access', account_id: account.id, purpose: 'p', site: '', volume: 1 } as const;
    const request = await requestAccess(db, clock.now(), application, wanted);
    await decideRequest(db, clock.now(), request!.id, { state: 'approved', note: '', by });
    return isAtApplication(await openRequest(services, application.client_id, { prompt: 'none' }));
  };
  assert.deepEqual([await decide('operator'), await decide(null)], [true, false]);
});

test('the page of form_post has our headers, and no script but its own', async (t) => {
  const services = await openOnSqlite(t);
  await makeAccount(services, 'Robin');
  const unapproved = (await makeApplication(services, 'web', [CALLBACK], { access: 'none' })).application;
  const form = { response_mode: 'form_post', prompt: 'none' };
  const error = await openRequest(services, unapproved.client_id, form);
  assert.doesNotMatch(error.html, /<script>/);
  assert.match(error.html, /<form method="post" action="https:\/\/app\.example\/callback">.*name="error"/s);
  const person = new Person(services.auth);
  await authorize(services.auth, requestFor(services, unapproved.client_id), 'Robin', person);
  const { html, headers } = await openRequest(services, unapproved.client_id, form, person);
  assert.match(html, /name="code"/);
  const script = /<script>(.*?)<\/script>/s.exec(html)![1]!;
  const policy = headers.get('content-security-policy')!;
  assert.ok(policy.includes(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}';`), policy);
  assert.doesNotMatch(policy, /form-action/, 'the application may redirect the form to another origin');
  assert.deepEqual([headers.get('x-frame-options'), headers.get('cache-control')], ['DENY', 'no-store']);
});

test('a sign-out with an address that is not registered has no destination, and tells the developer', async (t) => {
  const services = await openOnSqlite(t);
  await makeAccount(services, 'Robin');
  const more = { post_logout_redirect_uris: ['https://www.example/bye'] };
  const { client_id } = (await makeApplication(services, 'web', [CALLBACK], more)).application;
  const person = new Person(services.auth);
  const open = async (query: Fields, lang = 'en'): Promise<string> => {
    await person.open(`/oauth/logout?${new URLSearchParams({ lang, ...query }).toString()}`);
    assert.equal(person.page.status, 200);
    return person.text;
  };
  const hint = /For the developers of the application: invalid_request : post_logout_redirect_uri/;
  const bad = { client_id, post_logout_redirect_uri: 'https://evil.example/' };
  await person.open('/sign-in');
  await person.submit({ login: 'Robin', password: PASSWORD });
  for (const query of [bad, { post_logout_redirect_uri: CALLBACK }] as Fields[]) {
    const text = await open(query);
    assert.match(text, /Sign out\?/);
    assert.match(text, hint);
    assert.doesNotMatch(text, /You will be sent|evil/);
  }
  assert.match(await open(bad, 'ja'), /開発者向けの情報： invalid_request ：post_logout_redirect_uri /);
  for (const uri of ['https://app.example', 'https://app.example/', CALLBACK, '']) {
    const text = await open({ client_id, post_logout_redirect_uri: uri });
    assert.equal(/You will be sent to app\.example/.test(text), uri !== '', uri);
    assert.doesNotMatch(text, hint, uri);
  }
  for (const uri of ['https://app.example//', 'https://app.example.evil.example', 'https://app.example?'])
    assert.match(await open({ client_id, post_logout_redirect_uri: uri }), hint, uri);
  assert.match(
    await open({ client_id, post_logout_redirect_uri: 'https://www.example/bye' }),
    /sent to www\.example\./,
  );
  await open(bad);
  await person.submit({}, '/confirm');
  assert.equal(person.page.url, `${services.auth}/oauth/logout/success`);
  assert.match(await open(bad), /You are signed out .*For the developers/);
  await person.open('/account');
  assert.match(person.page.url, /\/sign-in$/);
});

test('the default sign-out of express-openid-connect returns to its baseURL, which has no slash', async (t) => {
  const services = await openOnSqlite(t);
  await makeAccount(services, 'Robin');
  const { client_id } = (await makeApplication(services, 'service')).application;
  const person = new Person(services.auth);
  await person.open('/sign-in');
  await person.submit({ login: 'Robin', password: PASSWORD });
  const query = new URLSearchParams({ client_id, post_logout_redirect_uri: 'https://app.example' });
  await person.open(`/oauth/logout?${query.toString()}`);
  await person.submit({}, '/confirm');
  assert.equal(person.page.url, 'https://app.example/');
});

test('signing out names the host to which an application leads, and waits for a click', async (t) => {
  const services = await openOnSqlite(t);
  await makeAccount(services, 'Robin');
  const { client_id } = (await makeApplication(services, 'web', [CALLBACK], { access: 'none' })).application;
  const query = new URLSearchParams({ client_id, post_logout_redirect_uri: CALLBACK });
  const person = new Person(services.auth);
  const signOut = async (): Promise<string> => {
    await person.open(`/oauth/logout?${query.toString()}`);
    assert.equal(person.page.status, 200);
    return person.text;
  };
  assert.match(await signOut(), /You are signed out .*You will be sent to app\.example\./);
  await person.open('/sign-in');
  await person.submit({ login: 'Robin', password: PASSWORD });
  assert.match(await signOut(), /Sign out\?.*You will be sent to app\.example\./);
});
