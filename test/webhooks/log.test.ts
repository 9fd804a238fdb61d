import assert from 'node:assert/strict';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { deliveryByNumber, LOG_MS, MAX_FAILED, MAX_LOGGED } from '#store/applications/webhooks/deliveries.ts';
import { purgeNow } from '#server/jobs.ts';
import { deleteApplication } from '#store/applications/applications.ts';
import { removeWebhook, webhooksOf } from '#store/applications/webhooks/webhooks.ts';
import { onEachDatabase } from '#test/support/context.ts';
import { Receiver, webhookWorld } from './support.ts';

const logged = async (db: Queryable, key: number, ...numbers: number[]): Promise<(string | undefined)[]> =>
  await Promise.all(numbers.map(async (number) => (await deliveryByNumber(db, key, number))?.state));

onEachDatabase('the log keeps what waits and what failed, whatever follows', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { context } = world;
  const { db, clock } = context;
  const receiver = await Receiver.open(t);
  const { id } = await world.add(receiver);
  const { key } = await world.webhook(id);
  await world.change(['map', 1], ['map', 2], ['map', 3]);
  await world.deliver();
  const [{ first }] = (await db.all<{ first: number }>(
    sql`select min(number) as first from webhook_deliveries where webhook_key = ${key}`,
  )) as [{ first: number }];
  const rows = [first, first + 1, first + 2] as const;
  const due = clock.now() + LOG_MS + 1;
  await db.runAll([
    sql`update webhook_deliveries set next_attempt = ${due} where webhook_key = ${key} and number = ${first}`,
    sql`update webhook_deliveries set state = 'failed' where webhook_key = ${key} and number in (${first}, ${first + 2})`,
  ]);
  // The next message is the one whose number deletes older ones.
  await db.run(sql`update webhooks set logged = ${MAX_LOGGED + 199} where key = ${key}`);
  await world.change(['map', 4]);
  await world.deliver();
  assert.deepEqual(await logged(db, key, ...rows), ['failed', undefined, 'failed']);

  clock.advance(LOG_MS - 1);
  await purgeNow(context);
  assert.deepEqual(await logged(db, key, ...rows), ['failed', undefined, 'failed']);
  clock.advance(2);
  await purgeNow(context);
  assert.deepEqual(await logged(db, key, ...rows), ['failed', undefined, undefined]);
  receiver.take();
  await world.deliver();
  assert.deepEqual(receiver.take(), ['map.created 1'], 'its attempts follow');

  await db.run(sql`
    with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number <= ${MAX_FAILED})
    insert into webhook_deliveries (webhook_key, number, type, state, attempts, created, reason, response)
    select ${key}, number + 50000, 'webhook.test', 'failed', 5, ${clock.now()}, '', '' from numbers`);
  await db.run(sql`update webhooks set logged = 99999 where key = ${key}`);
  await world.change(['map', 5]);
  await world.deliver();
  assert.deepEqual(await logged(db, key, 50_001, 50_002), [undefined, 'failed']);
});

onEachDatabase('the log of a deleted webhook is deleted in chunks', async (t, url) => {
  const world = await webhookWorld(t, url);
  const { context, app } = world;
  const { db } = context;
  const receiver = await Receiver.open(t);
  const [deleted, other, ...more] = await Promise.all(Array.from({ length: 4 }, () => world.add(receiver)));
  await world.change(['map', 1], ['map', 2]);
  await world.deliver();
  const rows = async (): Promise<number> => (await db.tuples(sql`select 1 from webhook_deliveries`)).length;
  assert.equal(await rows(), 8);
  await removeWebhook(db, (await world.webhook(deleted!.id)).key);
  assert.equal(await rows(), 8, 'not in the transaction that deletes the webhook');
  await purgeNow(context);
  assert.equal(await rows(), 6);
  assert.equal((await world.log(other!.id)).length, 2);
  await deleteApplication(db, app.client_id);
  assert.deepEqual(await webhooksOf(db, app.key), [], `${more.length} more`);
  await purgeNow(context);
  assert.equal(await rows(), 0);
});
