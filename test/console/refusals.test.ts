import assert from 'node:assert/strict';
import { Person } from '#test/auth/person.ts';
import { test } from 'node:test';
import { ROUTES } from '#console/pages.ts';
import { setDisabled, setRole } from '#store/accounts/account-changes.ts';
import { endApplications } from '#store/accounts/account-sessions.ts';
import { listAudit } from '#store/audit/audit.ts';
import { application } from '#test/support/builders.ts';
import { createTestDatabase, onEachDatabase } from '#test/support/context.ts';
import { makeAccount } from '#test/auth/support.ts';
import { enter, makeOperator, openTestConsole, type TestConsole, completeSignIn, tokenOn } from './support.ts';

const HOUR_MS = 3_600_000;
const HALF_A_DAY_MS = 12 * HOUR_MS;

const refusals = async ({ context }: TestConsole) =>
  (await listAudit(context.db, { action: 'console.refuse' }, 1_000)).map(({ detail, actor }) => [
    detail['reason'],
    actor,
  ]);

const pathOf = (path: string, clientId: string): string =>
  `/console${path.replace(':client_id', clientId).replace(':id', '00000000000')}`;

onEachDatabase('requests that a person may not make are refused', async (t, url) => {
  const services = await openTestConsole(t, url);
  for (const name of ['Ann', 'Bob', 'Mallory', 'Moe']) await makeAccount(services, name);
  const operator = await makeOperator(services, 'Olga');
  await makeOperator(services, 'Oscar');
  const { console: ann } = await enter(services, 'Ann');
  const { console: olga } = await enter(services, 'Olga');

  await t.test("every route of somebody else's application is 404, and each request is audited", async () => {
    const foreign = await application(services.context, { name: 'Foreign' });
    const { console } = await enter(services, 'Mallory');
    const form_token = tokenOn(console.page.html);
    const owned = ROUTES.filter(({ who }) => who === 'owner');
    assert.ok(owned.length > 10);
    for (const { method, path } of owned) {
      const at = pathOf(path, foreign.client_id);
      const seen = method === 'GET' ? await console.open(at) : await console.post(at, { form_token, name: 'Foreign' });
      assert.equal(seen.status, 404, `${method} ${at}`);
      assert.ok(!seen.html.includes('Foreign'), at);
    }
    const recorded = await refusals(services);
    assert.equal(
      recorded.filter(([reason, actor]) => reason === 'foreign application' && actor === 'Mallory').length,
      owned.length,
    );
  });

  await t.test('a form with another origin, type or session token is refused', async () => {
    const { console: bob } = await enter(services, 'Bob');
    const mine = tokenOn(ann.page.html);
    const form = { name: 'Made', type: 'service', redirect_uris: '', form_token: mine };
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'content-type': 'text/plain' },
    ] as Record<string, string>[]) {
      const seen = await ann.post('/console/applications', form, headers);
      assert.equal(seen.status, 'content-type' in headers ? 400 : 403, JSON.stringify(headers));
    }
    for (const form_token of ['', 'nonsense', tokenOn(bob.page.html)]) {
      assert.equal((await ann.post('/console/applications', { ...form, form_token })).status, 403);
    }
    assert.match((await ann.open('/console')).html, /no applications yet/);
    const reasons = (await refusals(services)).map(([reason]) => reason);
    assert.equal(reasons.filter((reason) => reason === 'forged form').length, 4);
    assert.equal(reasons.filter((reason) => reason === 'form of another session').length, 3);
    assert.equal((await ann.post('/console/applications', form)).status, 200);
  });

  await t.test('a form that is too large is answered with 413', async () => {
    assert.equal((await ann.post('/console/applications', { name: 'x'.repeat(300_000) })).status, 413);
  });

  await t.test('an id with a NUL byte is 404 on every path', async () => {
    const form_token = tokenOn((await olga.open('/console')).html);
    const routes = ROUTES.filter(({ path }) => path.includes(':'));
    assert.ok(routes.length > 20);
    for (const { method, path } of routes) {
      const at = `/console${path.replace(/:\w+/, 'x%00x')}`;
      const seen = method === 'GET' ? await olga.open(at) : await olga.post(at, { form_token });
      assert.equal(seen.status, 404, `${method} ${at}`);
    }
    assert.equal((await olga.open('/console/logos/x%00x')).status, 404);
  });

  await t.test('operator routes need the role, and removing it takes effect immediately', async () => {
    const { console: ordinary } = await enter(services, 'Moe');
    const form_token = tokenOn(ordinary.page.html);
    const routes = ROUTES.filter(({ who }) => who === 'operator');
    assert.ok(routes.length > 15);
    for (const { method, path } of routes) {
      const at = pathOf(path, 'none');
      const seen = method === 'GET' ? await ordinary.open(at) : await ordinary.post(at, { form_token });
      assert.equal(seen.status, 403, `${method} ${at}`);
    }
    assert.equal((await refusals(services)).filter(([reason]) => reason === 'not an operator').length, routes.length);
    assert.ok(!(await ordinary.open('/console')).html.includes('/console/operator'));
    assert.equal((await olga.open('/console/operator')).status, 200);
    await setRole(services.context.db, operator.id, 'user');
    assert.equal((await olga.open('/console/operator')).status, 403);
  });
});

onEachDatabase(
  'a session ends when it expires, on sign-out in another tab, with the access of all applications and with the account',
  async (t, url) => {
    const services = await openTestConsole(t, url, {}, Date.now() - HALF_A_DAY_MS);
    const { context } = services;
    const ann = await makeAccount(services, 'Ann');
    const visitor = await enter(services, 'Ann');
    const { console } = visitor;
    const form = { name: 'Made', type: 'service', redirect_uris: '', form_token: tokenOn(console.page.html) };
    const isSignedOut = async (): Promise<boolean> =>
      (await console.open('/console')).html.includes('Sign in to begin');

    context.clock.advance(HALF_A_DAY_MS - 1000);
    assert.equal(await isSignedOut(), false);
    context.clock.advance(1000);
    assert.equal(await isSignedOut(), true);
    const referer = `${services.site}/console/applications/new`;
    const stale = await console.post('/console/applications', form, { referer });
    assert.match(stale.url, /\/oauth\/authorize\?/);

    await completeSignIn(visitor, stale.url, 'Ann');
    assert.match(console.page.url, /done=stale$/, console.text);
    assert.match(console.text, /nothing was changed/);
    const before = tokenOn(console.page.html);
    await console.submit({}, '/sign-out');
    assert.match(console.page.url, /\/oauth\/logout\?/);
    assert.equal(await isSignedOut(), true);
    const second = await console.post('/console/applications', { ...form, form_token: before });
    assert.match(second.url, /\/oauth\/authorize\?/, 'a second tab after sign-out');

    await completeSignIn(visitor, '/console/sign-in', 'Ann');
    assert.equal(await isSignedOut(), false);
    assert.equal((await console.post('/console/applications', { ...form, form_token: before })).status, 403);
    await context.db.transaction((tx) => endApplications(tx, ann.id));
    assert.equal(await isSignedOut(), true, 'access of all applications ended');

    await completeSignIn(visitor, '/console/sign-in', 'Ann');
    assert.equal(await isSignedOut(), false);
    await setDisabled(context.db, ann.id, context.clock.now());
    assert.equal(await isSignedOut(), true, 'account disabled');
    await completeSignIn(visitor, '/console/sign-in', 'Ann').catch(() => undefined);
    assert.equal(await isSignedOut(), true);
  },
);

onEachDatabase('an authorization response with another state, issuer or code is refused', async (t, url) => {
  const services = await openTestConsole(t, url);
  await makeAccount(services, 'Ann');
  const { console, signIn } = await enter(services, 'Ann');
  await console.submit({}, '/sign-out');
  const there = new URL((await console.open('/console/sign-in')).url);
  assert.deepEqual(
    ['code_challenge_method', 'scope', 'response_type'].map((name) => there.searchParams.get(name)),
    ['S256', 'openid', 'code'],
  );
  const back = new URL((await signIn.open(there.href)).url);
  for (const [name, value] of [
    ['state', 'x'],
    ['iss', 'https://evil.example'],
    ['code', 'x'],
  ] as const) {
    const wrong = new URL(back);
    wrong.searchParams.set(name, value);
    await console.open('/console/sign-in');
    assert.equal((await console.open(wrong.href)).status, 400, name);
  }
  assert.equal((await console.open(back.href)).status, 400, 'the cookie of a sign-in works once');
  const replayed = new URL((await console.open('/console/sign-in')).url);
  replayed.searchParams.set('nonce', 'x');
  const { url: withOtherNonce } = await signIn.open(replayed.href);
  assert.equal((await console.open(withOtherNonce)).status, 400, 'an ID token with another nonce');
  for (const [to, target] of [
    ['https://evil.example/', '/console'],
    ['//evil.example/', '/console'],
    // A page of this site, whose address has no slash at its end.
    ['/.//evil.example/', '/evil.example'],
    ['/\\evil.example/', '/console'],
    ['/console/signed-in', '/console'],
    [`/${'x'.repeat(2_000)}`, '/console'],
    ['/leaderboards?by=kill', '/leaderboards?by=kill'],
  ] as const) {
    const signedOut = { console: new Person(services.site), signIn };
    await signedOut.console.open(`/console/sign-in?to=${encodeURIComponent(to)}`);
    const again = await signIn.open(signedOut.console.page.url);
    assert.equal((await signedOut.console.open(again.url)).url, services.site + target, to);
  }
  const declined = new URL((await enter(services, 'Ann')).console.page.url);
  declined.pathname = '/console/signed-in';
  declined.search = 'error=access_denied';
  assert.equal((await console.open(declined.href)).status, 400);
});

onEachDatabase('at most 200 refused requests per person and hour are audited', async (t, url) => {
  const services = await openTestConsole(t, url);
  await makeAccount(services, 'Mallory');
  const { console } = await enter(services, 'Mallory');
  const statuses = new Set<number>();
  for (let count = 0; count < 201; count++) statuses.add((await console.open('/console/operator')).status);
  assert.deepEqual([...statuses], [403]);
  const mine = await listAudit(services.context.db, { actor: 'Mallory', outcome: 'refused' }, 1_000);
  assert.equal(mine.length, 200);
  services.context.clock.advance(HOUR_MS);
  await console.open('/console/operator');
  assert.equal((await listAudit(services.context.db, { actor: 'Mallory', outcome: 'refused' }, 1_000)).length, 201);
});

test('one person can send 300 forms an hour; operators have no limit', async (t) => {
  const database = await createTestDatabase('sqlite');
  const services = await openTestConsole(t, database.url);
  t.after(() => database.drop());
  await makeAccount(services, 'Mallory');
  await makeOperator(services, 'Olga');
  const statusesOf = async (name: string): Promise<number[]> => {
    const { console } = await enter(services, name);
    const form_token = tokenOn(console.page.html);
    const statuses: number[] = [];
    for (let count = 0; count < 301; count++)
      statuses.push((await console.post('/console/applications', { form_token, name: '' })).status);
    assert.match(console.page.html, /<h1>/);
    return statuses;
  };
  assert.deepEqual(new Set((await statusesOf('Mallory')).slice(0, 300)), new Set([422]));
  const { console } = await enter(services, 'Mallory');
  const form_token = tokenOn(console.page.html);
  assert.equal((await console.post('/console/applications', { form_token, name: '' })).status, 429);
  services.context.clock.advance(HOUR_MS);
  assert.equal((await console.post('/console/applications', { form_token, name: '' })).status, 422);
  assert.deepEqual(new Set(await statusesOf('Olga')), new Set([422]));
});

test('an unknown asset is answered with the 404 page', async (t) => {
  const database = await createTestDatabase('sqlite');
  const services = await openTestConsole(t, database.url);
  t.after(() => database.drop());
  const answer = await fetch(`${services.site}/console/assets/none.css`, { headers: { 'accept-language': 'ja' } });
  assert.equal(answer.status, 404);
  assert.match(await answer.text(), /<html lang="ja">/);
});
