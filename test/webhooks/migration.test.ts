import assert from 'node:assert/strict';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';
import { sql } from '#db/sql.ts';
import { onEachEmptyDatabase } from '#test/support/context.ts';

const BEFORE = 42;
const FEED = 'feed';

interface Former {
  key: number;
  state: string;
  reason: string;
  place: number;
}

/** A message of a former log: its number is that of its change. */
interface FormerMessage {
  webhook: number;
  change: number | null;
  state: string;
  attempts: number;
  next_attempt: number | null;
  type?: string;
}

onEachEmptyDatabase(
  'an upgrade keeps what waited and failed: a receiver that was down gets it in order',
  async (t, url) => {
    const db = await openDb(url, { keyedHash: secretHash });
    t.after(() => db.close());
    await migrate(db, { upTo: BEFORE });
    await db.run(sql`update change_feed set id = ${FEED}, floor = 3`);
    await db.run(sql`
    insert into applications (key, client_id, name, type, redirect_uris, access, created)
    values (1, 'client', 'Board', 'service', '[]', 'approved', 0)`);
    const webhooks: Former[] = [
      { key: 1, state: 'waiting', reason: 'failures', place: 20 },
      { key: 2, state: 'off', reason: 'failures', place: 20 },
      { key: 3, state: 'on', reason: '', place: 20 },
      { key: 4, state: 'waiting', reason: 'slow_down', place: 20 },
      { key: 5, state: 'off', reason: 'operator', place: 20 },
    ];
    for (const { key, state, reason, place } of webhooks)
      await db.run(sql`
      insert into webhooks (key, application_key, url, form, kinds, state, reason, since, verified, feed, place, after_reset,
        sealed_secret, revision, logged, failed, attempts, failing, pauses, next_attempt, holder, held_until, created)
      values (${key}, 1, 'https://a.example/', 'standard', 'map', ${state}, ${reason}, 5, 4, ${FEED}, ${place}, 'head', 'sealed',
        1, 99, 0, 12, 6, 2, 70, '', 0, 0)`);
    const messages: FormerMessage[] = [
      ...[1, 2, 3].flatMap((webhook): FormerMessage[] => [
        { webhook, change: 2, state: 'pending', attempts: 2, next_attempt: 60 },
        { webhook, change: 11, state: 'pending', attempts: 1, next_attempt: 61 },
        { webhook, change: 12, state: 'pending', attempts: 1, next_attempt: 62 },
        { webhook, change: 13, state: 'delivered', attempts: 1, next_attempt: null },
        { webhook, change: 14, state: 'set_aside', attempts: 5, next_attempt: null },
        { webhook, change: 15, state: 'replaced', attempts: 1, next_attempt: null },
      ]),
      { webhook: 3, change: null, state: 'pending', attempts: 1, next_attempt: 63, type: 'feed.reset' },
      { webhook: 3, change: null, state: 'delivered', attempts: 1, next_attempt: null, type: 'webhook.probe' },
    ];
    for (const [number, { webhook, change, state, attempts, next_attempt, type = 'map.created' }] of messages.entries())
      await db.run(sql`
      insert into webhook_deliveries (webhook_key, number, type, kind, resource, change, state, attempts, next_attempt, created,
        reason, response)
      values (${webhook}, ${number}, ${type}, 'map', 1, ${change}, ${state}, ${attempts}, ${next_attempt}, 0, '', '')`);
    await migrate(db);
    assert.deepEqual(
      await db.tuples(
        sql`select key, state, reason, place, failures, failing, next_attempt from webhooks order by key`,
      ),
      [
        [1, 'on', '', 10, 12, 6, 70],
        [2, 'off', 'failures', 10, 0, null, 70],
        [3, 'on', '', 20, 0, null, 70],
        [4, 'on', '', 20, 0, null, 70],
        [5, 'off', 'operator', 20, 0, null, 70],
      ],
      'back to the first change that waited and that the feed still has',
    );
    const log = async (webhook: number): Promise<unknown[]> =>
      await db.tuples(sql`
      select change, state, next_attempt, reason from webhook_deliveries where webhook_key = ${webhook} order by number`);
    const others = [
      [13, 'delivered', null, ''],
      [14, 'failed', null, ''],
      [15, 'failed', null, 'replaced'],
    ];
    const again = [
      [2, 'waiting', 60, ''],
      [11, 'failed', null, 'replaced'],
      [12, 'failed', null, 'replaced'],
      ...others,
    ];
    assert.deepEqual(await log(1), again);
    assert.deepEqual(await log(2), again);
    assert.deepEqual(await log(3), [
      [2, 'waiting', 60, ''],
      [11, 'waiting', 61, ''],
      [12, 'waiting', 62, ''],
      ...others,
      [null, 'waiting', 0, ''],
    ]);
    await db.run(sql`delete from revocations`);
    await db.run(sql`update webhooks set state = 'off', reason = 'owner' where key = 3`);
    await db.run(sql`delete from webhooks where key = 4`);
    assert.deepEqual(await db.tuples(sql`select kind, subject, detail from revocations order by subject`), [
      ['webhook', '3', 'off owner'],
      ['webhook', '4', 'removed'],
    ]);
    await assert.rejects(db.run(sql`update webhooks set state = 'waiting'`));
  },
);
