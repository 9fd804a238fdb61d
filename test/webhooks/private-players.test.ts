import assert from 'node:assert/strict';
import { configured, event, login, match, person, presence, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { Receiver, webhookWorld } from './support.ts';

const QUIET = person(1, 'Quillback');

onEachDatabase('a webhook tells that a player was made private, and nothing about the player', async (t, url) => {
  const [receiver, discord] = [await Receiver.open(t), await Receiver.open(t, () => ({ status: 200, body: '{}' }))];
  const world = await webhookWorld(t, url, { discordOrigin: discord.origin });
  const { context } = world;
  await sendEvents(
    context,
    configured('Alpha'),
    login('Alpha', QUIET),
    match({ teams: [team('Red', QUIET)] }),
    presence('Alpha', { current: 1, players: [QUIET.name] }),
  );
  await world.add(receiver);
  const address = { form: 'discord', url: 'https://discord.com/api/webhooks/123', token: 'tok-EN_1' } as const;
  await world.add(discord, address);
  const steps = [
    [{ profile: true }, ['player.changed']],
    [{ profile: true, online: true, names: true }, ['player.changed', 'server.changed']],
    [{}, ['player.changed']],
  ] as const;
  for (const [switches, types] of steps) {
    const choice = { player: QUIET.uuid, profile: false, online: false, names: false, ...switches };
    await sendEvents(context, event('player.privacy', choice));
    await world.deliver();
    const messages = receiver.received.splice(0);
    assert.deepEqual(messages.map(({ body }) => body.type).toSorted(), types);
    for (const { body, text } of messages) {
      assert.deepEqual(Object.keys(body.data).toSorted(), ['id', 'revision', 'time', 'type', 'url']);
      assert.doesNotMatch(text, /Quillback|0{11}1"/);
    }
  }
  assert.deepEqual(discord.received, [], 'no news for a channel');
});
