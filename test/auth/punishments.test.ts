import assert from 'node:assert/strict';
import { pardon, person, punishment, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { makeAccount } from './support.ts';
import { openWorld, signIn } from './world.ts';

const STEVE = person(1, 'Steve');

onEachDatabase('the account page lists the punishments in force and how to object', async (t, url) => {
  const world = await openWorld(t, url, { CONTACT: 'help@example.org', APPEAL_URL: 'https://example.org/appeals' });
  const { context } = world.services;
  await makeAccount(world.services, 'Someone', STEVE);
  const time = new Date(context.clock.now()).toISOString();
  const expires = new Date(context.clock.now() + 60_000).toISOString();
  const reader = await signIn(world, 'Steve');
  assert.doesNotMatch((await reader.open('/account')).html, /Punishments in force/);

  const punisher = person(2, 'Moderator');
  const ban = { punisher, type: 'BAN', reason: 'Griefing <b>' };
  const [id, temporary] = await sendEvents(
    context,
    punishment('1', STEVE, ban, { id: 'ban', server: 'Lobby', time }),
    punishment('2', STEVE, { type: 'jail', reason: 'Spam', expires }, { id: 'jail', time }),
    punishment('3', STEVE, { type: 'mute', reason: 'Revoked' }, { id: 'mute', time }),
    pardon('3', { id: 'pardon', time }),
    punishment('4', person(3), { type: 'ban', reason: 'Of another' }, { id: 'other', time }),
  );
  const { html } = await reader.open('/account');
  assert.match(html, /<bdi>Ban<\/bdi>[^]*Griefing &lt;b&gt;[^]*permanent · <bdi>by Lobby</);
  assert.match(html, new RegExp(`href="${context.config.SITE_URL}/punishments/${id}">Punishment ${id}<`));
  assert.match(html, new RegExp(`<bdi>jail</bdi>[^]*Spam[^]*until [^]*by the network[^]*${temporary}`));
  assert.match(html, /To object to a punishment: <a href="https:\/\/example\.org\/appeals">/);
  assert.doesNotMatch(html, /Moderator|Revoked|Of another/);
  assert.match((await reader.open('/account?lang=ja')).html, /有効な処分[^]*無期限 · <bdi>サーバー：Lobby/);
  context.clock.advance(60_000);
  assert.doesNotMatch((await reader.open('/account')).html, /Spam/);
});
