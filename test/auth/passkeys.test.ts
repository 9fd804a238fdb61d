import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/sql.ts';
import { factorsOf } from '#store/accounts/factors.ts';
import { insertPasskey } from '#store/accounts/passkeys.ts';
import { onEachDatabase, onSqlite } from '#test/support/context.ts';
import { SoftwareAuthenticator } from '#test/support/software-authenticator.ts';
import { Person } from './person.ts';
import { makeAccount } from './support.ts';
import { isSignedIn, openWorldOnSqlite, openWorldWithDomain, signIn, type World } from './world.ts';

const TEN_MINUTES = 10 * 60_000;
const ADD = '/account/security/passkeys/add';
const CONFIRM = '/account/security/confirm';

/** Sets whether the person has proved in all sessions to own the account. */
async function setProved({ services: { context } }: World, isProved: boolean): Promise<void> {
  await context.db.run(sql`update account_sessions set proved = ${isProved ? context.clock.now() : null}`);
}

async function addPasskey(world: World, person: Person, device: SoftwareAuthenticator, name: string): Promise<string> {
  await setProved(world, true);
  await person.open(ADD);
  const credential = device.answer(person.page.html);
  await person.post(ADD, { name, credential });
  return credential;
}

onEachDatabase('an answer of an authenticator counts once, for its challenge, origin and account', async (t, url) => {
  const world = await openWorldWithDomain(t, url);
  const { context, auth } = world.services;
  const robin = await makeAccount(world.services, 'Robin');
  await makeAccount(world.services, 'Wren');
  const [person, other] = [await signIn(world, 'Robin'), await signIn(world, 'Wren')];
  const [device, otherDevice] = [new SoftwareAuthenticator(auth), new SoftwareAuthenticator(auth)];
  const credential = await addPasskey(world, person, device, 'Phone');
  assert.match(person.text, /The passkey is added.*Keep these codes/);
  const [phone] = (await factorsOf(context.db, robin.id)).passkeys;
  await person.post(ADD, { name: 'Again', credential });
  assert.match(person.page.url, /\/account\/security\?done=passkey_added$/, 'the page with the codes, loaded again');
  assert.deepEqual((await factorsOf(context.db, robin.id)).passkeys, [phone], 'the same answer again');
  await setProved(world, true);
  await other.post(ADD, { name: 'Stolen', credential });
  assert.match(other.text, /This passkey did not work/, 'the answer of another account');
  await addPasskey(world, other, otherDevice, 'Phone of Wren');
  await setProved(world, false);

  const confirm = async (answer: (html: string) => string, asks = person): Promise<boolean> => {
    await asks.open(CONFIRM);
    const answered = answer(asks.page.html);
    const session = asks.cookie('scorehall_session');
    await asks.post(CONFIRM, { credential: answered });
    const isConfirmed = asks.page.url.endsWith('/account/security');
    assert.equal(asks.cookie('scorehall_session') !== session, isConfirmed, 'a proof gives the session a new id');
    await setProved(world, false);
    if (isConfirmed)
      assert.equal((await asks.post(CONFIRM, { credential: answered })).status, 422, 'the same answer again');
    return isConfirmed;
  };
  const changed = (change: (page: string) => string) => (page: string) => device.answer(change(page));
  const right = (page: string): string => device.answer(page);
  assert.equal(await confirm(right), true);
  const ofOther = (await other.open(CONFIRM)).html;
  assert.equal(await confirm((page) => otherDevice.answer(page)), false, 'a passkey of another account');
  assert.equal(
    await confirm(changed((page) => page.replace(/(challenge&quot;:&quot;)[\w-]+/, `$1${'A'.repeat(43)}`))),
    false,
  );
  const challengeOfOther = /challenge&quot;:&quot;([\w-]+)/.exec(ofOther)![1]!;
  const stolen = changed((page) => page.replace(/(challenge&quot;:&quot;)[\w-]+/, `$1${challengeOfOther}`));
  assert.equal(await confirm(stolen), false, 'a challenge for another account');
  device.origin = 'https://evil.example';
  assert.equal(await confirm(right), false, 'a page of another site');
  device.origin = auth;
  device.counter = 7;
  assert.equal(await confirm(right), true);
  assert.equal(await confirm(right), false, 'a counter that has not grown');
  device.counter = 8;
  const late = (page: string): string => {
    context.clock.advance(TEN_MINUTES);
    return device.answer(page);
  };
  assert.equal(await confirm(late), false, 'a challenge older than ten minutes');
  assert.equal(await confirm(right), true);
  const [{ last_used } = { last_used: null }] = (await factorsOf(context.db, robin.id)).passkeys;
  assert.equal(last_used, context.clock.now());
});

const challengeIn = (html: string): string => /challenge&quot;:&quot;([\w-]+)/.exec(html)![1]!;

onEachDatabase('an answer with members of a wrong type is refused or read, and never an error', async (t, url) => {
  const world = await openWorldWithDomain(t, url);
  const { context, auth } = world.services;
  const robin = await makeAccount(world.services, 'Robin');
  const person = await signIn(world, 'Robin');
  const device = new SoftwareAuthenticator(auth);
  /** The answer of a browser that sends the bytes of the challenge in the place of its text. */
  const options = (html: string) => ({
    challenge: [...Buffer.from(challengeIn(html), 'base64url')] as unknown as string,
    rp: { id: new URL(auth).hostname },
    rpId: new URL(auth).hostname,
    user: { id: Buffer.from(robin.id).toString('base64url') },
  });
  const add = async (credential: object): Promise<number> => {
    await setProved(world, true);
    const { status } = await person.post(ADD, { name: 'Phone', credential: JSON.stringify(credential) });
    return status;
  };
  await setProved(world, true);
  await person.open(ADD);
  assert.equal(await add(device.create(options(person.page.html))), 422);
  for (const transports of [5, {}, 'usb', [null, 5]]) {
    await person.open(ADD);
    const challenge = challengeIn(person.page.html);
    const created = device.create({ ...options(person.page.html), challenge }) as { response: object };
    assert.equal(
      await add({ ...created, response: { ...created.response, transports } }),
      200,
      JSON.stringify(transports),
    );
  }
  assert.equal((await factorsOf(context.db, robin.id)).passkeys.length, 4);
  await setProved(world, false);
  await person.open(CONFIRM);
  const credential = JSON.stringify(device.use(options(person.page.html)));
  assert.equal((await person.post(CONFIRM, { credential })).status, 422);
});

onSqlite('no neighbours in its network keep a passkey out, and its answer counts in one session', async (t, url) => {
  const world = await openWorldWithDomain(t, url);
  const { context, auth } = world.services;
  await makeAccount(world.services, 'Robin');
  const person = await signIn(world, 'Robin');
  const device = new SoftwareAuthenticator(auth);
  await addPasskey(world, person, device, 'Phone');
  const elsewhere = new Person(auth);
  const signInByPasskey = async (answer: (html: string) => string): Promise<number> => {
    await elsewhere.open('/sign-in');
    return (await elsewhere.post('/sign-in/passkey', { credential: answer(elsewhere.page.html) })).status;
  };
  assert.equal(await signInByPasskey(() => '{}'), 422);
  await context.db.run(sql`update throttles set used = 1000 where subject like 'wrongPassword%'`);
  assert.equal(
    await signInByPasskey(() => '{}'),
    429,
    'refused ones have a limit, as each is an entry of the audit log',
  );
  await signInByPasskey((html) => device.answer(html));
  assert.equal(await isSignedIn(elsewhere), true);

  await setProved(world, false);
  const asked = (await person.open(CONFIRM)).html;
  await elsewhere.post(CONFIRM, { credential: device.answer(asked) });
  assert.match(elsewhere.text, /This passkey did not work/);
  await setProved(world, true);
  const adding = (await person.open(ADD)).html;
  await elsewhere.post(ADD, { name: 'Other', credential: new SoftwareAuthenticator(auth).answer(adding) });
  assert.match(elsewhere.text, /This passkey did not work/);
});

test('under an address whose host is no domain, the pages say so and offer no passkey', async (t) => {
  const world = await openWorldOnSqlite(t);
  const { context } = world.services;
  const { id: account_id } = await makeAccount(world.services, 'Robin');
  const person = await signIn(world, 'Robin');
  await person.open('/account/security');
  assert.match(person.text, /Passkeys do not work under this address/);
  assert.doesNotMatch(person.page.html, /passkeys\/add/);
  await setProved(world, true);
  assert.match((await person.open(ADD)).url, /\/account\/security$/);
  await setProved(world, false);
  const key = { id: 'cGhvbmU', public_key: 'AA', counter: 0, transports: [], backed_up: false, user_verified: true };
  await insertPasskey(context.db, { ...key, account_id, name: 'Phone', created: 0, last_used: null });
  await person.open(CONFIRM);
  assert.doesNotMatch(person.page.html, /data-passkey/);
  assert.match(person.text, /Recovery code/);
});
