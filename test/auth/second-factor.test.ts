import assert from 'node:assert/strict';
import { type Sql, sql } from '#db/sql.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { listAudit } from '#store/audit/audit.ts';
import { factorsOf } from '#store/accounts/factors.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { SoftwareAuthenticator } from '#test/support/software-authenticator.ts';
import { protect, wrongCode } from './factors.ts';
import { Person } from './person.ts';
import { CALLBACK, makeAccount, makeApplication, PASSWORD } from './support.ts';
import { isSignedIn, openWorld, openWorldWithDomain, signIn, type World } from './world.ts';

const STEP_MS = 30_000;
const DAY_MS = 86_400_000;

async function afterPassword(world: World, person = new Person(world.services.auth)): Promise<Person> {
  await signIn(world, 'Robin', PASSWORD, person);
  assert.ok(person.page.url.endsWith('/sign-in/second'), person.page.url);
  return person;
}

onEachDatabase(
  'after the password an account with an app asks for a code, each of which counts once',
  async (t, url) => {
    const world = await openWorld(t, url);
    const { services } = world;
    const robin = await makeAccount(services, 'Robin');
    const { code, recovery } = await protect(services, robin.id);
    const person = await afterPassword(world);
    assert.equal(await isSignedIn(new Person(services.auth)), false);
    await person.open('/sign-in/second');
    assert.equal((await person.submit({ code: wrongCode(code()) }, '/second')).status, 422);
    assert.match(person.text, /This code is wrong/);
    assert.equal((await person.submit({ code: '' }, '/second')).status, 422);
    await person.submit({ code: code() }, '/second');
    assert.equal(await isSignedIn(person), true);
    const other = await afterPassword(world);
    assert.equal((await other.submit({ code: code() }, '/second')).status, 422, 'the same code again');
    services.context.clock.advance(STEP_MS);
    await other.submit({ code: code() }, '/second');
    assert.equal(await isSignedIn(other), true);
    const lost = await afterPassword(world);
    await lost.submit({ code: recovery[0]!.toLowerCase().replaceAll('-', ' ') }, '/second');
    assert.equal(await isSignedIn(lost), true);
    const { subject, text } = await world.mail.next(robin.email);
    assert.match(subject, /A recovery code was used/);
    assert.match(text, /9 are left.*forgot/s);
    const again = await afterPassword(world);
    assert.equal((await again.submit({ code: recovery[0]! }, '/second')).status, 422, 'the recovery code again');
    assert.equal((await factorsOf(services.context.db, robin.id)).recovery_codes, 9);
  },
);

onEachDatabase('the second step expires, and belongs to its browser, account and sign-in', async (t, url) => {
  const world = await openWorld(t, url);
  const { services } = world;
  const robin = await makeAccount(services, 'Robin');
  const { code } = await protect(services, robin.id);
  const visitor = new Person(services.auth);
  await visitor.post('/sign-in/second', { code: code() });
  assert.ok(visitor.page.url.endsWith('/sign-in'));
  assert.equal(await isSignedIn(visitor), false);
  const slow = await afterPassword(world);
  services.context.clock.advance(10 * 60_000);
  await slow.post('/sign-in/second', { code: code() });
  assert.equal(await isSignedIn(slow), false, 'after ten minutes');
  const ended = await afterPassword(world);
  await services.context.db.run(sql`update accounts set disabled = 1 where id = ${robin.id}`);
  await ended.post('/sign-in/second', { code: code() });
  assert.equal(await isSignedIn(ended), false, 'a disabled account');
});

onEachDatabase('an account that is deleted after its password was right is told so', async (t, url) => {
  const world = await openWorld(t, url);
  const { context } = world.services;
  const { db, clock } = context;
  const run = db.run.bind(db);
  let deleted = '';
  t.mock.method(db, 'run', async (statement: Sql) => {
    if (/insert into (pending_sign_ins|factor_mail_codes)/.test(statement.strings.join('')))
      await deleteAccount(db, clock.now(), deleted);
    return await run(statement);
  });
  const { application } = await makeApplication(world.services, 'web');
  const query = { client_id: application.client_id, redirect_uri: CALLBACK, response_type: 'code', scope: 'openid' };
  for (const path of ['/sign-in', `/oauth/authorize?${new URLSearchParams(query).toString()}`]) {
    const robin = await makeAccount(world.services, 'Robin');
    await protect(world.services, robin.id);
    deleted = robin.id;
    const person = new Person(world.services.auth);
    await person.open(path);
    await person.submit({ login: 'Robin', password: PASSWORD });
    assert.equal(person.page.status, 200);
    assert.match(person.text, /Your account has been deleted/);
    assert.match(person.page.html, /name="password"/, 'another account can sign in');
  }
  deleted = (await makeAccount(world.services, 'Robin')).id;
  const person = await signIn(world, 'Robin');
  await person.open('/account/security/app');
  await person.submit({}, '/confirm');
  assert.equal(person.page.status, 200, 'before the code of a mail');
  assert.match((await person.open('/account/security/app')).url, /\/sign-in$/);
});

onEachDatabase('an application gets its code only after the second step', async (t, url) => {
  const world = await openWorld(t, url);
  const { services } = world;
  const robin = await makeAccount(services, 'Robin');
  const { code } = await protect(services, robin.id);
  const { application } = await makeApplication(services, 'web');
  const person = new Person(services.auth);
  const query = { client_id: application.client_id, redirect_uri: CALLBACK, response_type: 'code', scope: 'openid' };
  await person.open(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
  await person.submit({ login: 'Robin', password: PASSWORD });
  assert.match(person.page.url, /\/sign-in\/[\w-]+\/second$/);
  const interaction = person.page.url.replace(/\/second$/, '');
  assert.match((await person.open(interaction)).html, /name="password"/, 'the password again, no consent');
  await person.submit({ login: 'Robin', password: PASSWORD });
  await person.submit({ code: code() }, '/second');
  assert.match(person.text, /allow|access/i);
  await person.submit({}, '/consent');
  assert.match(person.page.url, /[?&]code=/);
});

onEachDatabase('a mailed link and a new password do not skip the second step', async (t, url) => {
  const world = await openWorld(t, url);
  const { services, mail } = world;
  const robin = await makeAccount(services, 'Robin');
  const { code, recovery } = await protect(services, robin.id);
  const thief = new Person(services.auth);
  await thief.post('/sign-in-link/send', { login: 'Robin', flow: '' });
  await thief.open((await mail.next(robin.email)).links[0]!);
  await thief.submit();
  assert.match(thief.text, /One more step, Robin/);
  assert.equal(await isSignedIn(thief), false);
  await thief.open('/forgot');
  await thief.submit({ login: 'Robin' });
  await thief.open((await mail.next(robin.email)).links[0]!);
  await thief.submit({ password: 'staple tower lantern' });
  await thief.submit({ login: 'Robin', password: 'staple tower lantern' });
  assert.ok(thief.page.url.endsWith('/sign-in/second'));
  assert.equal((await thief.submit({ code: wrongCode(code()) }, '/second')).status, 422);
  assert.equal(await isSignedIn(thief), false);
  await thief.open('/sign-in/second');
  await thief.submit({ code: recovery[3]! }, '/second');
  assert.equal(await isSignedIn(thief), true, 'the owner, with a code that was kept');
});

onEachDatabase(
  'after 20 wrong codes of unknown browsers only recovery codes count, but known ones go on',
  async (t, url) => {
    const world = await openWorld(t, url);
    const { services, mail } = world;
    const robin = await makeAccount(services, 'Robin');
    const { code, recovery } = await protect(services, robin.id);
    const owner = await afterPassword(world);
    await owner.submit({ code: code() }, '/second');
    assert.equal(await isSignedIn(owner), true);
    const thief = await afterPassword(world);
    for (let guess = 1; guess <= 20; guess++) {
      await thief.post('/sign-in/second', { code: wrongCode(code()) });
      assert.match(thief.text, /This code is wrong/, String(guess));
    }
    assert.match((await mail.next(robin.email)).subject, /knows your password/);
    services.context.clock.advance(STEP_MS);
    await thief.post('/sign-in/second', { code: code() });
    assert.match(thief.text, /Too many wrong codes today/, 'even the right code');
    await owner.submit({}, '/sign-out');
    await signIn(world, 'Robin', PASSWORD, owner);
    await owner.submit({ code: code() }, '/second');
    assert.equal(await isSignedIn(owner), true, 'a browser that has signed in before');
    const elsewhere = await afterPassword(world);
    await elsewhere.submit({ code: recovery[0]! }, '/second');
    assert.equal(await isSignedIn(elsewhere), true, 'a recovery code');
    services.context.clock.advance(DAY_MS);
    const tomorrow = await afterPassword(world);
    await tomorrow.submit({ code: code() }, '/second');
    assert.equal(await isSignedIn(tomorrow), true, 'the next day');
  },
);

onEachDatabase(
  'wrong guesses of neighbours in its network do not keep a known browser from the second step',
  async (t, url) => {
    const world = await openWorld(t, url);
    const { services } = world;
    const robin = await makeAccount(services, 'Robin');
    const { code, recovery } = await protect(services, robin.id);
    const owner = await afterPassword(world);
    await owner.submit({ code: code() }, '/second');
    const unknown = await afterPassword(world);
    await unknown.submit({ code: 'ABCD' }, '/second');
    await services.context.db.run(sql`update throttles set used = 1000 where subject like 'wrongPassword%'`);
    services.context.clock.advance(STEP_MS);
    await unknown.submit({ code: code() }, '/second');
    assert.match(unknown.text, /Too many wrong codes|Only a passkey/);
    await unknown.submit({ code: recovery[1]! }, '/second');
    assert.equal(await isSignedIn(unknown), true, 'a recovery code, which nobody guesses');
    for (const text of [code(), recovery[0]!]) {
      await owner.submit({}, '/sign-out');
      await afterPassword(world, owner);
      await owner.submit({ code: text }, '/second');
      assert.equal(await isSignedIn(owner), true, text);
    }
  },
);

onEachDatabase('of concurrent uses of one code at two connections one signs in', async (t, url) => {
  const world = await openWorld(t, url);
  const robin = await makeAccount(world.services, 'Robin');
  const { code, recovery } = await protect(world.services, robin.id);
  for (const each of [code(), recovery[0]!]) {
    const people = await Promise.all(Array.from({ length: 5 }, () => afterPassword(world)));
    await Promise.all(people.map((person) => person.post('/sign-in/second', { code: each })));
    const signedIn = await Promise.all(people.map(isSignedIn));
    assert.equal(signedIn.filter(Boolean).length, 1, each);
  }
});

/** Adds a passkey through the pages, as the account with an app does. */
async function addPasskey(world: World, person: Person, recovery: string): Promise<SoftwareAuthenticator> {
  const device = new SoftwareAuthenticator(world.services.auth);
  await person.open('/account/security/passkeys/add');
  const form = person.forms().find(({ fields }) => 'password' in fields)!;
  await person.post(form.action, { ...form.fields, password: PASSWORD, code: recovery });
  await person.post('/account/security/passkeys/add', { name: 'Phone', credential: device.answer(person.page.html) });
  assert.match(person.page.url, /done=passkey_added|security/);
  return device;
}

onEachDatabase('a passkey signs in without a name, and as the second factor', async (t, url) => {
  const world = await openWorldWithDomain(t, url);
  const { services, mail } = world;
  const robin = await makeAccount(services, 'Robin');
  const { recovery } = await protect(services, robin.id);
  const owner = await afterPassword(world);
  await owner.submit({ code: recovery[0]! }, '/second');
  const device = await addPasskey(world, owner, recovery[1]!);
  const { context, auth } = services;
  assert.equal((await factorsOf(context.db, robin.id)).passkeys.length, 1);
  const alone = async (person: Person, answer = (html: string): string => device.answer(html)): Promise<boolean> => {
    await person.open('/sign-in');
    await person.post('/sign-in/passkey', { credential: answer(person.page.html) });
    return await isSignedIn(person);
  };
  const person = new Person(auth);
  assert.match((await person.open('/sign-in')).html, /autocomplete="username webauthn"/);
  assert.equal(await alone(person), true);
  let used = '';
  assert.equal(await alone(new Person(auth), (html) => (used = device.answer(html))), true);
  assert.equal(await alone(new Person(auth), () => used), false, 'the same answer again');
  const [elsewhere, tabs] = [new Person(auth), new Person(auth)];
  const ofOther = (await elsewhere.open('/sign-in')).html;
  assert.equal(await alone(new Person(auth), () => device.answer(ofOther)), false, 'a challenge of another browser');
  const firstTab = (await tabs.open('/sign-in')).html;
  assert.equal(await alone(tabs, () => device.answer(firstTab)), true, 'an older tab of the browser');
  const unknown = new SoftwareAuthenticator(auth);
  unknown.create({ challenge: '', rp: { id: 'localhost' }, user: { id: 'x' } });
  const refused = new Person(auth);
  assert.equal(await alone(refused, (html) => unknown.answer(html)), false);
  const late = (html: string): string => {
    context.clock.advance(10 * 60_000);
    return device.answer(html);
  };
  assert.equal(await alone(new Person(auth), late), false, 'a challenge older than ten minutes');
  device.verifiesUser = false;
  assert.equal(await alone(new Person(auth)), false, 'no fingerprint or PIN: one factor only');
  const second = await afterPassword(world);
  await second.post('/sign-in/second', { credential: device.answer(second.page.html) });
  assert.equal(await isSignedIn(second), true, 'the second factor after the password');
  device.verifiesUser = true;
  device.counter = 5;
  assert.equal(await alone(new Person(auth)), true);
  assert.equal(await alone(new Person(auth)), false, 'a counter that has not grown');
  // The mails about the factors may arrive meanwhile.
  while (!/copied passkey/.test((await mail.next(robin.email)).subject));
  device.counter = 6;
  await context.db.run(sql`update accounts set disabled = 1 where id = ${robin.id}`);
  assert.equal(await alone(new Person(auth)), false, 'a disabled account');
  // Entries are written after the responses.
  await services.stop();
  const [entry, ...others] = await listAudit(context.db, { action: 'account.passkey-copy' }, 9);
  const { subject, label, outcome, via, address, detail } = entry!;
  assert.deepEqual([subject, label, outcome, via, address], [robin.id, 'Robin', 'refused', 'sign-in', '127.0.0.1']);
  assert.deepEqual([detail, others], [{}, []]);
});

onEachDatabase('a passkey of another account does not finish a sign-in', async (t, url) => {
  const world = await openWorldWithDomain(t, url);
  const { services } = world;
  const robin = await makeAccount(services, 'Robin');
  const { recovery } = await protect(services, robin.id);
  const wren = await makeAccount(services, 'Wren');
  const { recovery: ofWren } = await protect(services, wren.id);
  const owner = await afterPassword(world);
  await owner.submit({ code: recovery[0]! }, '/second');
  const device = await addPasskey(world, owner, recovery[1]!);
  const other = await signIn(world, 'Wren');
  await other.submit({ code: ofWren[0]! }, '/second');
  const ofOther = await addPasskey(world, other, ofWren[1]!);
  const person = await afterPassword(world);
  await person.post('/sign-in/second', { credential: ofOther.answer(person.page.html) });
  assert.equal(await isSignedIn(person), false);
  await person.open('/sign-in/second');
  await person.post('/sign-in/second', { credential: device.answer(person.page.html) });
  assert.equal(await isSignedIn(person), true);
});
