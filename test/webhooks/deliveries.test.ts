import assert from 'node:assert/strict';
import { WebhookVerificationError } from 'standardwebhooks';
import { moveWebhook, resendDelivery, testWebhook } from '#admin/webhooks.ts';
import { idOf } from '#platform/ids.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { sql } from '#db/sql.ts';
import { Cursors } from '#store/game/change-cursors.ts';
import { readFeed } from '#store/game/changes.ts';
import { challengeOf, rotateSecret, setPlace, turnOn } from '#store/applications/webhooks/webhooks.ts';
import { match, sendEvents, team } from '#test/support/builders.ts';
import { onEachDatabase, onSqlite } from '#test/support/context.ts';
import { type Answering, type Reply, Receiver, verify, webhookWorld } from './support.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

onEachDatabase('changes arrive signed and in their order, a match with its head', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { context } = world;
  const receiver = await Receiver.open(t);
  const { id, secret } = await world.add(receiver);
  await sendEvents(context, match());
  const key = Number((await context.db.tuple(sql`select key from matches`))![0]);
  await world.change(['player', 7], ['server', 3, 'changed'], ['map', 9, 'withdrawn']);
  await world.deliver();
  const messages = [...receiver.received];
  assert.deepEqual(receiver.take().slice(-3), ['player.created 1', 'server.changed 1', 'map.withdrawn 1']);
  for (const message of messages) {
    assert.deepEqual(verify(message, secret), message.body);
    assert.throws(() => verify({ ...message, text: `${message.text} ` }, secret), WebhookVerificationError);
    assert.ok(message.text.length < 20_000);
    assert.equal(message.headers['content-type'], 'application/json');
  }
  const first = messages.find(({ body }) => body.type === 'match.created')!;
  const last = messages.at(-1)!;
  const { match: head, ...data } = first.body.data;
  const time = '2026-03-01T12:00:00.000+00:00';
  const address = `${context.config.API_URL}/v1/matches/${idOf(key)}`;
  assert.deepEqual(data, { id: idOf(key), type: 'match.created', revision: 1, time, url: address });
  assert.equal(first.body.timestamp, '2026-03-01T12:00:00.000Z');
  const { map, win, gamemode, finished, permalink_url } = head as Record<string, unknown>;
  assert.deepEqual(
    [map, win, gamemode, finished, permalink_url],
    ['Twin Peaks', '', 'tdm', time, `${context.config.SITE_URL}/matches/${idOf(key)}`],
  );
  assert.deepEqual(
    last.body.data,
    { id: idOf(9), type: 'map.withdrawn', revision: 1, time },
    'a tombstone has its id alone',
  );
  assert.equal(new Set(messages.map(({ headers }) => headers['webhook-id'])).size, messages.length);

  const log = await world.log(id);
  assert.deepEqual(
    log.slice(0, 2).map(({ type, state, status, attempts, reason }) => ({ type, state, status, attempts, reason })),
    [
      { type: 'map.withdrawn', state: 'delivered', status: 204, attempts: 1, reason: '' },
      { type: 'server.changed', state: 'delivered', status: 204, attempts: 1, reason: '' },
    ],
  );
  await world.deliver();
  assert.deepEqual(receiver.take(), [], 'each once');
  assert.equal((await world.webhook(id)).cursor.number, (await readFeed(context.db)).head);
});

/** Three bytes for each character that a schema counts. */
const long = (length: number, end = ''): string => '場'.repeat(length - end.length) + end;

onSqlite('a message stays below 20 kB with the longest names', async (t, url) => {
  const world = await webhookWorld(t, url);
  const receiver = await Receiver.open(t);
  await world.add(receiver);
  const teams = Array.from({ length: 100 }, (_, number) => team(long(128, String(number)), number));
  await sendEvents(
    world.context,
    match(
      { map: long(128), gamemode: long(32), teams, win: '', winners: teams.map(({ name }) => name) },
      { server: long(128) },
    ),
  );
  await world.deliver();
  const { text, body } = receiver.received.find((each) => each.body.type === 'match.created')!;
  const head = body.data['match'] as Record<string, string>;
  assert.deepEqual([head['map'], head['gamemode'], head['server']], [long(128), long(32), long(128)]);
  assert.ok(Buffer.byteLength(text) < 20_000, `${Buffer.byteLength(text)} bytes`);
  assert.ok(Buffer.byteLength(text) > 3 * (128 + 32 + 128));
});

onEachDatabase('a webhook gets its kinds and all tombstones, and starts at the place of its owner', async (t, url) => {
  const world = await webhookWorld(t, url);
  const receiver = await Receiver.open(t);
  await world.change(['match', 1], ['player', 1], ['player', 2, 'erased']);
  const { id: feed, head } = await readFeed(world.context.db);
  const { id } = await world.add(receiver, { kinds: ['match'], cursor: { feed, number: 0, walk: { head } } });
  await world.deliver();
  assert.deepEqual(receiver.take(), ['match.created 1', 'player.erased 1']);
  await world.change(['map', 5, 'changed'], ['server', 1, 'withdrawn']);
  await world.deliver();
  assert.deepEqual(receiver.take(), ['server.withdrawn 1']);
  const { cursor } = await world.webhook(id);
  assert.deepEqual(cursor, { feed, number: head + 2, walk: undefined });
});

onEachDatabase('a receiver that echoes the challenge, or whose owner knows it, is verified', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { db } = world.context;
  const echoes: Record<string, (challenge: string, text: string) => Reply> = {
    'as text': (challenge) => ({ status: 200, body: challenge }),
    'as JSON': (challenge) => ({ status: 200, body: JSON.stringify({ challenge }) }),
    'as a JSON string': (challenge) => ({ status: 200, body: `${JSON.stringify(challenge)}\n` }),
  };
  for (const [name, answer] of Object.entries(echoes)) {
    const receiver = await Receiver.open(t, ({ body, text }) => answer(String(body.data['challenge']), text));
    const { id, secret } = await world.add(receiver, { unverified: true });
    await world.deliver();
    verify(receiver.received[0]!, secret);
    assert.equal((await world.webhook(id)).state, 'on', name);
    assert.deepEqual(
      (await world.log(id)).map(({ reason, response }) => [reason, response]),
      [['', '']],
    );
  }
  const others: Record<string, [why: string, (challenge: string, text: string) => Reply]> = {
    silent: ['200 empty', () => 200],
    blank: ['200 empty', () => ({ status: 200, body: ' \n' })],
    'echo of everything': ['200 no_challenge', (_, text) => ({ status: 200, body: text })],
    'another text': ['200 no_challenge', (challenge) => ({ status: 200, body: `"${challenge}x"` })],
    'a page that shows the request': ['404 ', (_, text) => ({ status: 404, body: `<h1>${text}</h1>` })],
    'a failure': ['500 ', (challenge) => ({ status: 500, body: challenge })],
    'a redirect': [
      '302 ',
      (challenge) => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: challenge }),
    ],
  };
  for (const [name, [why, answer]] of Object.entries(others)) {
    const receiver = await Receiver.open(t, ({ body, text }) => answer(String(body.data['challenge']), text));
    const { id } = await world.add(receiver, { unverified: true });
    await world.change(['match', 1, 'changed']);
    await world.deliver();
    const webhook = await world.webhook(id);
    assert.equal(webhook.state, 'unverified', name);
    assert.deepEqual(receiver.take(), ['webhook.verification'], name);
    assert.equal(challengeOf(db, webhook).length, 16);
    const [first] = await world.log(id);
    assert.deepEqual(
      [first?.type, first?.response, `${first?.status} ${first?.reason}`],
      ['webhook.verification', '', why],
      'its owner cannot read the challenge',
    );
  }
});

onSqlite('while a secret is replaced, both sign for a day', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { db, clock, config } = world.context;
  const receiver = await Receiver.open(t);
  const { id, secret: former } = await world.add(receiver);
  const { key } = await world.webhook(id);
  const secret = await rotateSecret(db, clock.now(), openSecretKey(config), key);
  assert.match(secret, /^whsec_[\w+/]{43}=$/);
  await world.change(['map', 1]);
  await world.deliver();
  for (const each of [former, secret]) verify(receiver.received[0]!, each);
  clock.advance(DAY + MINUTE);
  await world.change(['map', 2]);
  await world.deliver();
  verify(receiver.received[1]!, secret);
  assert.throws(() => verify(receiver.received[1]!, former), WebhookVerificationError);
});

const isWithin = (minutes: number, after: number, delay: number): void =>
  assert.ok(minutes - after >= delay && minutes - after <= delay * 1.2 + 1, `${minutes} after ${after}`);

const ids = (receiver: Receiver): unknown[] => receiver.received.splice(0).map(({ body }) => body.data['id']);
const refusing =
  (...numbers: number[]): Answering =>
  ({ body }) =>
    numbers.some((number) => body.data['id'] === idOf(number)) ? { status: 500, body: 'It is\0 broken.' } : 200;

onEachDatabase('a change that is refused for ever blocks nothing, and is tried twice more', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { clock } = world.context;
  const receiver = await Receiver.open(t, refusing(2));
  const { id } = await world.add(receiver);
  await world.change(...([1, 2, 3, 4] as const).map((number) => ['map', number] as ['map', number]));
  const started = clock.now();
  await world.deliver();
  assert.deepEqual(ids(receiver), [1, 2].map(idOf), 'what follows waits for its second and third attempt');
  clock.advance(6 * SECOND);
  await world.deliver();
  assert.deepEqual(ids(receiver), [idOf(2)]);
  const { state, failures, next_attempt } = await world.webhook(id);
  assert.deepEqual([state, failures, next_attempt - clock.now() >= 5 * MINUTE], ['on', 2, true]);
  const row = async () => (await world.log(id)).find(({ change }) => change === 2)!;
  assert.deepEqual([(await row()).state, (await row()).attempts], ['waiting', 2]);
  clock.advance(6 * MINUTE);
  await world.deliver();
  assert.deepEqual(ids(receiver), [2, 3, 4].map(idOf), 'the next one shows that the receiver is not down');
  assert.deepEqual(
    [(await row()).state, (await row()).attempts, (await row()).response],
    ['failed', 3, 'It is  broken.'],
  );
  const attempts = [];
  for (let minute = 0; minute < 240; minute++) {
    clock.advance(MINUTE);
    await world.deliver();
    if (ids(receiver).length > 0) attempts.push(Math.round((clock.now() - started) / MINUTE));
  }
  const [fourth = 0, fifth = 0, ...more] = attempts;
  assert.deepEqual(more, []);
  isWithin(fourth, 6, 30);
  isWithin(fifth, fourth, 120);
  assert.deepEqual([(await row()).state, (await row()).attempts, (await row()).next_attempt], ['failed', 5, null]);
  receiver.answer = () => 200;
  const { number } = await row();
  assert.equal(await world.operate(resendDelivery, id, { number }), undefined);
  await world.deliver();
  assert.deepEqual(ids(receiver), [idOf(2)], 'its owner sends it again');
  assert.equal((await row()).state, 'delivered');
});

onEachDatabase('a refused change at the end of the feed holds up none that comes later', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { clock } = world.context;
  const receiver = await Receiver.open(t, refusing(1));
  const { id } = await world.add(receiver, { kinds: ['map'] });
  await world.change(['map', 1]);
  for (const pause of [6 * SECOND, 6 * MINUTE, SECOND]) {
    await world.deliver();
    clock.advance(pause);
  }
  assert.equal(ids(receiver).length, 3);
  await world.change(['player', 9]);
  await world.deliver();
  assert.deepEqual(ids(receiver), [], 'not before its pause is over');
  await world.change(['map', 2]);
  await world.deliver();
  assert.deepEqual(ids(receiver), [idOf(2)]);
  assert.equal((await world.webhook(id)).failures, 0);
});

onSqlite('changes in a row that are refused are passed one after the other', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { clock } = world.context;
  const receiver = await Receiver.open(t, refusing(1, 2, 3));
  const { id } = await world.add(receiver);
  await world.change(['map', 1], ['map', 2], ['map', 3], ['map', 4], ['map', 5]);
  for (const pause of [6 * SECOND, 6 * MINUTE, 36 * MINUTE, 3 * HOUR, 3 * HOUR]) {
    await world.deliver();
    clock.advance(pause);
  }
  assert.deepEqual(ids(receiver), [1, 1, 1, 2, 1, 3, 1, 4, 5].map(idOf));
  assert.deepEqual(
    (await world.log(id)).map(({ state }) => state),
    ['delivered', 'delivered', 'failed', 'failed', 'failed'],
  );
});

onSqlite('a newer change of a resource ends the attempts of the older one', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { clock } = world.context;
  const receiver = await Receiver.open(t, () => 500);
  const { id } = await world.add(receiver);
  await world.change(['map', 1]);
  await world.deliver();
  await world.change(['map', 1, 'changed']);
  receiver.answer = () => 200;
  clock.advance(10 * SECOND);
  await world.deliver();
  clock.advance(DAY);
  await world.deliver();
  assert.deepEqual(receiver.take(), ['map.created 1', 'map.changed 2']);
  assert.deepEqual(
    (await world.log(id)).map(({ state, reason }) => [state, reason]),
    [
      ['delivered', ''],
      ['failed', 'replaced'],
    ],
  );
});

onEachDatabase('a receiver that is down for a day gets everything in order', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { clock } = world.context;
  const receiver = await Receiver.open(t, () => 500);
  const { id } = await world.add(receiver);
  const first = ['map', 'player', 'server'] as const;
  let changes = 0;
  const attempts: number[] = [];
  const started = clock.now();
  for (let minute = 0; minute < 24 * 60; minute += 10) {
    await world.change([first[changes % 3]!, ++changes]);
    await world.deliver();
    if (receiver.take().length > 0) attempts.push((clock.now() - started) / MINUTE);
    clock.advance(10 * MINUTE);
  }
  const pauses = attempts.slice(1).map((minute, index) => minute - attempts[index]!);
  assert.ok(Math.max(...pauses) > 110 && Math.max(...pauses) <= 160 && attempts.length < 20, pauses.join(' '));
  const waiting = await world.webhook(id);
  assert.deepEqual([waiting.state, waiting.reason, waiting.cursor.number], ['on', '', 0], 'the place stays');
  receiver.answer = () => 200;
  clock.advance(3 * HOUR);
  await world.deliver();
  assert.deepEqual(
    ids(receiver),
    Array.from({ length: changes }, (_, index) => idOf(index + 1)),
  );
  clock.advance(DAY);
  await world.deliver();
  assert.deepEqual(receiver.take(), [], 'nothing is delivered twice');
  const { failing, failures, next_attempt } = await world.webhook(id);
  assert.deepEqual([failing, failures, next_attempt], [null, 0, 0]);
  const states = new Set((await world.log(id)).map(({ state }) => state));
  assert.deepEqual([...states], ['delivered']);
});

onSqlite('a reset is never skipped', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { clock, db } = world.context;
  const receiver = await Receiver.open(t, ({ body }) => (body.type === 'feed.reset' ? 400 : 200));
  const { id } = await world.add(receiver);
  await db.run(sql`update change_feed set id = 'restored'`);
  await world.deliver();
  await world.change(['map', 1]);
  for (let hour = 0; hour < 24; hour++) {
    clock.advance(HOUR);
    await world.deliver();
  }
  assert.deepEqual(new Set(receiver.take()), new Set(['feed.reset']));
  receiver.answer = () => 200;
  clock.advance(3 * HOUR);
  await world.deliver();
  assert.deepEqual(receiver.take(), ['feed.reset', 'map.created 1']);
  assert.equal((await world.webhook(id)).state, 'on');
});

onSqlite('a test message is sent while its receiver fails', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { clock } = world.context;
  const receiver = await Receiver.open(t, ({ body }) => (body.type === 'webhook.test' ? 200 : 500));
  const { id } = await world.add(receiver);
  await world.change(['map', 1]);
  await world.deliver();
  clock.advance(SECOND);
  receiver.take();
  assert.equal(await world.operate(testWebhook, id, {}), undefined);
  await world.deliver();
  assert.deepEqual(receiver.take(), ['webhook.test', 'map.created 1']);
});

onEachDatabase('a webhook that has failed for five days is off, and its owner is told', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { clock, db } = world.context;
  const receiver = await Receiver.open(t, () => 500);
  const { id } = await world.add(receiver);
  await world.change(...Array.from({ length: 10 }, (_, index) => ['map', index + 1] as ['map', number]));
  const wait = async (hours: number): Promise<void> => {
    for (let hour = 0; hour < hours; hour++) {
      await world.deliver();
      clock.advance(HOUR);
    }
  };
  await wait(5 * 24);
  assert.equal((await world.webhook(id)).state, 'on', 'for less than five days');
  await wait(4);
  const { state, reason, cursor } = await world.webhook(id);
  assert.deepEqual([state, reason, cursor.number], ['off', 'failures', 0]);
  assert.notDeepEqual(await db.tuple(sql`select mail_due from webhooks`), [null]);
  receiver.take();
  clock.advance(DAY);
  await world.deliver();
  assert.deepEqual(receiver.take(), []);
  receiver.answer = () => 200;
  await turnOn(db, clock.now(), (await world.webhook(id)).key);
  await world.change(['map', 11]);
  await world.deliver();
  assert.deepEqual(
    ids(receiver),
    Array.from({ length: 11 }, (_, index) => idOf(index + 1)),
    'nothing is lost',
  );
});

onSqlite('a second failure after a week without a process does not switch a webhook off', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { clock } = world.context;
  const receiver = await Receiver.open(t, () => 500);
  const { id } = await world.add(receiver);
  await world.change(['map', 1]);
  for (let week = 0; week < 2; week++) {
    await world.deliver();
    clock.advance(7 * DAY);
  }
  assert.equal((await world.webhook(id)).state, 'on');
});

onSqlite('410 switches a webhook off; a busy receiver is left alone for as long as it says', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { clock } = world.context;
  const gone = await Receiver.open(t, () => 410);
  const { id: goneId } = await world.add(gone);
  const busy = await Receiver.open(t, () => ({ status: 429, headers: { 'retry-after': '3600' } }));
  const { id: busyId } = await world.add(busy);
  const until = new Date(clock.now() + 2 * HOUR).toUTCString();
  const dated = await Receiver.open(t, () => ({ status: 503, headers: { 'retry-after': until } }));
  await world.add(dated);
  const gateway = await Receiver.open(t, () => 502);
  const { id: gatewayId } = await world.add(gateway);
  await world.change(['map', 1], ['map', 2]);
  await world.deliver();
  assert.deepEqual([gone.take().length, busy.take().length, dated.take().length, gateway.take().length], [1, 1, 1, 1]);
  const { state, reason } = await world.webhook(goneId);
  assert.deepEqual([state, reason], ['off', 'gone']);
  const waiting = await world.webhook(busyId);
  assert.deepEqual([waiting.state, waiting.failures, waiting.cursor.number], ['on', 0, 0], 'no failure');
  assert.equal((await world.webhook(gatewayId)).failures, 1);
  for (const receiver of [busy, dated, gateway]) receiver.answer = () => 200;
  clock.advance(59 * MINUTE);
  await world.deliver();
  assert.deepEqual([busy.take(), dated.take()], [[], []]);
  clock.advance(2 * MINUTE);
  await world.deliver();
  assert.deepEqual([busy.take().length, dated.take().length], [2, 0]);
  clock.advance(HOUR);
  await world.deliver();
  assert.deepEqual([dated.take().length, gone.take().length], [2, 0]);
});

onEachDatabase('a webhook whose place is lost gets a reset, and goes on as its owner chose', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { db } = world.context;
  const [head, start] = [await Receiver.open(t), await Receiver.open(t)];
  await world.change(['map', 1], ['map', 2]);
  const { id: atHead } = await world.add(head);
  await world.add(start, { after_reset: 'start' });
  await db.run(sql`update change_feed set id = 'restored', floor = 1`);
  head.answer = () => 500;
  await world.deliver();
  await world.change(['map', 3]);
  await world.deliver();
  assert.deepEqual(head.take(), ['feed.reset'], 'nothing overtakes a reset');
  assert.deepEqual(start.take(), ['feed.reset', 'map.created 1', 'map.created 1', 'map.created 1']);
  head.answer = () => 200;
  world.context.clock.advance(MINUTE);
  await world.deliver();
  const [reset, change] = head.received as [(typeof head.received)[0], (typeof head.received)[0]];
  assert.deepEqual([reset.body.data, change.body.data['id']], [{ continues: 'head' }, idOf(3)]);
  const { id: feed } = await readFeed(db);
  assert.deepEqual((await world.webhook(atHead)).cursor, { feed, number: 3, walk: undefined });

  head.take();
  await world.change(['map', 4, 'withdrawn']);
  await setPlace(db, (await world.webhook(atHead)).key, { feed, number: 2 });
  await db.run(sql`update change_feed set floor = 3`);
  await world.deliver();
  assert.deepEqual(head.take(), ['feed.reset'], 'deleted tombstones behind the place');
});

onEachDatabase('two processes deliver each change once', async (t, url) => {
  let elapsed = 0;
  const monotonic = () => elapsed;
  const world = await webhookWorld(t, url, { monotonic });
  const others = [world.open(), world.open()];
  const receivers = await Promise.all(Array.from({ length: 4 }, () => Receiver.open(t)));
  for (const receiver of receivers) await world.add(receiver);
  for (let round = 0; round < 10; round++) {
    await world.change(['map', round * 3 + 1], ['map', round * 3 + 2], ['player', round + 1, 'changed']);
    elapsed += 1_000;
    await Promise.all([world.deliver(), ...others.map((each) => each.tick())]);
  }
  await Promise.all(others.map((each) => each.settled()));
  await world.deliver();
  for (const each of others) {
    await each.tick();
    await each.settled();
  }
  for (const { received } of receivers) {
    const ids = received.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual([ids.length, new Set(ids).size], [30, 30]);
  }
});

onSqlite(
  'a receiver that does not answer delays no other, and is not delivered twice when its process ends',
  async (t, url) => {
    const world = await webhookWorld(t, url);
    const { promise: blocked, resolve: release } = Promise.withResolvers<number>();
    const slow = await Receiver.open(t, () => blocked);
    const quick = await Receiver.open(t);
    for (const receiver of [slow, quick]) await world.add(receiver);
    const webhooks = world.open();
    await world.change(['map', 1]);
    await webhooks.tick();
    await world.change(['map', 2]);
    while (quick.received.length < 2) await webhooks.tick().then(() => new Promise(setImmediate));
    assert.equal(slow.received.length, 1);
    release(200);
    await webhooks.settled();
  },
);

onSqlite('only applications with access to the data API are delivered to', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { db } = world.context;
  const receiver = await Receiver.open(t);
  await world.add(receiver);
  await db.run(sql`update applications set access = 'revoked'`);
  await world.change(['map', 1]);
  await world.deliver();
  assert.deepEqual(receiver.take(), []);
  await db.run(sql`update applications set access = 'approved'`);
  await world.deliver();
  assert.deepEqual(receiver.take(), ['map.created 1']);
  await db.run(sql`update change_feed set filling = ''`);
  await world.change(['map', 2]);
  await world.deliver();
  assert.deepEqual(receiver.take(), [], 'while the feed is filled after an upgrade');
});

const timeOf = (ms: number): string => new Date(ms).toISOString();

onEachDatabase(
  'a webhook moves to places from which nothing is missing, without the attempts after them',
  async (t, url) => {
    const world = await webhookWorld(t, url);
    const { context } = world;
    const { db, clock, config } = context;
    const receiver = await Receiver.open(t, () => 500);
    const { id } = await world.add(receiver);
    const first = clock.now();
    await world.change(['map', 1]);
    clock.advance(HOUR);
    const since = clock.now();
    await world.change(['map', 2], ['map', 3]);
    await world.deliver();
    const { id: feed } = await readFeed(db);
    await db.run(sql`update change_feed set floor = 1`);
    const cursor = (number: number, walk?: { head: number }) =>
      new Cursors(openSecretKey(config)).write({ feed, number, walk });
    const move = async (to: string) => {
      return await world.operate(moveWebhook, id, { to });
    };
    for (const to of [timeOf(first), timeOf(0), cursor(0), cursor(0, { head: 0 })])
      assert.deepEqual(await move(to), { refused: 'forgotten_place' }, to);
    for (const to of [cursor(4), 'nowhere']) assert.deepEqual(await move(to), { refused: 'unknown_place' }, to);
    assert.equal((await world.webhook(id)).cursor.number, 0, 'it stays');
    for (const to of ['start', 'head', cursor(1), cursor(0, { head: 1 }), timeOf(since)])
      assert.equal(await move(to), undefined, to);
    assert.equal((await world.webhook(id)).cursor.number, 1);
    assert.deepEqual(
      (await world.log(id)).map(({ state }) => state),
      ['failed'],
      'the change comes again, and not twice',
    );
  },
);
