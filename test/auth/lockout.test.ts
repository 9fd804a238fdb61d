import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientNetworks } from '#http/client-address.ts';
import { sql } from '#db/sql.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { type LoadedPage, Person } from './person.ts';
import { requestFor } from './flow.ts';
import { CALLBACK, makeAccount, makeApplication, PASSWORD } from './support.ts';
import { isSignedIn, openWorld, openWorldOnSqlite, signIn, type World } from './world.ts';

const HOUR_MS = 3_600_000;
const WRONG = 'wrong wrong wrong';
const OTHER_PASSWORD = 'another horse battery';
const PROXY = { TRUSTED_PROXIES: '127.0.0.1' };

let otherBrowsers = 0;

/** A browser at another address. */
function otherBrowser({ services }: World): Person {
  return new Person(services.auth, { 'x-forwarded-for': `203.0.113.${++otherBrowsers % 250}` });
}

async function guess(world: World, login: string, password = WRONG, person = otherBrowser(world)): Promise<LoadedPage> {
  return (await signIn(world, login, password, person)).page;
}

/** Sets the counts of guesses that exist, because each guess costs a password hash. */
async function setGuesses({ services }: World, used: number): Promise<void> {
  await services.context.db.run(
    sql`update throttles set used = ${used} where used > 0 and subject like 'wrongPassword%' and subject not like 'wrongPasswordMail %'`,
  );
}

onEachDatabase('other browsers cannot lock the owner out of a browser that has signed in before', async (t, url) => {
  const world = await openWorld(t, url, PROXY);
  const account = await makeAccount(world.services, 'Robin');
  const { clock } = world.services.context;
  const owner = await signIn(world, 'Robin');
  await owner.post('/account/sign-out', {});
  assert.equal((await guess(world, 'Robin')).status, 422);
  await setGuesses(world, 19);
  assert.equal((await guess(world, account.email)).status, 422);
  assert.equal(world.mail.count, 0, 'no alert of the 20th');
  assert.equal((await guess(world, 'ROBIN')).status, 422);
  assert.match((await world.mail.next(account.email)).subject, /guessing your password/, 'the 21st, by any name');
  await setGuesses(world, 99);
  assert.match((await guess(world, 'Robin', PASSWORD)).url, /\/account$/, 'the 100th is checked');
  await setGuesses(world, 100);
  const refused = await guess(world, 'Robin', PASSWORD);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '3600']);
  assert.match(refused.html, /sign-in-link\/send/);
  await signIn(world, 'Robin', PASSWORD, owner);
  assert.match(owner.page.url, /\/account$/);
  assert.equal(world.mail.count, 0, 'one alert a day');
  clock.advance(HOUR_MS);
  assert.match((await guess(world, 'Robin', PASSWORD)).url, /\/account$/);
});

test('a known device has 20 guesses an hour and a sign-in resets the count', async (t) => {
  const world = await openWorldOnSqlite(t, PROXY);
  await makeAccount(world.services, 'Robin');
  await makeAccount(world.services, 'Wren');
  const owner = await signIn(world, 'Robin');
  await owner.post('/account/sign-out', {});
  const attempt = async (password: string): Promise<number> => (await guess(world, 'Robin', password, owner)).status;
  assert.equal(await attempt(WRONG), 422);
  await setGuesses(world, 19);
  await attempt(PASSWORD);
  assert.match(owner.page.url, /\/account$/, 'the 20th is checked');
  await owner.post('/account/sign-out', {});
  assert.equal(await attempt(WRONG), 422);
  await setGuesses(world, 20);
  assert.equal(await attempt(PASSWORD), 429, 'the 21st is not');
  assert.match((await guess(world, 'Robin', PASSWORD)).url, /\/account$/, 'other devices have another count');
  assert.match((await guess(world, 'Wren', PASSWORD, owner)).url, /\/account$/, 'and so have other accounts');
});

test('sign-ins with the right password are no guesses', async (t) => {
  const world = await openWorldOnSqlite(t, PROXY);
  await makeAccount(world.services, 'Robin');
  for (let count = 0; count < 3; count++) assert.match((await guess(world, 'Robin', PASSWORD)).url, /\/account$/);
  const rows = await world.services.context.db.all(sql`select subject from throttles where used > 0`);
  assert.deepEqual(rows, []);
});

test('an account that does not exist is treated like one that does', async (t) => {
  const world = await openWorldOnSqlite(t, PROXY);
  await makeAccount(world.services, 'Robin');
  const blocked: string[] = [];
  for (const name of ['Robin', 'Nobody']) {
    await guess(world, name);
    await setGuesses(world, 99);
    assert.equal((await guess(world, name)).status, 422);
    await setGuesses(world, 100);
    const { status, html } = await guess(world, name);
    blocked.push(`${status} ${html.replaceAll(name, '…')}`);
  }
  assert.equal(blocked[0], blocked[1]);
});

onEachDatabase('when passwords are not checked, a mailed link signs in and continues the sign-in', async (t, url) => {
  const world = await openWorld(t, url, PROXY);
  const account = await makeAccount(world.services, 'Robin');
  const { application } = await makeApplication(world.services, 'web', [CALLBACK]);
  await guess(world, 'Robin');
  await setGuesses(world, 100);
  const person = otherBrowser(world);
  await person.open(requestFor(world.services, application.client_id));
  await person.submit({ login: 'Robin', password: PASSWORD });
  assert.equal(person.page.status, 429);
  await person.submit({}, '/sign-in-link/send');
  assert.match(person.text, /Check your e‑mail.*Nothing has arrived after a minute\?/s);
  const alertOrLink = [await world.mail.next(account.email), await world.mail.next(account.email)];
  const [link] = alertOrLink.find(({ subject }) => subject.startsWith('Sign in'))!.links;
  await person.open(link!);
  assert.match(person.text, /account Robin in this browser/);
  const token = new URL(link!).searchParams.get('token')!;
  await person.submit();
  assert.match(person.page.html, /\/consent"/, 'the sign-in at the application continues');
  const again = otherBrowser(world);
  assert.equal((await again.post('/sign-in-link', { token })).status, 410, 'the link works once');
  await person.post('/account/sign-out', {});
  assert.match((await guess(world, 'Robin', PASSWORD, person)).url, /\/account$/, 'the browser is known now');
});

onEachDatabase('an account gets one link of a kind in ten minutes, and every one of them works', async (t, url) => {
  const world = await openWorld(t, url, PROXY);
  const account = await makeAccount(world.services, 'Robin');
  const { clock } = world.services.context;
  const send = (login = 'Robin'): Promise<LoadedPage> =>
    otherBrowser(world).post('/sign-in-link/send', { login, flow: '' });
  const first = await send();
  const older = (await world.mail.next(account.email)).links[0]!;
  clock.advance(599_999);
  assert.equal((await send(account.email)).html, first.html, 'the page does not tell');
  assert.equal((await send('Nobody')).html, first.html);
  clock.advance(1);
  await send();
  const newer = (await world.mail.next(account.email)).links[0]!;
  assert.notEqual(older, newer);
  assert.equal(world.mail.count, 0);
  const person = otherBrowser(world);
  await person.open(older);
  await person.submit();
  assert.equal(await isSignedIn(person), true);
  assert.equal((await person.open(newer)).status, 410, 'a used link voids the others');
});

test('a new password forgets all other devices', async (t) => {
  const world = await openWorldOnSqlite(t, PROXY);
  await makeAccount(world.services, 'Robin');
  const [intruder, owner] = [await signIn(world, 'Robin'), await signIn(world, 'Robin')];
  await owner.open('/account/password');
  await owner.submit({ password: OTHER_PASSWORD, current: PASSWORD });
  assert.equal((await guess(world, 'Robin')).status, 422);
  await setGuesses(world, 100);
  assert.equal((await guess(world, 'Robin', OTHER_PASSWORD, intruder)).status, 429);
  await owner.post('/account/sign-out', {});
  assert.match((await guess(world, 'Robin', OTHER_PASSWORD, owner)).url, /\/account$/);
});

test('a network of many addresses has one count of guesses at all accounts', async (t) => {
  const world = await openWorldOnSqlite(t, PROXY);
  await makeAccount(world.services, 'Robin');
  const at = (address: string): Person => new Person(world.services.auth, { 'x-forwarded-for': address });
  assert.equal((await guess(world, 'Nobody', WRONG, at('2001:db8:1:200::1'))).status, 422);
  await setGuesses(world, 119);
  await world.services.context.db.run(sql`delete from throttles where subject not like '%/%'`);
  assert.equal((await guess(world, 'Robin', WRONG, at('2001:db8:1:2ff::1'))).status, 422, 'the 120th of a /56');
  assert.equal((await guess(world, 'Robin', PASSWORD, at('2001:db8:1:2aa::1'))).status, 429);
  assert.match((await guess(world, 'Robin', PASSWORD, at('2001:db8:1:300::1'))).url, /\/account$/);
});

const names = (address: string): string[] => clientNetworks(address).map(({ name }) => name);

test('an address belongs to the networks that one household may have', () => {
  assert.deepEqual(clientNetworks('203.0.113.9'), [{ name: '203.0.113.9', factor: 1 }]);
  assert.deepEqual(names('2001:db8:1:2345::6'), ['2001:db8:1:2345', '2001:db8:1:23/56', '2001:db8:1/48']);
  assert.deepEqual(names('2001:db8::6'), ['2001:db8:0:0', '2001:db8:0:0/56', '2001:db8:0/48']);
});
