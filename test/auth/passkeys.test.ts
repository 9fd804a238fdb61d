import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { factorsOf } from '#store/accounts/factors.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { SoftwareAuthenticator } from '#test/support/software-authenticator.ts';
import type { Person } from './person.ts';
import { makeAccount } from './support.ts';
import { openWorld, signIn, type World } from './world.ts';

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
  const world = await openWorld(t, url);
  const { context, auth } = world.services;
  const robin = await makeAccount(world.services, 'Robin');
  await makeAccount(world.services, 'Wren');
  const [person, other] = [await signIn(world, 'Robin'), await signIn(world, 'Wren')];
  const [device, otherDevice] = [new SoftwareAuthenticator(auth), new SoftwareAuthenticator(auth)];
  const credential = await addPasskey(world, person, device, 'Phone');
  assert.match(person.text, /The passkey is added.*Keep these codes/);
  await person.post(ADD, { name: 'Again', credential });
  assert.match(person.text, /This passkey did not work/, 'the same answer again');
  await addPasskey(world, other, otherDevice, 'Phone of Wren');
  assert.equal((await factorsOf(context.db, robin.id)).passkeys.length, 1);
  await setProved(world, false);

  const confirm = async (answer: (html: string) => string, asks = person): Promise<boolean> => {
    await asks.open(CONFIRM);
    const answered = answer(asks.page.html);
    await asks.post(CONFIRM, { credential: answered });
    const isConfirmed = asks.page.url.endsWith('/account/security');
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
