import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { sql } from '#db/sql.ts';
import { storeMatchPrivacy } from '#store/game/hidden-players.ts';
import { event, match, person, punishment, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite } from '#test/support/context.ts';
import { Receiver, type WebhookWorld, webhookWorld } from './support.ts';

const SECOND = 1_000;

interface Channel {
  world: WebhookWorld;
  discord: Receiver;
  id: string;
  /** The embeds of the messages since the last call. */
  embeds: () => Record<string, string>[][];
}

async function channel(t: TestContext, url: string): Promise<Channel> {
  const discord = await Receiver.open(t, () => ({ status: 200, body: '{"id":"1"}' }));
  const world = await webhookWorld(t, url, { discordOrigin: discord.origin });
  await sendEvents(world.context, match());
  const address = { form: 'discord', url: 'https://discord.com/api/webhooks/123', token: 'tok-EN_1' } as const;
  const { id } = await world.add(discord, { ...address, kinds: ['match', 'punishment'] });
  const embeds = () =>
    discord.received.splice(0).map(({ body }) => (body as unknown as { embeds: Record<string, string>[] }).embeds);
  return { world, discord, id, embeds };
}

onEachDatabase('Discord gets new matches and punishments, ten in a message, without mentions', async (t, url) => {
  const { world, discord, embeds } = await channel(t, url);
  const hostile = '@everyone **x** [a](https://evil.example) <@1>';
  const { context } = world;
  await sendEvents(
    context,
    match({ map: hostile, teams: [team('Red', 1)], win: 'Red' }),
    punishment('p1', person(1, 'Rook_a'), { type: 'BAN', reason: '<script> _ok_' }),
    ...Array.from({ length: 11 }, () => match()),
    match({}, { time: '2026-02-01T12:00:00.000Z' }),
  );
  await world.deliver();
  assert.deepEqual(
    discord.received.map(({ path, body }) => [path, (body as unknown as { embeds: unknown[] }).embeds.length]),
    [
      ['/api/webhooks/123/tok-EN_1?wait=true', 10],
      ['/api/webhooks/123/tok-EN_1?wait=true', 4],
    ],
  );
  for (const { body } of discord.received)
    assert.deepEqual((body as unknown as { allowed_mentions: unknown }).allowed_mentions, { parse: [] });
  const all = embeds().flat();
  const [first] = all;
  assert.equal(first!['title'], String.raw`\@everyone \*\*x\*\* \[a\]\(https\://evil.example\) \<\@1\>`);
  const banned = all.find(({ url: address }) => address!.includes('/punishments/'))!;
  assert.equal(banned['title'], String.raw`BAN: Rook\_a`);
  assert.equal(banned['description'], String.raw`\<script\> \_ok\_`);
  await world.deliver();
  assert.deepEqual(embeds(), []);
});

onEachDatabase('Discord and standard webhooks do not name a hidden winner', async (t, url) => {
  const { world, embeds } = await channel(t, url);
  const { db, clock } = world.context;
  const standard = await Receiver.open(t, () => ({ status: 200 }));
  await world.add(standard, { kinds: ['match'] });
  await storeMatchPrivacy(db, clock.now(), true);
  const rook = person(1, 'Rook');
  const privacy = { player: rook.uuid, profile: true, online: false, names: false };
  await sendEvents(
    world.context,
    event('player.privacy', privacy),
    match({ win: 'Rook', teams: [team('Rook', rook), team('Ada', 2), team('Cy', 3)] }),
  );
  await world.deliver();
  assert.match(embeds().flat()[0]!['description']!, /^\*\*hidden\*\* won/);
  assert.ok(standard.received.length > 0);
  assert.doesNotMatch(JSON.stringify(standard.received), /Rook/);
});

onSqlite('the limits of Discord are obeyed', async (t, url) => {
  const { world, discord, id, embeds } = await channel(t, url);
  const { clock } = world.context;
  discord.answer = () => ({ status: 429, headers: { 'retry-after': '2.5' }, body: '{"retry_after":2.5}' });
  await sendEvents(world.context, match());
  await world.deliver();
  assert.equal(embeds().length, 1);
  const { state, reason, next_attempt } = await world.webhook(id);
  assert.deepEqual([state, reason, next_attempt - clock.now()], ['on', '', 2_500]);
  const limits = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '1.2' };
  discord.answer = () => ({ status: 204, headers: limits });
  clock.advance(2_500);
  await world.deliver();
  assert.equal(embeds().length, 1);
  await sendEvents(world.context, match());
  await world.deliver();
  assert.deepEqual(embeds(), [], 'the channel is full');
  clock.advance(2 * SECOND);
  await world.deliver();
  assert.equal(embeds().length, 1);

  discord.answer = () => 500;
  clock.advance(2 * SECOND);
  await sendEvents(world.context, match());
  for (let attempt = 0; attempt < 4; attempt++) {
    await world.deliver();
    clock.advance(40 * 60 * SECOND);
  }
  assert.equal(embeds().length, 4, 'its own failures pass no message');
  clock.advance(2 * 3_600 * SECOND);
  discord.answer = () => 204;
  await world.deliver();
  assert.equal(embeds().length, 1);
});

onSqlite('an embed that Discord refuses fails alone, and a deleted channel switches off', async (t, url) => {
  const { world, discord, id, embeds } = await channel(t, url);
  discord.answer = ({ text }) => ({ status: text.includes('Poison') ? 400 : 204 });
  await sendEvents(world.context, match(), match({ map: 'Poison' }), match());
  await world.deliver();
  assert.deepEqual(
    embeds().map(({ length }) => length),
    [3, 1, 1, 1],
  );
  assert.deepEqual(
    (await world.log(id)).map(({ state, status }) => [state, status]),
    [
      ['delivered', 204],
      ['failed', 400],
      ['delivered', 204],
    ],
  );
  discord.answer = () => ({ status: 404, body: '{"code":10015}' });
  await sendEvents(world.context, match());
  await world.deliver();
  const { state, reason } = await world.webhook(id);
  assert.deepEqual([state, reason], ['off', 'gone']);
});

const ban = (id: string, name: string) => punishment(id, person(Number(id.slice(1)), name), { type: 'BAN' });

onEachDatabase('a match or punishment that changes before it is posted is posted, and once', async (t, url) => {
  const { world, embeds } = await channel(t, url);
  const { context } = world;
  await sendEvents(
    context,
    match({ map: 'Played' }),
    match({ map: 'Yesterday', started: '2026-02-28T11:50:00.000Z', finished: '2026-02-28T11:59:59.000Z' }),
    match({ map: 'Before', started: '2026-03-01T11:50:00.000Z', finished: '2026-03-01T11:59:59.000Z' }),
    ...[ban('p1', 'Rook'), ban('p2', 'Wren'), ban('p3', 'Lark')],
  );
  const rows = await context.db.all<{ kind: 'match' | 'punishment'; key: number }>(
    sql`select kind, key from changes where kind in ('match', 'punishment') order by number`,
  );
  const [, played, yesterday, before, ...bans] = rows.map(({ kind, key }) => [kind, key, 'changed'] as const);
  await world.change([...played!], [...yesterday!], [...before!], [...bans[0]!]);
  await context.db.run(sql`update punishments set revoked = 1 where key = ${bans[2]![1]}`);
  await world.change([...bans[2]!]);
  await world.deliver();
  const titles = () =>
    embeds()
      .flat()
      .map(({ title }) => title);
  assert.deepEqual(titles(), ['BAN: Wren', 'Played', 'BAN: Rook'], 'news since the webhook was added');
  await world.change([...played!], [...bans[0]!], [...bans[1]!]);
  await world.deliver();
  assert.deepEqual(titles(), [], 'posted already');
});
