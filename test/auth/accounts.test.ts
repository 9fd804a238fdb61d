import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '#test/support/context.ts';
import { sql } from '#db/sql.ts';
import { listAudit } from '#store/audit/audit.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { type LoadedPage, Person } from './person.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, PASSWORD, send } from './support.ts';
import { isSignedIn, openWorld, openWorldOnSqlite, signIn } from './world.ts';

const STEVE = { uuid: '11111111-2222-4333-8444-555555555555', name: 'Steve' };
const ALEX = { uuid: '99999999-2222-4333-8444-555555555555', name: 'Alex' };
const OTHER_PASSWORD = 'staple tower lantern';

test('sign-in and recovery show the same page whether the account exists or not', async (t) => {
  const world = await openWorldOnSqlite(t);
  await makeAccount(world.services, 'Robin');
  const tryAs = async (login: string): Promise<LoadedPage> => (await signIn(world, login, 'wrong wrong wrong')).page;
  const [known, unknown] = [await tryAs('Robin'), await tryAs('Nobody')];
  assert.deepEqual([known.status, unknown.status], [422, 422]);
  assert.equal(known.html.replaceAll('Robin', '…'), unknown.html.replaceAll('Nobody', '…'));
  const recover = async (login: string): Promise<string> => {
    const person = new Person(world.services.auth);
    await person.open('/forgot');
    return (await person.submit({ login })).html;
  };
  assert.equal(await recover('Robin'), await recover('Nobody'));
});

onEachDatabase(
  'a code links a game account; the account takes its name, and another account with that name is renamed',
  async (t, url) => {
    const world = await openWorld(t, url);
    const { db } = world.services.context;
    const robin = await makeAccount(world.services, 'Robin');
    const holder = await makeAccount(world.services, 'Alex');
    const person = await signIn(world, 'Robin');
    await person.open('/account/link');
    const code = /\/link ([A-Z0-9-]+)/.exec(person.text)![1]!;
    const state = async (): Promise<unknown> => JSON.parse((await person.copy().open('/account/link/state')).html);
    assert.deepEqual(await state(), { linked: false });
    assert.equal((await new Person(world.services.auth).open('/account/link/state')).status, 410);
    const wrong = await send(world.services.context, 'account.link', { player: ALEX, code: 'AAAA-BBBB' });
    assert.equal(wrong.status, 'rejected');
    const right = await send(world.services.context, 'account.link', { player: ALEX, code });
    assert.deepEqual([right.status, 'note' in right && right.note], ['accepted', 'linked to the account Alex']);
    assert.equal(
      (await send(world.services.context, 'account.link', { player: STEVE, code })).status,
      'rejected',
      'once',
    );
    assert.deepEqual(await state(), { linked: true });
    assert.equal((await accountById(db, robin.id))!.name, 'Alex');
    assert.equal((await accountById(db, holder.id))!.name, `Alex-${holder.id}`);
    world.services.context.clock.advance(1000);
    await send(world.services.context, 'player.login', { player: { ...ALEX, name: 'Alexa' } });
    assert.equal((await accountById(db, robin.id))!.name, 'Alexa');
    assert.equal(await isSignedIn(await signIn(world, 'alexa')), true);
    assert.match((await person.open('/account/former-name')).html, /Your former names: Alex</);
    assert.match((await person.submit({ name: 'Alexa', current: PASSWORD })).html, /none of your former names/);
    await person.submit({ name: 'alex', current: PASSWORD });
    assert.deepEqual(await db.tuples(sql`select name from player_names where name <> 'Alexa'`), []);
    await person.open('/account/unlink');
    await person.submit({ current: PASSWORD });
    const unlinked = (await accountById(db, robin.id))!;
    assert.deepEqual([unlinked.player_uuid, unlinked.name], [null, `Alexa-${robin.id}`]);
    const exported = (await person.open('/account/export')).html;
    const { acts } = JSON.parse(exported) as { acts: Record<string, unknown>[] };
    assert.deepEqual(
      acts.map(({ action, via, address, subject }) => [action, via, address, subject]),
      [
        ['account.unlink', 'sign-in', '127.0.0.1', robin.id],
        ['account.former-name', 'sign-in', '127.0.0.1', robin.id],
        ['session.start', 'sign-in', '127.0.0.1', robin.id],
        ['account.link', 'game', 'Lobby', robin.id],
        ['session.start', 'sign-in', '127.0.0.1', robin.id],
      ],
    );
    const links = await listAudit(db, { action: 'account.link' }, 10);
    assert.deepEqual(
      links.map(({ label, outcome }) => [label, outcome]),
      [['Alexa', 'done']],
      'a refused code is not in the audit log',
    );
    assert.match((await world.mail.next('robin@example.org')).subject, /unlinked/);
  },
);

test('a code works for 15 minutes, and a game account belongs to one account', async (t) => {
  const world = await openWorldOnSqlite(t);
  await makeAccount(world.services, 'Robin');
  await makeAccount(world.services, 'Steve', STEVE);
  const person = await signIn(world, 'Robin');
  const codeOf = async (): Promise<string> => {
    await person.open('/account/link');
    return /\/link ([A-Z0-9-]+)/.exec(person.text)![1]!;
  };
  const accepted = await send(world.services.context, 'account.link', { player: STEVE, code: await codeOf() });
  assert.deepEqual([accepted.status, 'place' in accepted && accepted.place], ['rejected', 'data.player']);
  const code = await codeOf();
  world.services.context.clock.advance(15 * 60_000);
  assert.equal((await send(world.services.context, 'account.link', { player: ALEX, code })).status, 'rejected');
});

onEachDatabase('a password reset ends all sessions and the access of all applications', async (t, url) => {
  const world = await openWorld(t, url);
  const account = await makeAccount(world.services, 'Robin');
  const { application, secret } = await makeApplication(world.services, 'service');
  const elsewhere = await signIn(world, 'Robin');
  const query = { client_id: application.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
  const request = `${world.services.auth}/oauth/authorize?${new URLSearchParams(query).toString()}`;
  const code = (await authorize(world.services.auth, request, 'Robin', elsewhere)).searchParams.get('code')!;
  const fields = { ...query, client_secret: secret!, grant_type: 'authorization_code', code };
  const tokens = await fetch(`${world.services.auth}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  const { access_token } = (await tokens.json()) as { access_token: string };
  assert.match((await world.mail.next(account.email)).subject, /has access to your account/);
  const person = new Person(world.services.auth);
  const ask = async (): Promise<string> => {
    await person.open('/forgot');
    await person.submit({ login: 'Robin' });
    return (await world.mail.next(account.email)).links[0]!;
  };
  const older = await ask();
  world.services.context.clock.advance(600_000);
  const link = await ask();
  assert.equal((await person.open(older)).status, 200, 'a newer link does not invalidate an older link');
  await person.open(link);
  await person.submit({ password: OTHER_PASSWORD });
  assert.match(person.text, /Your new password is set/);
  for (const used of [link, older]) assert.equal((await person.open(used)).status, 410);
  assert.match((await world.mail.next(account.email)).subject, /Your password was changed/);
  assert.equal(await isSignedIn(elsewhere), false);
  assert.equal((await signIn(world, 'Robin')).page.status, 422);
  assert.equal(await isSignedIn(await signIn(world, 'Robin', OTHER_PASSWORD)), true);
  const info = await fetch(`${world.services.auth}/oauth/userinfo`, {
    headers: { authorization: `Bearer ${access_token}` },
  });
  assert.equal(info.status, 401);
});

test('a reset link expires after one hour', async (t) => {
  const world = await openWorldOnSqlite(t);
  const account = await makeAccount(world.services, 'Robin');
  const person = new Person(world.services.auth);
  await person.open('/forgot');
  await person.submit({ login: account.email });
  const { links } = await world.mail.next(account.email);
  world.services.context.clock.advance(3_599_999);
  assert.equal((await person.open(links[0]!)).status, 200);
  world.services.context.clock.advance(1);
  assert.equal((await person.open(links[0]!)).status, 410);
});

test('changes need the password, are reported by mail, and a new password signs out other browsers', async (t) => {
  const world = await openWorldOnSqlite(t);
  const account = await makeAccount(world.services, 'Robin');
  const [person, elsewhere] = [await signIn(world, 'Robin'), await signIn(world, 'Robin')];
  await person.open('/account/password');
  await person.submit({ password: OTHER_PASSWORD, current: 'not the password' });
  assert.match(person.text, /This is not your current password/);
  await person.submit({ password: OTHER_PASSWORD, current: PASSWORD });
  assert.match(person.text, /Saved/);
  assert.match((await world.mail.next(account.email)).subject, /Your password was changed/);
  assert.deepEqual([await isSignedIn(person), await isSignedIn(elsewhere)], [true, false]);

  await person.open('/account/email');
  await person.submit({ email: 'new@example.org', current: OTHER_PASSWORD });
  assert.match((await world.mail.next(account.email)).text, /new@example\.org/);
  const { links } = await world.mail.next('new@example.org');
  assert.equal((await accountById(world.services.context.db, account.id))!.email, account.email);
  await person.open(links[0]!);
  assert.match(person.text, /Is new@example\.org your address, and Robin your account\?/);
  await person.submit();
  assert.equal((await accountById(world.services.context.db, account.id))!.email, 'new@example.org');
  assert.match((await world.mail.next(account.email)).subject, /was changed/);

  await person.open('/account/name');
  await person.submit({ name: 'Robyn', current: OTHER_PASSWORD });
  assert.equal((await accountById(world.services.context.db, account.id))!.name, 'Robyn');
});

test('the account page lists sessions and applications and ends them with effect on the next request', async (t) => {
  const world = await openWorldOnSqlite(t);
  await makeAccount(world.services, 'Robin');
  const { application } = await makeApplication(world.services, 'web');
  const firefox = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0' };
  const elsewhere = await signIn(world, 'Robin', PASSWORD, new Person(world.services.auth, firefox));
  const person = await signIn(world, 'Robin');
  const query = {
    client_id: application.client_id,
    response_type: 'code',
    scope: 'openid email',
    redirect_uri: CALLBACK,
  };
  const request = `/oauth/authorize?${new URLSearchParams(query).toString()}`;
  const callback = await authorize(world.services.auth, `${world.services.auth}${request}`, 'Robin', person);
  const fields = { ...query, grant_type: 'authorization_code', code: callback.searchParams.get('code')! };
  const answer = await fetch(`${world.services.auth}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  await person.open('/account');
  assert.match(person.text, /Firefox · Windows/);
  assert.match(person.text, /Testnet · Times in UTC/);
  assert.match(person.text, /A web app your identity · e-mail address/);
  const session = person.forms().find(({ fields: f }) => 'session' in f)!;
  await person.post(session.action, session.fields);
  assert.equal(await isSignedIn(elsewhere), false);
  assert.equal(await isSignedIn(person), true);
  await person.submit({}, '/applications/end');
  const info = await fetch(`${world.services.auth}/oauth/userinfo`, {
    headers: { authorization: `Bearer ${access_token}` },
  });
  assert.equal(info.status, 401);
  await person.open(request);
  assert.match(person.text, /asks for access/, 'the consent has been deleted, too');
});

test('forms from other origins and malformed forms change nothing', async (t) => {
  const world = await openWorldOnSqlite(t);
  await makeAccount(world.services, 'Robin');
  const person = await signIn(world, 'Robin');
  const fields = { password: OTHER_PASSWORD, current: PASSWORD };
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ] as Record<string, string>[]) {
    assert.equal((await person.post('/account/password', fields, headers)).status, 403);
    assert.match(person.page.html, /<a class="button" href="\/account">To your account<\/a>/);
  }
  const own = { origin: world.services.auth, 'sec-fetch-site': 'same-origin' };
  for (const [body, type] of [
    ['password=a&password=b', 'application/x-www-form-urlencoded'],
    ['password=%00', 'application/x-www-form-urlencoded'],
    ['password=%ff', 'application/x-www-form-urlencoded'],
    [`password=${'a'.repeat(17_000)}`, 'application/x-www-form-urlencoded'],
    ['a'.repeat(40_000), 'application/x-www-form-urlencoded'],
    ['{}', 'application/json'],
    ['--x', 'multipart/form-data; boundary=x'],
  ] as const) {
    const headers = { ...own, 'content-type': type };
    const response = await fetch(`${world.services.auth}/account/password`, { method: 'POST', body, headers });
    assert.equal(response.status, body.length > 32 * 1024 ? 413 : 400, body.slice(0, 30));
    assert.match(await response.text(), /<h1>/);
  }
  assert.equal(await isSignedIn(await signIn(world, 'Robin')), true, 'the password is unchanged');
});

test('the page uses the chosen language, else the application’s request, else the browser’s setting', async (t) => {
  const world = await openWorldOnSqlite(t);
  const { application } = await makeApplication(world.services, 'web');
  const query = { client_id: application.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
  const request = (more: Record<string, string>): string =>
    `/oauth/authorize?${new URLSearchParams({ ...query, ...more }).toString()}`;
  const japanese = new Person(world.services.auth, { 'accept-language': 'fr, ja;q=0.8, en;q=0.5' });
  assert.match((await japanese.open('/sign-in')).html, /<html lang="ja">/);
  assert.match((await japanese.open(request({ ui_locales: 'en-GB ja' }))).html, /<html lang="en">/);
  assert.match((await japanese.open(request({ ui_locales: 'de', client_id: 'unknown' }))).html, /<html lang="ja">/);
  await japanese.open('/sign-in?lang=en');
  assert.match((await japanese.open(request({ ui_locales: 'ja' }))).html, /<html lang="en">/);
});

test('the focus is on the first wrong field, and on the code of an app that is set up', async (t) => {
  const world = await openWorldOnSqlite(t);
  const { db, clock } = world.services.context;
  await makeAccount(world.services, 'Robin');
  const person = await signIn(world, 'Robin');
  const focused = (): string[] =>
    [...person.page.html.matchAll(/<input[^>]*name="(\w+)"[^>]*\sautofocus/g)].map(([, name]) => name!);
  await person.open('/account/email');
  assert.deepEqual(focused(), ['email']);
  await person.submit({ email: 'robin@example.net', current: 'a wrong password' });
  assert.deepEqual([person.page.status, focused()], [422, ['current']]);
  await db.run(sql`update account_sessions set proved = ${clock.now()}`);
  await person.open('/account/security/app');
  assert.deepEqual(focused(), ['code']);
  const [, uri] = /<a href="(otpauth:[^"]+)"/.exec(person.page.html)!;
  assert.match(uri!, /^otpauth:\/\/totp\/Testnet:Robin\?secret=[A-Z2-7]{32}&amp;issuer=Testnet$/);
  const other = new Person(world.services.auth);
  await other.open('/register');
  await other.submit({ name: 'Wren', email: 'wren@example.org', password: 'short' });
  assert.match(other.page.html, /name="password"[^>]*\sautofocus/);
  assert.doesNotMatch(other.page.html, /name="(name|email)"[^>]*\sautofocus/);
});
