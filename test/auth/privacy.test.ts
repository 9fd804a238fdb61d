import assert from 'node:assert/strict';
import { unlinkPlayer } from '#store/accounts/account-changes.ts';
import { newLinkCode } from '#store/accounts/link-codes.ts';
import { listAudit } from '#store/audit/audit.ts';
import { privacyOf } from '#store/game/private-players.ts';
import { account, event, person, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { makeAccount, PASSWORD } from './support.ts';
import { openWorld, signIn } from './world.ts';

const STEVE = person(1, 'Steve');

onEachDatabase('a person chooses on the account page what others do not see', async (t, url) => {
  const world = await openWorld(t, url);
  const { context } = world.services;
  await sendEvents(context, event('player.known', { player: STEVE }));
  await makeAccount(world.services, 'Robin');
  const stranger = await signIn(world, 'Robin');
  assert.doesNotMatch((await stranger.open('/account')).html, /Private profile/, 'no game account is linked');
  await makeAccount(world.services, 'Someone', STEVE);
  const steve = await signIn(world, 'Steve', PASSWORD);
  const page = await steve.open('/account');
  assert.match(page.html, /name="profile" value="1"/);
  assert.doesNotMatch(page.html, /checked/);
  const saved = await steve.submit({ profile: '1', names: '1' }, '/account/privacy');
  assert.match(saved.html, /It holds from now on/);
  assert.equal(saved.html.match(/checked/g)?.length, 2);
  assert.deepEqual(await privacyOf(context.db, STEVE.uuid), { profile: true, online: false, names: true });
  const [entry] = await listAudit(context.db, {}, 1);
  assert.deepEqual([entry!.action, entry!.detail], ['account.privacy', { profile: true, online: false, names: true }]);
  await steve.post('/account/privacy', {});
  assert.deepEqual(await privacyOf(context.db, STEVE.uuid), { profile: false, online: false, names: false });
});

onEachDatabase('the choice belongs to the game account, whichever account links it', async (t, url) => {
  const world = await openWorld(t, url);
  const { db, clock } = world.services.context;
  const link = async (id: string) => {
    const code = await newLinkCode(db, clock.now(), id);
    await sendEvents(world.services.context, event('account.link', { player: STEVE, code }));
  };
  const first = await account(world.services.context, 'First');
  await link(first.id);
  const choice = { profile: true, online: false, names: true };
  await sendEvents(world.services.context, event('player.privacy', { player: STEVE.uuid, ...choice }));
  await unlinkPlayer(db, first.id);
  assert.deepEqual(await privacyOf(db, STEVE.uuid), choice);
  await makeAccount(world.services, 'Second', STEVE);
  const steve = await signIn(world, 'Steve', PASSWORD);
  assert.equal((await steve.open('/account')).html.match(/checked/g)?.length, 2, 'the new owner finds the choice');
  await steve.post('/account/privacy', {});
  assert.deepEqual(await privacyOf(db, STEVE.uuid), { profile: false, online: false, names: false });
});
