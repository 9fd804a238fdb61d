import assert from 'node:assert/strict';
import type { Acting } from '#admin/operation.ts';
import { changeEmail as changeEmailByOperator } from '#admin/accounts.ts';
import { newTotpSecret } from '#platform/crypto/totp.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { type Account, accountById } from '#store/accounts/accounts.ts';
import { setRole } from '#store/accounts/account-changes.ts';
import { resetOf, startReset } from '#store/accounts/factor-resets.ts';
import { factorsOf } from '#store/accounts/factors.ts';
import { renewRecoveryCodes } from '#store/accounts/recovery-codes.ts';
import { setTotp } from '#store/accounts/totp.ts';
import { mailNotices } from '#mails/account-mails.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { protect } from './factors.ts';
import { codeOf, type Fields, post, STEVE } from './flow.ts';
import { Person } from './person.ts';
import { authorize, CALLBACK, makeAccount, makeApplication, seePlayer, send, statusWithinASecond } from './support.ts';
import { changeEmail, isSignedIn, openWorld, requestEmailChange, signIn, type World } from './world.ts';

const DAY_MS = 86_400_000;
const NEW_PASSWORD = 'a password after the theft';
const OWNER = 'steve@example.org';

const emailOf = async ({ services }: World, { id }: Account): Promise<string> =>
  (await accountById(services.context.db, id))!.email;

async function undo({ services }: World, link: string): Promise<Person> {
  const person = new Person(services.auth);
  await person.open(link);
  if (person.page.status === 200) await person.submit();
  return person;
}

onEachDatabase('the previous address undoes a change, which ends everything that a thief has', async (t, url) => {
  const world = await openWorld(t, url);
  const { services } = world;
  const account = await makeAccount(services, 'Steve');
  const owner = await signIn(world, 'Steve');
  const thief = await signIn(world, 'Steve');
  const { client_id } = (await makeApplication(services, 'web')).application;
  const code = await codeOf(services, client_id, { scope: 'openid profile' });
  assert.match((await world.mail.next(OWNER)).subject, /has access to your account/);
  const redeem = { client_id, grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
  const tokens = (await post(services, '/oauth/token', redeem)).body as Fields;

  const first = (await changeEmail(world, thief, OWNER, 'thief@example.org'))!;
  const second = (await changeEmail(world, thief, 'thief@example.org', 'other@example.org'))!;
  const pending = await requestEmailChange(world, thief, 'other@example.org', 'third@example.org');

  const reader = new Person(services.auth);
  await reader.open(first);
  assert.match(
    reader.text,
    /Undo this change\?.*The account Steve gets its previous e-mail address back: steve@example\.org/,
  );
  assert.match(reader.page.headers.get('referrer-policy')!, /^strict-origin/);
  assert.equal(await emailOf(world, account), 'other@example.org', 'opening the link changes nothing');
  await reader.post(
    '/email/undo',
    { token: new URL(first).searchParams.get('token')! },
    { origin: 'https://x.example' },
  );
  assert.equal(reader.page.status, 403);

  const restored = await undo(world, first);
  assert.equal(await emailOf(world, account), OWNER);
  assert.deepEqual([await isSignedIn(owner), await isSignedIn(thief)], [false, false]);
  assert.equal(await statusWithinASecond(services.api, tokens['access_token']!, 401), 401);
  const refresh = { client_id, grant_type: 'refresh_token', refresh_token: tokens['refresh_token']! };
  assert.equal((await post(services, '/oauth/token', refresh)).status, 400);
  assert.equal(await isSignedIn(await signIn(world, 'Steve')), false, 'the password of the thief does not work');
  assert.match((await world.mail.next('other@example.org')).subject, /was undone/);

  for (const link of [first, second, pending]) assert.equal((await undo(world, link)).page.status, 410, link);
  assert.equal(await emailOf(world, account), OWNER);

  assert.match(restored.text, /Choose a new password/);
  await restored.submit({ password: NEW_PASSWORD });
  assert.equal(await isSignedIn(await signIn(world, 'Steve', NEW_PASSWORD)), true);
});

onEachDatabase('an undone change leaves the owner only the factors and recovery codes from before', async (t, url) => {
  const world = await openWorld(t, url);
  const { context } = world.services;
  const { db, clock, config } = context;
  const account = await makeAccount(world.services, 'Steve');
  const thief = await signIn(world, 'Steve');
  const addApp = (): Promise<void> =>
    db.transaction((tx) =>
      setTotp(tx, clock.now(), openSecretKey(config), account.id, { secret: newTotpSecret(), step: 0 }),
    );
  const renew = (): Promise<string[]> => db.transaction((tx) => renewRecoveryCodes(tx, clock.now(), account.id));
  await addApp();
  await renew();
  clock.advance(1);
  const link = (await changeEmail(world, thief, OWNER, 'thief@example.org'))!;
  await renew();
  assert.ok('secret' in (await startReset(db, clock.now(), account.id)));
  await undo(world, link);
  const { totp, recovery_codes } = await factorsOf(db, account.id);
  assert.deepEqual([totp !== undefined, recovery_codes], [true, 0], 'codes that a thief may have made');
  assert.equal(await resetOf(db, account.id), undefined, 'the other address got the link that stops the reset');
});

onEachDatabase('a mail to the previous address removes no factor of staff', async (t, url) => {
  const world = await openWorld(t, url);
  const { db, clock } = world.services.context;
  const account = await makeAccount(world.services, 'Steve');
  await setRole(db, account.id, 'operator');
  const link = (await changeEmail(world, await signIn(world, 'Steve'), OWNER, 'new@example.org'))!;
  clock.advance(1);
  await protect(world.services, account.id);
  const before = await factorsOf(db, account.id);
  await (await undo(world, link)).submit({ password: NEW_PASSWORD }, '/reset');
  assert.deepEqual(await factorsOf(db, account.id), before);
  const thief = await signIn(world, 'Steve', NEW_PASSWORD);
  assert.ok(thief.page.url.endsWith('/sign-in/second'), thief.page.url);
});

onEachDatabase(
  'the holder of the previous mailbox does not get past a factor that was replaced since',
  async (t, url) => {
    const world = await openWorld(t, url);
    const { context } = world.services;
    const account = await makeAccount(world.services, 'Steve');
    await protect(world.services, account.id);
    const owner = await signIn(world, 'Steve');
    await owner.submit({ code: (await protect(world.services, account.id)).code() }, '/second');
    const link = (await changeEmail(world, owner, OWNER, 'new@example.org'))!;
    context.clock.advance(86_400_000);
    const { code } = await protect(world.services, account.id);
    await (await undo(world, link)).submit({ password: NEW_PASSWORD }, '/reset');
    const thief = await signIn(world, 'Steve', NEW_PASSWORD);
    assert.ok(thief.page.url.endsWith('/sign-in/second'), thief.page.url);
    assert.equal(await isSignedIn(thief), false);
    await thief.open('/sign-in/second');
    await thief.submit({ code: code() }, '/second');
    assert.equal(await isSignedIn(thief), true, 'the owner, with the app');
  },
);

onEachDatabase('the earliest change can be undone although the thief undoes a later one', async (t, url) => {
  const world = await openWorld(t, url);
  const account = await makeAccount(world.services, 'Steve');
  const thief = await signIn(world, 'Steve');
  const first = (await changeEmail(world, thief, OWNER, 'thief@example.org'))!;
  world.services.context.clock.advance(DAY_MS);
  const again = await signIn(world, 'Steve');
  const second = (await changeEmail(world, again, 'thief@example.org', 'other@example.org'))!;
  await undo(world, second);
  assert.equal(await emailOf(world, account), 'thief@example.org');
  world.services.context.clock.advance(6 * DAY_MS - 1);
  await undo(world, first);
  assert.equal(await emailOf(world, account), OWNER);
  assert.equal((await undo(world, second)).page.status, 410);
});

onEachDatabase(
  'a change can be undone for seven days, and not once another account has the address',
  async (t, url) => {
    const world = await openWorld(t, url);
    const account = await makeAccount(world.services, 'Steve');
    const late = (await changeEmail(world, await signIn(world, 'Steve'), OWNER, 'new@example.org'))!;
    world.services.context.clock.advance(7 * DAY_MS);
    assert.equal((await undo(world, late)).page.status, 410);
    const link = (await changeEmail(world, await signIn(world, 'Steve'), 'new@example.org', 'newer@example.org'))!;
    await makeAccount(world.services, 'new');
    const refused = await undo(world, link);
    assert.equal(refused.page.status, 409);
    assert.equal(await emailOf(world, account), 'newer@example.org');
  },
);

onEachDatabase('nobody gets a link that takes the account back from its owner', async (t, url) => {
  const world = await openWorld(t, url);
  const { context } = world.services;
  const account = await makeAccount(world.services, 'Steve');
  const person = await signIn(world, 'Steve');
  assert.ok(await changeEmail(world, person, OWNER, 'thief@example.org'));
  assert.equal(await changeEmail(world, person, 'thief@example.org', OWNER), undefined, 'the owner changes it back');

  const first = (await changeEmail(world, person, OWNER, 'thief@example.org'))!;
  const acting: Acting = { ...context, actor: { via: 'command', account_id: null, name: 'test', address: '' } };
  const stolen = (await accountById(context.db, account.id))!;
  const fields = { email: 'owner@example.org', verified: false };
  const { secret } = (await context.db.transaction((tx) =>
    changeEmailByOperator.run({ ...acting, tx }, stolen, fields, undefined as never),
  )) as {
    secret: string;
  };
  await person.open(`/verify?token=${secret}`);
  await person.submit();
  assert.equal(await emailOf(world, account), 'owner@example.org');
  assert.deepEqual((await world.mail.next('thief@example.org')).links, [], 'an operator changes it');
  assert.equal((await undo(world, first)).page.status, 410);
});

onEachDatabase('a change that is confirmed while another one is undone does not survive', async (t, url) => {
  const world = await openWorld(t, url);
  const account = await makeAccount(world.services, 'Steve');
  const thief = await signIn(world, 'Steve');
  const link = (await changeEmail(world, thief, OWNER, 'thief@example.org'))!;
  await thief.open(await requestEmailChange(world, thief, 'thief@example.org', 'other@example.org'));
  const owner = new Person(world.services.auth);
  await owner.open(link);
  await Promise.all([owner.submit(), thief.submit()]);
  assert.equal(await emailOf(world, account), OWNER);
  assert.match(owner.text, /Choose a new password/);
});

onEachDatabase('a linked game account is mailed at the event, and access when it is given', async (t, url) => {
  const world = await openWorld(t, url);
  const { services, mail } = world;
  await makeAccount(services, 'Robin');
  const person = await signIn(world, 'Robin');
  await person.open('/account/link');
  const code = /\/link ([A-Z0-9-]+)/.exec(person.text)![1]!;
  await seePlayer(services.context, STEVE);
  assert.equal((await send(services.context, 'account.link', { player: STEVE, code })).status, 'accepted');
  await Promise.all([mailNotices(services.context), mailNotices(services.context)]);
  const linked = await mail.next('robin@example.org');
  assert.match(linked.text, /The game account Steve is now linked/);

  const { client_id } = (await makeApplication(services, 'installed', ['http://127.0.0.1/callback'])).application;
  const request = (scope: string): string =>
    `${services.auth}/oauth/authorize?${new URLSearchParams({
      ...{ client_id, response_type: 'code', scope, redirect_uri: 'http://127.0.0.1/callback' },
    }).toString()}`;
  await authorize(services.auth, request('openid'), 'Steve', person);
  assert.match((await mail.next('robin@example.org')).text, /A installed app now has access/);
  await authorize(services.auth, request('openid'), 'Steve', person);
  await authorize(services.auth, request('openid email'), 'Steve', person);
  assert.match((await mail.next('robin@example.org')).text, /A installed app now has access/);
  assert.equal(mail.count, 0, 'one mail for each event');
});
