import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchingSteps, totpCode, totpStep } from '#platform/crypto/totp.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { factorsOf } from '#store/accounts/factors.ts';
import { markMailed } from '#store/accounts/account-sessions.ts';
import { sql } from '#db/sql.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { confirmByCode, confirmByMail, nextCode, protect, secretOn } from './factors.ts';
import { CALLBACK, makeAccount, makeApplication, PASSWORD } from './support.ts';
import { isSignedIn, openWorld, openWorldOnSqlite, signIn } from './world.ts';

const HOUR_MS = 3_600_000;
const FIVE_MINUTES = 5 * 60_000;
const CODE = /[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}/g;

onEachDatabase('an authenticator app is set up, replaced and removed without JavaScript', async (t, url) => {
  const world = await openWorld(t, url);
  const { context } = world.services;
  const { clock } = context;
  const robin = await makeAccount(world.services, 'Robin');
  const elsewhere = await signIn(world, 'Robin');
  const person = await signIn(world, 'Robin');
  await person.open('/account/security/app');
  assert.match(person.text, /Confirm that it is you.*We ask before changes/);
  await confirmByMail(world, person);
  const secret = secretOn(person);
  assert.match(person.page.html, /<svg class="qr" role="img" aria-label="QR code with the key"/);
  const code = totpCode(secret, totpStep(clock.now()));
  const wrong = await person.submit({ code: code === '000000' ? '000001' : '000000' });
  assert.equal(wrong.status, 422);
  assert.match(person.text, /This is not the code that the app shows now/);
  assert.equal((await factorsOf(context.db, robin.id)).totp, undefined, 'the app counts only after its code');
  await person.submit({ code: `${code.slice(0, 3)} ${code.slice(3)}` });
  const codes = person.page.html.match(CODE)!.slice(0, 10);
  const before = await context.db.all(sql`select sealed from totp_secrets`);
  const again = person.copy();
  await again.post('/account/security/app', { secret, code });
  assert.match(again.page.url, /\/account\/security\?done=app_added$/, 'the page with the codes, loaded again');
  assert.deepEqual(await context.db.all(sql`select sealed from totp_secrets`), before, 'it is added once');
  assert.equal(new Set(codes).size, 10, 'the first factor leads to recovery codes at once');
  assert.match((await world.mail.next('robin@example.org')).text, /An authenticator app was set up for your account/);
  assert.match((await elsewhere.open('/account')).url, /\/sign-in$/, 'other sessions have ended');
  const devices = await context.db.all(sql`select hash from known_devices where account_id = ${robin.id}`);
  assert.equal(devices.length, 1, 'browsers that have shown only the password get no own count of wrong codes');
  const file = await person.submit({}, '/codes/download');
  assert.equal(file.headers.get('content-disposition'), 'attachment; filename="recovery-codes.txt"');
  assert.deepEqual(file.html.match(CODE), codes);
  await person.open('/account');
  assert.match(person.text, /authenticator app · 10 recovery codes/);
  const exported = JSON.parse((await person.open('/account/export')).html) as Record<string, unknown>;
  const created = new Date(clock.now()).toISOString();
  assert.deepEqual(exported['factors'], {
    ...{ passkeys: [], authenticator_app: { created, last_used: null }, recovery_codes: 10 },
  });

  clock.advance(FIVE_MINUTES);
  await person.open('/account/security/app/remove');
  await confirmByCode(person, codes[3]!);
  assert.match(person.text, /Remove the authenticator app\?.*This is your last factor/);
  clock.advance(FIVE_MINUTES);
  await person.submit({}, '/app/remove');
  assert.match(person.text, /Confirm that it is you/, 'the proof counts for five minutes');
  await confirmByCode(person, codes[3]!);
  assert.match(person.text, /The password or the code is wrong/, 'a recovery code counts once');
  await confirmByCode(person, totpCode(secret, totpStep(clock.now())));
  await person.submit({}, '/app/remove');
  assert.match(person.text, /The authenticator app is removed/);
  assert.deepEqual(await factorsOf(context.db, robin.id), { passkeys: [], totp: undefined, recovery_codes: 0 });
});

onEachDatabase('a proof gives the session a new id, with which open tabs continue', async (t, url) => {
  const world = await openWorld(t, url);
  await makeAccount(world.services, 'Robin');
  const { application } = await makeApplication(world.services, 'web');
  const person = await signIn(world, 'Robin');
  const query = { client_id: application.client_id, redirect_uri: CALLBACK, response_type: 'code', scope: 'openid' };
  await person.open(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
  const consent = person.forms().find(({ action }) => action.endsWith('/consent'))!;
  const stolen = person.copy();
  await person.open('/account/security/app');
  await confirmByMail(world, person);
  assert.match(person.text, /Scan this with the app/);
  assert.equal(await isSignedIn(stolen), false, 'the id from before the proof');
  await person.post(consent.action, consent.fields);
  assert.match(person.page.url, /[?&]code=/, 'an application’s sign-in in another tab');
  assert.match((await person.open('/account')).html, /this browser/, 'it is the same session');
});

test('a session that began by mail adds no first factor for 24 hours', async (t) => {
  const world = await openWorldOnSqlite(t);
  const { db, clock } = world.services.context;
  const robin = await makeAccount(world.services, 'Robin');
  const person = await signIn(world, 'Robin');
  const [{ uid_hash } = { uid_hash: '' }] = await db.all<{ uid_hash: string }>(
    sql`select uid_hash from account_sessions`,
  );
  await markMailed(db, uid_hash, clock.now());
  for (const path of ['/account/security/passkeys/add', '/account/security/app']) {
    await person.open(path);
    assert.match(person.text, /You came in by a link that we mailed, .*less than a day ago/);
    assert.doesNotMatch(person.page.html, /href="\/account\/security\/(app|passkeys)/);
    const secret = '0'.repeat(40);
    await person.post(path, { secret, code: totpCode(secret, totpStep(clock.now())), name: 'x', credential: '{}' });
    assert.match(person.page.url, /\/account\/security$/);
  }
  assert.deepEqual(await factorsOf(db, robin.id), { passkeys: [], totp: undefined, recovery_codes: 0 });
  clock.advance(24 * HOUR_MS);
  await person.open('/account/security/app');
  assert.match(person.text, /Confirm that it is you/);
});

test('a mailed code proves nothing for a person who becomes staff while the password is checked', async (t) => {
  const world = await openWorldOnSqlite(t);
  const { db } = world.services.context;
  await makeAccount(world.services, 'Robin');
  const person = await signIn(world, 'Robin');
  await person.open('/account/security/app');
  await person.submit({}, '/confirm');
  const code = await nextCode(world.mail, 'robin@example.org');
  // The attempt is counted before the password is checked.
  await db.run(sql`
    create trigger promote after insert on throttles begin update accounts set role = 'moderator'; end`);
  await confirmByCode(person, code);
  assert.match(person.text, /The password or the code is wrong/);
  await person.open('/account/security/app');
  assert.match(person.text, /You are a member of staff/);
  const proved = await db.all(sql`select 1 as found from account_sessions where proved is not null`);
  assert.deepEqual(proved, []);
});

test('codes of the app are checked 20 times a day before changes, and a recovery code still counts', async (t) => {
  const world = await openWorldOnSqlite(t);
  const { context } = world.services;
  await makeAccount(world.services, 'Robin');
  const person = await signIn(world, 'Robin');
  await person.open('/account/security/app');
  await confirmByMail(world, person);
  const secret = secretOn(person);
  await person.submit({ code: totpCode(secret, totpStep(context.clock.now())) });
  const [code] = person.page.html.match(CODE)!;
  context.clock.advance(FIVE_MINUTES);
  const confirm = '/account/security/confirm';
  await person.open(confirm);
  const wrong = ['000000', '111111'].find((one) => matchingSteps(secret, one, context.clock.now()).length === 0)!;
  await confirmByCode(person, wrong);
  assert.match(person.text, /The password or the code is wrong/);
  await context.db.run(sql`update throttles set used = 20 where subject like 'wrongCode %'`);
  await confirmByCode(person, totpCode(secret, totpStep(context.clock.now())));
  assert.match(person.text, /Too many attempts/);
  await confirmByCode(person, code!);
  assert.match(person.page.url, /\/account\/security$/);
});

test('with a factor, a new address or password and the deletion need a proof in the place of the password', async (t) => {
  const world = await openWorldOnSqlite(t);
  const { context } = world.services;
  const { id } = await makeAccount(world.services, 'Robin');
  const { recovery } = await protect(world.services, id);
  const person = await signIn(world, 'Robin');
  await person.submit({ code: recovery[0]! }, '/second');
  const password = 'staple tower lantern';
  for (const path of ['/account/email', '/account/password', '/account/delete']) {
    await person.open(path);
    assert.match(person.page.url, /\/security\/confirm\?next=/, path);
    await person.post(path, { current: PASSWORD, email: 'new@example.org', password });
    assert.match(person.page.url, /\/security\/confirm\?next=/, 'the password alone changes nothing');
    assert.match(person.page.html, /<a href="\/account">/, 'the way back');
  }
  await person.open('/account/name');
  assert.match(person.page.html, /name="current"/, 'a name opens nothing');

  await person.open('/account/password');
  await confirmByCode(person, recovery[1]!);
  assert.match(person.page.url, /\/account\/password$/);
  assert.doesNotMatch(person.page.html, /name="current"/);
  await person.submit({ password });
  assert.match(person.text, /Saved/);
  context.clock.advance(FIVE_MINUTES);
  await person.open('/account/delete');
  await confirmByCode(person, recovery[2]!, password);
  await person.submit({}, '/delete');
  assert.equal(await accountById(context.db, id), undefined);
});

test('mails with a code are three an hour for a session, so that a stolen one leaves the owner some', async (t) => {
  const world = await openWorldOnSqlite(t);
  await makeAccount(world.services, 'Robin');
  const [thief, owner] = [await signIn(world, 'Robin'), await signIn(world, 'Robin')];
  const confirm = '/account/security/confirm';
  for (let count = 1; count <= 4; count++) await thief.post(confirm, { mail: '1' });
  assert.match(thief.text, /Too many attempts/);
  await owner.post(confirm, { mail: '1' });
  assert.doesNotMatch(owner.text, /Too many attempts/);
});

test('no input to the pages about factors fails', async (t) => {
  const world = await openWorldOnSqlite(t);
  await makeAccount(world.services, 'Robin');
  const person = await signIn(world, 'Robin');
  const { db, clock } = world.services.context;
  await db.run(sql`update account_sessions set proved = ${clock.now()}`);
  const credentials = ['', 'x', 'null', '[]', '{"id":1}', '{"id":"x","rawId":"x","type":"public-key","response":{}}'];
  for (const credential of credentials) {
    const add = await person.post('/account/security/passkeys/add', { name: 'Phone', credential });
    assert.deepEqual([add.status, /This passkey did not work/.test(add.html)], [422, true], credential);
    const confirmed = await person.post('/account/security/confirm?next=//evil.example', { credential });
    assert.equal(confirmed.status, 422, credential);
    assert.doesNotMatch(confirmed.html, /evil/);
  }
  const long = await person.post('/account/security/passkeys/add', { name: '🔑'.repeat(65), credential: '{}' });
  assert.match(long.html, /Use 1 to 64 characters/);
  for (const [path, fields, status] of [
    ['/account/security/passkeys/rename', { id: 'x', name: 'y' }, 200],
    ['/account/security/passkeys/remove', { id: 'x' }, 200],
    ['/account/security/app', { secret: 'x', code: '1' }, 200],
    ['/account/security/app/remove', {}, 200],
    ['/account/security/codes', {}, 200],
    ['/account/security/codes/download', { codes: 'x' }, 400],
  ] as const)
    assert.equal((await person.post(path, fields)).status, status, path);
  const forged = await person.post('/account/security/codes', {}, { origin: 'https://evil.example' });
  assert.equal(forged.status, 403);
});
