import assert from 'node:assert/strict';
import { changeEmail } from '#admin/accounts.ts';
import type { Acting } from '#admin/operation.ts';
import { sql } from '#db/sql.ts';
import { totpCode, totpStep } from '#platform/crypto/totp.ts';
import { factorsOf, hasFactor } from '#store/accounts/factors.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { mailFactorReset } from '#mails/recovery-mails.ts';
import { applyDueResets, RESET_WAIT_MS, startReset } from '#store/accounts/factor-resets.ts';
import { insertPasskey } from '#store/accounts/passkeys.ts';
import { setRole } from '#store/accounts/account-changes.ts';
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
const PASSKEY = {
  ...{ id: 'key', name: 'Phone', public_key: 'x', counter: 0, transports: [], backed_up: false, user_verified: true },
};

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
    const { secret } = (await context.db.transaction((tx) =>
      changeEmail.run({ ...acting, tx }, account, { email, verified }, undefined as never),
    )) as {
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
  await context.db.run(sql`update throttles set used = 20 where subject like 'wrongCode %'`);
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

/** A thief who has password and mailbox adds the first factor. @returns the link of the mail about it */
async function addFirstFactor(world: World, thief: Person, mailbox: string): Promise<string> {
  await thief.open(APP);
  await confirmByMail(world, thief, mailbox);
  await setUpApp(world, thief);
  const { text, links } = await world.mail.next(mailbox);
  assert.match(text, /authenticator app was set up.*undo it within 7 days/s);
  assert.doesNotMatch(text, /\/forgot/, 'a new password would lock the owner out');
  return links.find((link) => link.includes('/email/undo?'))!;
}

/** Undoes by a link, and signs in with a new password alone. */
async function takeBack(world: World, link: string, name: string): Promise<Person> {
  const owner = new Person(world.services.auth);
  await owner.open(link);
  await owner.submit();
  await owner.submit({ password: NEW_PASSWORD });
  await signIn(world, name, NEW_PASSWORD, owner);
  assert.equal(await isSignedIn(owner), true, 'the new password is enough');
  return owner;
}

onEachDatabase('a thief adds the factor first, the address second, or the other way round', async (t, url) => {
  const world = await openWorld(t, url);
  const { db, clock } = world.services.context;
  for (const [name, first, by] of [
    ['Robin', 'factor', 'address'],
    ['Wren', 'factor', 'factor'],
    ['Finch', 'address', 'address'],
  ] as const) {
    const [own, other] = [`${name.toLowerCase()}@example.org`, `${name}-thief@example.org`];
    const { id } = await makeAccount(world.services, name);
    const thief = await signIn(world, name);
    const links: { factor?: string; address?: string } = {};
    if (first === 'address') {
      links.address = (await changeOwnEmail(world, thief, own, other))!;
      clock.advance(DAY_MS);
      await addFirstFactor(world, thief, other);
    } else {
      links.factor = await addFirstFactor(world, thief, own);
      clock.advance(DAY_MS);
      links.address = (await changeOwnEmail(world, thief, own, other))!;
    }
    const owner = await takeBack(world, links[by]!, name);
    assert.deepEqual(await factorsOf(db, id), { passkeys: [], totp: undefined, recovery_codes: 0 }, name);
    assert.equal((await accountById(db, id))!.email, own);
    assert.equal(await isSignedIn(thief), false);
    assert.equal((await thief.open(links[by]!)).status, 410, 'it works once');
    if (by === first && links.address !== undefined) assert.equal((await thief.open(links.address)).status, 410);
    assert.match((await owner.open(APP), owner.text), WAIT, 'a mailbox alone still waits a day');
  }
});

onEachDatabase('a first factor can be undone for seven days, an older one stays', async (t, url) => {
  const world = await openWorld(t, url);
  const { db, clock } = world.services.context;
  const { id } = await makeAccount(world.services, 'Robin');
  const thief = await signIn(world, 'Robin');
  const link = await addFirstFactor(world, thief, OWNER);
  clock.advance(7 * DAY_MS - 1);
  const young = (await changeOwnEmail(world, thief, OWNER, THIEF))!;
  clock.advance(1);
  assert.equal((await new Person(world.services.auth).open(link)).status, 410);
  assert.ok(await changeOwnEmail(world, thief, THIEF, 'other@example.org'), 'made when the factor is seven days old');
  await takeBack(world, young, 'Robin');
  assert.equal(await hasFactor(db, id), false, 'made when it was younger');

  clock.advance(DAY_MS);
  const owner = await signIn(world, 'Robin', NEW_PASSWORD);
  await owner.open(APP);
  await confirmByMail(world, owner, OWNER, NEW_PASSWORD);
  await setUpApp(world, owner);
  const undo = (await world.mail.next(OWNER)).links.find((one) => one.includes('/email/undo?'))!;
  await setRole(db, id, 'moderator');
  assert.equal((await owner.open(undo)).status, 410, 'no mail removes a factor of staff');
});

onEachDatabase('a first factor that is undone while the thief adds another one leaves none', async (t, url) => {
  const world = await openWorld(t, url);
  const { context, auth } = world.services;
  const { id } = await makeAccount(world.services, 'Robin');
  const thief = await signIn(world, 'Robin');
  const owner = new Person(auth);
  await owner.open(await addFirstFactor(world, thief, OWNER));
  await thief.open(APP);
  const code = totpCode(secretOn(thief), totpStep(context.clock.now()));
  await Promise.all([owner.submit(), thief.submit({ code })]);
  assert.equal(await hasFactor(context.db, id), false);
  assert.match(owner.text, /Choose a new password/);
});

/** Tries to stop a reset on the account page with a code. */
async function keep(person: Person, code: string): Promise<boolean> {
  await person.open('/account');
  await person.submit({}, '/account/factors/keep');
  assert.match(person.text, /confirm with one that you added more than seven days before/);
  await confirmByCode(person, code);
  assert.match(person.text, /Keep your second factor\?/);
  await person.submit({}, '/account/factors/keep');
  return /Your second factor stays as it is/.test(person.text);
}

onEachDatabase('a thief stops the reset neither by the newest factor nor at a new address', async (t, url) => {
  const world = await openWorld(t, url);
  const { context } = world.services;
  const { db, clock } = context;
  const { id } = await makeAccount(world.services, 'Robin');
  const ask = async (): Promise<string[]> => {
    const account = (await accountById(db, id))!;
    const reset = await startReset(db, clock.now(), id);
    assert.ok('secret' in reset);
    mailFactorReset(context, account, reset);
    await context.mail.settled();
    const sent = world.mail.unread.filter(({ links }) => links.some((link) => link.includes('/factors/keep')));
    return sent.map(({ to }) => to);
  };
  const thief = await signIn(world, 'Robin');
  await addFirstFactor(world, thief, OWNER);
  const { recovery } = await protect(world.services, id);
  clock.advance(1);
  await changeOwnEmail(world, thief, OWNER, THIEF);
  assert.deepEqual(await ask(), [OWNER], 'the address of the thief gets no link');
  assert.equal(await keep(thief, recovery[0]!), false);
  // With a second one the first is not the newest, and is too young.
  clock.advance(MINUTE_MS);
  await db.transaction((tx) =>
    insertPasskey(tx, { ...PASSKEY, account_id: id, created: clock.now(), last_used: null }),
  );
  assert.equal(await keep(thief, recovery[1]!), false);
  clock.advance(RESET_WAIT_MS);
  await applyDueResets(context.db, context.clock.now());
  assert.equal(await hasFactor(db, id), false);

  // The owner's app is older than seven days, a passkey was added since.
  const older = await protect(world.services, id);
  clock.advance(7 * DAY_MS);
  await ask();
  const owner = await signIn(world, 'Robin');
  await owner.submit({ code: older.code() }, '/second');
  assert.equal(await keep(owner, older.recovery[0]!), false, 'the only factor is the newest');
  await db.transaction((tx) =>
    insertPasskey(tx, { ...PASSKEY, account_id: id, created: clock.now(), last_used: null }),
  );
  assert.equal(await keep(owner, older.recovery[1]!), false, 'one that was added since the request changes nothing');
  clock.advance(RESET_WAIT_MS);
  await db.run(sql`delete from factor_resets`);
  await ask();
  assert.equal(await keep(owner, older.recovery[2]!), true);
  clock.advance(RESET_WAIT_MS);
  await applyDueResets(context.db, context.clock.now());
  assert.equal(await hasFactor(db, id), true);
});
