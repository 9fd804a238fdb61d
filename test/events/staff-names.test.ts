import assert from 'node:assert/strict';
import { setRole, unlinkPlayer } from '#store/accounts/account-changes.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { newLinkCode } from '#store/accounts/link-codes.ts';
import { account, after, configured, event, login, person, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, testContext } from '#test/support/context.ts';

onEachDatabase('no player takes the name of an account of staff, by linking or by a rename', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'));
  const nameOf = async ({ id }: { id: string }): Promise<string> => (await accountById(db, id))!.name;
  const [olga, max, robin] = [
    await account(context, 'Olga'),
    await account(context, 'Max'),
    await account(context, 'Robin'),
  ];
  await setRole(db, olga.id, 'operator');
  await setRole(db, max.id, 'moderator');
  const code = await newLinkCode(db, clock.now(), robin.id);
  await sendEvents(
    context,
    event('account.link', { player: person(1, 'oLGA'), code }, { server: 'Alpha', time: after(0) }),
  );
  assert.deepEqual([await nameOf(olga), await nameOf(robin)], ['Olga', `oLGA-${robin.id}`], 'linking');
  const seen = async (name: string, ms: number): Promise<void> =>
    void (await sendEvents(context, login('Alpha', person(1, name), { time: after(ms) })));
  clock.advance(10_000);
  await seen('Max', 1);
  assert.deepEqual([await nameOf(max), await nameOf(robin)], ['Max', `Max-${robin.id}`], 'a rename');
  assert.ok(await unlinkPlayer(db, robin.id));
  assert.equal(await nameOf(robin), `Max-${robin.id}`, 'the suffix is not added twice');

  const again = await newLinkCode(db, clock.now() + 120_000, robin.id);
  await setRole(db, max.id, 'user');
  await sendEvents(
    context,
    event('account.link', { player: person(1, 'Max'), code: again }, { server: 'Alpha', time: after(2) }),
  );
  assert.deepEqual([await nameOf(max), await nameOf(robin)], [`Max-${max.id}`, 'Max'], 'others are displaced');

  // Staff that is linked follows its own player, and takes no name of staff either.
  const own = await newLinkCode(db, clock.now(), olga.id);
  await setRole(db, max.id, 'moderator');
  await sendEvents(
    context,
    event('account.link', { player: person(2, 'Olga'), code: own }, { server: 'Alpha', time: after(3) }),
  );
  assert.equal(await nameOf(olga), 'Olga');
  await seen('Olga', 4);
  assert.deepEqual([await nameOf(olga), await nameOf(robin)], ['Olga', `Olga-${robin.id}`]);
});
