import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/sql.ts';
import { hashPassword } from '#platform/crypto/passwords.ts';
import { setPassword } from '#store/accounts/account-changes.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { confirmByCode, nextCode, protect } from './factors.ts';
import { makeAccount, PASSWORD } from './support.ts';
import { isSignedIn, openWorld, openWorldOnSqlite, signIn } from './world.ts';

const TEN_MINUTES = 10 * 60_000;
const YEAR_MS = 365 * 86_400_000;
const CONFIRM = '/account/security/confirm';

onEachDatabase('the code of a mail confirms for ten minutes, in the session that asked for it', async (t, url) => {
  const world = await openWorld(t, url);
  const { clock } = world.services.context;
  await makeAccount(world.services, 'Robin');
  const [person, other] = [await signIn(world, 'Robin'), await signIn(world, 'Robin')];
  const ask = async (): Promise<string> => {
    await person.open(CONFIRM);
    await person.submit({}, '/confirm');
    return await nextCode(world.mail, 'robin@example.org');
  };
  const late = await ask();
  assert.match(late, /^[A-Z0-9]{4}-[A-Z0-9]{4}$/, '40 bits');
  clock.advance(TEN_MINUTES);
  await confirmByCode(person, late);
  assert.match(person.text, /The password or the code is wrong/);
  const code = await ask();
  await other.open(CONFIRM);
  await other.post(CONFIRM, { password: PASSWORD, code });
  assert.match(other.text, /The password or the code is wrong/);
  clock.advance(TEN_MINUTES - 1);
  await confirmByCode(person, code);
  assert.match(person.page.url, /\/account\/security$/);
});

test('recovery codes have 80 random bits, and only hashes of them and a sealed key of the app are stored', async (t) => {
  const { services } = await openWorldOnSqlite(t);
  const { id } = await makeAccount(services, 'Robin');
  const { recovery } = await protect(services, id);
  const { recovery: others } = await protect(services, (await makeAccount(services, 'Wren')).id);
  assert.equal(new Set([...recovery, ...others]).size, 20);
  for (const code of recovery) assert.match(code, /^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/, '16 digits of 5 bits');
  const { db } = services.context;
  const stored = JSON.stringify([
    await db.all(sql`select * from recovery_codes`),
    await db.all(sql`select * from totp_secrets`),
  ]);
  for (const code of recovery)
    assert.ok(!stored.includes(code) && !stored.includes(code.replaceAll('-', '')), 'a code is stored');
  assert.doesNotMatch(stored, /"[0-9a-f]{40}"/, 'a key of an app is stored');
});

test('passwords of up to 256 characters are compared whole, as typed, and do not expire', async (t) => {
  const world = await openWorldOnSqlite(t);
  const { db, clock } = world.services.context;
  const { id } = await makeAccount(world.services, 'Robin');
  for (const wrong of [PASSWORD.toUpperCase(), PASSWORD.slice(0, -1), `${PASSWORD} `, ` ${PASSWORD}`])
    assert.equal(await isSignedIn(await signIn(world, 'Robin', wrong)), false, wrong);
  clock.advance(YEAR_MS);
  const person = await signIn(world, 'Robin');
  assert.equal(await isSignedIn(person), true);
  const long = 'Many words. '.repeat(22);
  for (const [length, isTaken] of [
    [257, false],
    [256, true],
  ] as const) {
    await person.open('/account/password');
    await person.submit({ current: PASSWORD, password: long.slice(0, length) });
    assert.equal(person.text.includes('Saved'), isTaken, `${length} characters`);
  }
  for (const length of [255, 256])
    assert.equal(await isSignedIn(await signIn(world, 'Robin', long.slice(0, length))), length === 256);
  const shorter = long.slice(0, 64);
  await setPassword(db, id, await hashPassword(shorter));
  assert.equal(await isSignedIn(await signIn(world, 'Robin', shorter)), true);
});
