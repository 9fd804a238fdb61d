import assert from 'node:assert/strict';
import { changeEmail } from '#admin/accounts.ts';
import type { Acting } from '#admin/operation.ts';
import { sql } from '#db/sql.ts';
import { totpCode, totpStep } from '#platform/crypto/totp.ts';
import { factorsOf, hasFactor } from '#store/accounts/factors.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { onEachDatabase } from '#test/support/context.ts';
import type { Mailbox } from '#test/support/mailbox.ts';
import { confirmByCode, confirmByMail, nextCode, protect, secretOn, wrongCode } from './factors.ts';
import { Person } from './person.ts';
import { makeAccount, PASSWORD } from './support.ts';
import { changeEmail as changeOwnEmail, isSignedIn, openWorld, signIn, type World } from './world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** An account gets one link of a kind in this time. */
const LINK_EVERY_MS = 10 * MINUTE_MS;
const SECURITY = '/account/security';
const APP = '/account/security/app';
const OWNER = 'robin@example.org';
const THIEF = 'thief@example.org';
const [NEW_PASSWORD, OF_THIEF] = ['staple tower lantern', 'a password of the thief'];
const WAIT = /You can add your first passkey or authenticator app from/;
const SECRET = '0'.repeat(40);

/** The next link of a kind in the mails to an address; others are read too. */
async function nextLink(mail: Mailbox, path: string, to = OWNER): Promise<string> {
  for (;;) {
    const found = (await mail.next(to)).links.find((link) => new URL(link).pathname === path);
    if (found !== undefined) return found;
  }
}

/** Chooses a new password by a mailed link. */
async function resetPassword({ services, mail }: World, password: string): Promise<Person> {
  const person = new Person(services.auth);
  await person.open('/forgot');
  await person.submit({ login: 'Robin' });
  await person.open(await nextLink(mail, '/reset'));
  await person.submit({ password });
  assert.match(person.page.url, /done=reset/);
  return person;
}

async function signInByLink({ services, mail }: World): Promise<Person> {
  const person = new Person(services.auth);
  await person.post('/sign-in-link/send', { login: 'Robin', flow: '' });
  await person.open(await nextLink(mail, '/sign-in-link'));
  await person.submit();
  return person;
}

/** Sends each form that adds, removes or replaces a factor. @returns the last page of each */
async function tryChanges({ services }: World, person: Person): Promise<Set<string>> {
  const code = totpCode(SECRET, totpStep(services.context.clock.now()));
  const ended = new Set<string>();
  for (const [path, fields] of [
    [APP, { secret: SECRET, code }],
    [`${APP}/remove`, {}],
    [`${SECURITY}/passkeys/add`, { name: 'Phone', credential: '{}' }],
    [`${SECURITY}/passkeys/remove`, { id: 'x' }],
    [`${SECURITY}/codes`, {}],
  ] as const)
    ended.add(new URL((await person.post(path, fields)).url).pathname);
  return ended;
}

/** Sets up an authenticator app on the page that the person sees. */
async function setUpApp({ services }: World, person: Person): Promise<void> {
  const code = totpCode(secretOn(person), totpStep(services.context.clock.now()));
  await person.submit({ code });
  assert.match(person.text, /The authenticator app is set up/);
}

onEachDatabase('with the password alone no factor is added, and the owner takes the account back', async (t, url) => {
  const world = await openWorld(t, url);
  const { auth, context } = world.services;
  const { id } = await makeAccount(world.services, 'Robin');
  const [owner, thief] = [await signIn(world, 'Robin'), await signIn(world, 'Robin')];
  await thief.open(APP);
  await thief.submit({}, '/confirm');
  const mailed = await nextCode(world.mail, OWNER);
  await confirmByCode(thief, 'AAAA-AAAA');
  assert.match(thief.text, /The password or the code is wrong/);
  await owner.open(APP);
  await owner.submit({}, '/confirm');
  await world.mail.next(OWNER);
  await confirmByCode(owner, mailed);
  assert.match(
    owner.text,
    /The password or the code is wrong/,
    'the code counts only in the browser that asked for it',
  );
  assert.deepEqual(await tryChanges(world, thief), new Set([`${SECURITY}/confirm`]));

  const undo = (await changeOwnEmail(world, thief, OWNER, THIEF))!;
  const again = await signIn(world, 'Robin');
  for (const wait of [0, DAY_MS - 1]) {
    context.clock.advance(wait);
    for (const session of [thief, again]) {
      await session.open(APP);
      assert.match(session.text, WAIT, 'also in sessions that begin after the change');
    }
  }
  context.clock.advance(1);
  await thief.open(APP);
  await confirmByMail(world, thief, THIEF);
  await setUpApp(world, thief);
  assert.equal(await hasFactor(context.db, id), true, 'after a day without the owner');
  assert.equal(await isSignedIn(owner), false);
  await signIn(world, 'Robin', PASSWORD, owner);
  assert.ok(owner.page.url.endsWith('/sign-in/second'));

  await owner.open(undo);
  await owner.submit();
  assert.deepEqual(await factorsOf(context.db, id), { passkeys: [], totp: undefined, recovery_codes: 0 });
  assert.equal((await accountById(context.db, id))!.email, OWNER);
  assert.equal(await isSignedIn(thief), false);
  await owner.submit({ password: NEW_PASSWORD });
  await signIn(world, 'Robin', NEW_PASSWORD, owner);
  assert.equal(await isSignedIn(owner), true, 'the new password is enough again');
  assert.equal(await isSignedIn(await signIn(world, 'Robin', PASSWORD, new Person(auth))), false);
});

onEachDatabase('an address that an operator has changed gives no first factor for a day', async (t, url) => {
  const world = await openWorld(t, url);
  const { context } = world.services;
  const acting: Acting = { ...context, actor: { via: 'command', account_id: null, name: 'test', address: '' } };
  const { id } = await makeAccount(world.services, 'Robin');
  const thief = await signIn(world, 'Robin');
  for (const [email, verified] of [
    [THIEF, true],
    ['other@example.org', false],
  ] as const) {
    await thief.open(APP);
    assert.match(thief.text, /Confirm that it is you/);
    const account = (await accountById(context.db, id))!;
    const { secret } = (await changeEmail.run(acting, account, { email, verified }, undefined as never)) as {
      secret: string | undefined;
    };
    if (secret !== undefined) {
      await thief.open(`/verify?token=${secret}`);
      await thief.submit();
    }
    assert.equal((await accountById(context.db, id))!.email, email);
    for (const wait of [0, DAY_MS - 1]) {
      context.clock.advance(wait);
      for (const session of [thief, await signIn(world, 'Robin')]) {
        await session.open(APP);
        assert.match(session.text, WAIT, email);
      }
    }
    context.clock.advance(1);
  }
});

onEachDatabase('with the mailbox alone no factor is added for a day, in which the owner ends it', async (t, url) => {
  const world = await openWorld(t, url);
  const { db, clock } = world.services.context;
  const { id } = await makeAccount(world.services, 'Robin');
  const byLink = await signInByLink(world);
  assert.equal(await isSignedIn(byLink), true);
  const byReset = await signIn(world, 'Robin', OF_THIEF, await resetPassword(world, OF_THIEF));
  assert.equal(await isSignedIn(byLink), false, 'a new password ends the sessions, those of a thief too');
  clock.advance(LINK_EVERY_MS);
  const linkAgain = await signInByLink(world);
  for (const wait of [0, DAY_MS - LINK_EVERY_MS - 1]) {
    clock.advance(wait);
    for (const thief of [byReset, linkAgain, await signIn(world, 'Robin', OF_THIEF)]) {
      assert.match((await thief.open(APP), thief.text), WAIT);
      assert.ok((await tryChanges(world, thief)).has(SECURITY));
      assert.equal(await hasFactor(db, id), false);
    }
  }
  const owner = await resetPassword(world, NEW_PASSWORD);
  await signIn(world, 'Robin', NEW_PASSWORD, owner);
  assert.equal(await isSignedIn(owner), true);
  assert.deepEqual([await isSignedIn(byReset), await isSignedIn(linkAgain)], [false, false]);
  assert.equal(await isSignedIn(await signIn(world, 'Robin', OF_THIEF)), false);
  clock.advance(DAY_MS);
  await owner.open(APP);
  await confirmByMail(world, owner, OWNER, NEW_PASSWORD);
  await setUpApp(world, owner);
});

onEachDatabase('with the mailbox alone an account with a factor is never entered', async (t, url) => {
  const world = await openWorld(t, url);
  const { context } = world.services;
  const { id } = await makeAccount(world.services, 'Robin');
  const { code } = await protect(world.services, id);
  const isStopped = async (thief: Person): Promise<void> => {
    assert.equal((await thief.open('/sign-in/second')).status, 200);
    await thief.submit({ code: wrongCode(code()) }, '/second');
    assert.equal(await isSignedIn(thief), false);
    assert.deepEqual(await tryChanges(world, thief), new Set(['/sign-in']));
  };
  await isStopped(await signInByLink(world));
  await isStopped(await signIn(world, 'Robin', OF_THIEF, await resetPassword(world, OF_THIEF)));
  context.clock.advance(DAY_MS);
  await isStopped(await signInByLink(world));

  const owner = await resetPassword(world, NEW_PASSWORD);
  await signIn(world, 'Robin', NEW_PASSWORD, owner);
  await owner.submit({ code: code() }, '/second');
  assert.equal(await isSignedIn(owner), true, 'the owner chooses a password too, and has the factor');
  assert.equal((await factorsOf(context.db, id)).recovery_codes, 10);
});

onEachDatabase('with the mailbox alone the codes of the owner’s known browser are not used up', async (t, url) => {
  const world = await openWorld(t, url);
  const { context } = world.services;
  const { id } = await makeAccount(world.services, 'Robin');
  const { code } = await protect(world.services, id);
  const owner = await signIn(world, 'Robin');
  await owner.submit({ code: code() }, '/second');
  const thief = await signIn(world, 'Robin', OF_THIEF, await resetPassword(world, OF_THIEF));
  await thief.submit({ code: wrongCode(code()) }, '/second');
  await context.db.run(sql`update throttles set used = 20 where subject like 'code %'`);
  await thief.submit({ code: wrongCode(code()) }, '/second');
  assert.match(thief.text, /Too many wrong codes|Only a passkey/);
  context.clock.advance(30_000);
  await signIn(world, 'Robin', OF_THIEF, owner);
  await owner.submit({ code: code() }, '/second');
  assert.equal(await isSignedIn(owner), true);
});

onEachDatabase('with a stolen session no factor changes, and the owner ends it', async (t, url) => {
  const world = await openWorld(t, url);
  const { context } = world.services;
  const { id } = await makeAccount(world.services, 'Robin');
  const without = await signIn(world, 'Robin');
  const thieves = [without.copy()];
  await thieves[0]!.open(`${SECURITY}/confirm`);
  await thieves[0]!.submit({}, '/confirm');
  await confirmByCode(thieves[0]!, await nextCode(world.mail, OWNER), OF_THIEF);
  assert.match(thieves[0]!.text, /The password or the code is wrong/, 'the mailed code does not count without it');
  const { code, recovery } = await protect(world.services, id);
  const owner = await signIn(world, 'Robin');
  await owner.submit({ code: code() }, '/second');
  const before = await factorsOf(context.db, id);
  thieves.push(owner.copy());
  for (const thief of thieves) {
    assert.equal(await isSignedIn(thief), true);
    assert.deepEqual(await tryChanges(world, thief), new Set([`${SECURITY}/confirm`]));
    await thief.open(`${SECURITY}/confirm`);
    for (let guess = 1; guess <= 10; guess++) await confirmByCode(thief, recovery[0]!, OF_THIEF);
    await thief.post(`${SECURITY}/confirm`, { mail: '1' });
    await thief.post(`${SECURITY}/confirm`, { credential: '{}' });
    await thief.post('/account/email', { email: THIEF, current: OF_THIEF });
    assert.deepEqual(await tryChanges(world, thief), new Set([`${SECURITY}/confirm`]));
  }
  const after = await factorsOf(context.db, id);
  assert.deepEqual(after, before);
  assert.equal((await accountById(context.db, id))!.email, OWNER);

  context.clock.advance(15 * MINUTE_MS);
  const elsewhere = await signIn(world, 'Robin');
  await elsewhere.submit({ code: code() }, '/second');
  await elsewhere.open(`${SECURITY}/codes`);
  await confirmByCode(elsewhere, recovery[0]!);
  await elsewhere.submit({}, '/codes');
  assert.match(elsewhere.text, /These are your new recovery codes/);
  for (const thief of thieves) assert.equal(await isSignedIn(thief), false, 'a change ends the other sessions');
});
