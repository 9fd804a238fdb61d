import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '#test/support/context.ts';
import { mailServerOf } from '#platform/mail/mail.ts';
import { recordMailOutcome } from '#store/mail/mail-failures.ts';
import { accountByEmail, accountByName } from '#store/accounts/accounts.ts';
import { Person } from './person.ts';
import { CALLBACK, makeAccount, makeApplication, PASSWORD, seePlayer, send } from './support.ts';
import { isSignedIn, openWorld, openWorldOnSqlite, signIn } from './world.ts';

const STEVE = { uuid: '11111111-2222-4333-8444-555555555555', name: 'Steve' };
const ALEX = { uuid: '99999999-2222-4333-8444-555555555555', name: 'Alex' };

onEachDatabase(
  'a registration is confirmed by the link in the mail, signs in, and the link works once',
  async (t, url) => {
    const world = await openWorld(t, url);
    const person = new Person(world.services.auth);
    await person.open('/register');
    await person.submit({ name: 'Robin', email: 'Robin@Example.org', password: PASSWORD });
    assert.match(person.text, /Check your e‑mail/);
    assert.equal(
      await accountByName(world.services.context.db, 'Robin'),
      undefined,
      'no account before the link is opened',
    );
    const { links, subject } = await world.mail.next('Robin@Example.org');
    assert.match(subject, /^Finish your registration · Testnet/);
    await person.open(links[0]!);
    await person.open(links[0]!);
    await person.submit();
    assert.match(person.text, /Robin.*confirmed/);
    assert.equal((await person.open(links[0]!)).status, 410);
    const account = (await accountByName(world.services.context.db, 'robin'))!;
    assert.deepEqual([account.email, account.email_verified, account.role], ['Robin@Example.org', true, 'user']);
  },
);

test('the link of a registration expires after a day', async (t) => {
  const world = await openWorldOnSqlite(t);
  const person = new Person(world.services.auth);
  await person.open('/register');
  await person.submit({ name: 'Robin', email: 'robin@example.org', password: PASSWORD });
  const link = (await world.mail.next('robin@example.org')).links[0]!;
  world.services.context.clock.advance(86_400_000 - 1);
  assert.equal((await person.open(link)).status, 200);
  world.services.context.clock.advance(1);
  assert.equal((await person.open(link)).status, 410);
});

test('somebody who waits for a mail sees whether the mail server answers', async (t) => {
  const world = await openWorldOnSqlite(t);
  const { auth, context } = world.services;
  const person = new Person(auth);
  const forgotten = async (): Promise<string> => {
    await person.open('/forgot');
    await person.submit({ login: 'Nobody' });
    return person.text;
  };
  assert.match(await forgotten(), /Nothing has arrived after a minute\?/);
  await person.open('/mail');
  assert.match(person.page.html, /<a href="\/sign-in">Back<\/a>/);
  assert.match(person.text, /Our mail server answers/);
  await recordMailOutcome(context.db, 1, mailServerOf(context.config), 'ETIMEDOUT');
  await person.open('/mail?lang=ja');
  assert.match(person.text, /現在メールサーバーが応答していないため/);
  await person.open('/mail?lang=en');
  assert.match(await forgotten(), /Our mail server is not answering/);
  await person.open('/register');
  await person.submit({ name: 'Robin', email: 'robin@example.org', password: PASSWORD });
  assert.match(person.text, /Our mail server is not answering/);
});

onEachDatabase('a password chosen for somebody else’s address does not count', async (t, url) => {
  const world = await openWorld(t, url);
  const intruder = new Person(world.services.auth);
  await intruder.open('/register');
  await intruder.submit({ name: 'Robin', email: 'robin@example.org', password: PASSWORD });
  const link = (await world.mail.next('robin@example.org')).links[0]!;
  const owner = new Person(world.services.auth);
  await owner.open(link);
  assert.match(owner.text, /not the browser that registered robin@example\.org/);
  assert.equal(
    (await owner.post('/register/confirm', { token: new URL(link).searchParams.get('token')! })).status,
    422,
  );
  assert.match(owner.text, /Use at least \d+ characters\./);
  assert.equal((await owner.submit({ password: 'robin@example.org' })).status, 422, 'the password rules apply');
  assert.equal(
    await accountByName(world.services.context.db, 'Robin'),
    undefined,
    'a refused password does not consume the link',
  );
  await owner.submit({ password: 'the owner of this mailbox' });
  assert.match(owner.text, /Robin.*confirmed/);
  assert.equal(await isSignedIn(owner), true);
  assert.equal((await owner.open(link)).status, 410);
  assert.equal(
    await isSignedIn(await signIn(world, 'robin@example.org', PASSWORD)),
    false,
    'the first password does not count',
  );
  assert.equal(await isSignedIn(await signIn(world, 'robin@example.org', 'the owner of this mailbox')), true);
  assert.equal(await isSignedIn(intruder), false);
});

test('of two browsers that confirm at the same time one creates the account', async (t) => {
  const world = await openWorldOnSqlite(t);
  const people = [new Person(world.services.auth), new Person(world.services.auth)];
  await people[0]!.open('/register');
  await people[0]!.submit({ name: 'Robin', email: 'robin@example.org', password: PASSWORD });
  const link = (await world.mail.next('robin@example.org')).links[0]!;
  for (const person of people) await person.open(link);
  await Promise.all([people[0]!.submit(), people[1]!.submit({ password: 'the owner of this mailbox' })]);
  const signedIn = await Promise.all(people.map(isSignedIn));
  assert.equal(signedIn.filter(Boolean).length, 1);
});

test('registering an address that has an account sends another mail and shows the same page', async (t) => {
  const world = await openWorldOnSqlite(t);
  await makeAccount(world.services, 'Robin');
  const register = async (name: string, email: string): Promise<string> => {
    const person = new Person(world.services.auth);
    await person.open('/register');
    await person.submit({ name, email, password: PASSWORD });
    return person.text.replace(email, '…');
  };
  assert.equal(await register('Someone', 'robin@example.org'), await register('Another', 'free@example.org'));
  assert.match((await world.mail.next('robin@example.org')).subject, /You already have an account/);
  assert.match((await world.mail.next('free@example.org')).subject, /Finish your registration/);
});

test('a name must have the right shape, and the page is the same for every other name', async (t) => {
  const world = await openWorldOnSqlite(t);
  await seePlayer(world.services.context, ALEX);
  await makeAccount(world.services, 'Robin');
  await makeAccount(world.services, 'Someone', STEVE);
  const tryName = async (name: string): Promise<string> => {
    const person = new Person(world.services.auth);
    await person.open('/register');
    await person.submit({ name, email: `${name.length}.x@example.org`, password: PASSWORD });
    return person.text;
  };
  for (const name of ['ab', 'a'.repeat(17), 'a b', 'Ünal', '<b>', 'a-b'])
    assert.match(await tryName(name), /Use 3 to 16 letters/);
  const page = await tryName('Freed');
  assert.match(page, /Check your e‑mail/);
  const alike = async (name: string) => assert.equal((await tryName(name)).replace('4.x@', '5.x@'), page, name);
  await alike('Alex');
  await alike('rObIn');
  await alike('STEVE');
});

onEachDatabase('the first of those who ask for a player’s name and links the game account gets it', async (t, url) => {
  const world = await openWorld(t, url);
  const { context, auth } = world.services;
  await seePlayer(context, STEVE);
  const register = async (name: string, email: string): Promise<Person> => {
    const person = new Person(auth);
    await person.open('/register');
    await person.submit({ name, email, password: PASSWORD });
    await person.open((await world.mail.next(email)).links[0]!);
    await person.submit();
    assert.equal(new URL(person.page.url).pathname, '/account', person.text);
    return person;
  };
  const link = async (person: Person) => {
    await person.open('/account/link');
    const code = /\/link ([A-Z0-9-]+)/.exec(person.text)![1]!;
    return await send(context, 'account.link', { player: STEVE, code });
  };
  const people = [await register('Steve', 'first@example.org'), await register('steve', 'second@example.org')];
  for (const person of people) {
    assert.match(person.text, /steve-[0-9a-z]{11} .*Provisional\. Link the game account that has this name/i);
    assert.match((await accountByEmail(context.db, 'first@example.org'))!.name, /^Steve-[0-9a-z]{11}$/);
  }
  const provisional = (await accountByEmail(context.db, 'first@example.org'))!.name;
  assert.equal(await isSignedIn(await signIn(world, provisional)), true, 'the provisional name can be used to sign in');
  assert.equal(await accountByName(context.db, 'Steve'), undefined, 'asking reserves nothing');

  assert.equal((await link(people[1]!)).status, 'accepted');
  assert.equal((await accountByName(context.db, 'Steve'))!.email, 'second@example.org');
  const late = await link(people[0]!);
  assert.equal(late.status, 'rejected');
  assert.equal((await accountByEmail(context.db, 'first@example.org'))!.name, provisional);
  await people[1]!.open('/account');
  assert.doesNotMatch(people[1]!.text, /Provisional/);

  const third = await register('Steve', 'third@example.org');
  assert.match(third.text, /Provisional/, 'a name with a linked account is answered alike');
  assert.equal((await accountByName(context.db, 'Steve'))!.email, 'second@example.org');
});

onEachDatabase('of accounts that ask for one free name at a time, one gets it and all are created', async (t, url) => {
  const world = await openWorld(t, url);
  const emails = ['a@example.org', 'b@example.org', 'c@example.org'];
  const people = await Promise.all(
    emails.map(async (email) => {
      const person = new Person(world.services.auth);
      await person.open('/register');
      await person.submit({ name: 'Robin', email, password: PASSWORD });
      await person.open((await world.mail.next(email)).links[0]!);
      return person;
    }),
  );
  await Promise.all(people.map((person) => person.submit()));
  const accounts = await Promise.all(emails.map((email) => accountByEmail(world.services.context.db, email)));
  assert.equal(accounts.filter((account) => account!.name === 'Robin').length, 1);
  assert.equal(accounts.filter((account) => /^Robin-/.test(account!.name)).length, 2);
});

test('passwords that are too short or too easy are refused', async (t) => {
  const world = await openWorldOnSqlite(t);
  const person = new Person(world.services.auth);
  for (const [password, sentence] of [
    ['ninechars', /at least 10 characters/],
    ['aaaaaaaaaaaa', /too easy/],
    ['password1234', /too easy/],
    ['robinson1!', /too easy/],
  ] as const) {
    await person.open('/register');
    await person.submit({ name: 'robinson', email: 'x@example.org', password });
    assert.match(person.text, sentence, password);
  }
});

test('REGISTRATION=closed refuses registrations; REGISTRATION=linked requires a game account before an application', async (t) => {
  const closed = await openWorldOnSqlite(t, { REGISTRATION: 'closed' });
  assert.equal((await new Person(closed.services.auth).open('/register')).status, 403);
  const linked = await openWorldOnSqlite(t, { REGISTRATION: 'linked' });
  await makeAccount(linked.services, 'Robin');
  const { application } = await makeApplication(linked.services, 'web');
  const query = { client_id: application.client_id, response_type: 'code', scope: 'openid', redirect_uri: CALLBACK };
  const person = new Person(linked.services.auth);
  await person.open(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
  await person.submit({ login: 'Robin', password: PASSWORD });
  const code = /\/link ([A-Z0-9-]+)/.exec(person.text)![1]!;
  await person.submit({}, '/link');
  assert.match(person.text, /No game account has typed the code yet/);
  assert.match(person.text, new RegExp(code), 'the code stays valid, its event may be on its way');
  assert.equal(
    (await send(linked.services.context, 'account.link', { player: ALEX, code: code.toLowerCase() })).status,
    'accepted',
  );
  await person.submit({}, '/link');
  assert.match(person.text, /asks for access/);
  assert.match((await person.submit({}, '/consent')).url, /\?code=/);
});
