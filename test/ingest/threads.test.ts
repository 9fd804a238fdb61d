import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { systemClock } from '#platform/clock.ts';
import { type Environment, readConfig } from '#platform/config/config.ts';
import { sql } from '#db/sql.ts';
import { openAppContext } from '#context/context.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import { serverByName } from '#store/game/servers.ts';
import { openServicesInThreads } from '#server/workers.ts';
import { ask } from '#test/support/request.ts';
import { configured, login, person } from '#test/support/builders.ts';
import { onEachDatabase } from '#test/support/context.ts';

onEachDatabase('the ingest with worker threads accepts, stores and closes like the one without', async (_, url) => {
  const listens: Environment = {
    INGEST_LISTEN: '127.0.0.1:0',
    INTERNAL_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: url,
  };
  await using context = await openAppContext(readConfig(listens));
  const now = systemClock.now();
  await ingestEvents(context.db, systemClock, { kind: 'operator' }, [configured('Alpha')]);
  const token = await createServerKey(context.db, now, (await serverByName(context.db, 'Alpha'))!.key);
  const time = new Date(now).toISOString();
  const logins = Array.from({ length: 40 }, (_, number) => login('Alpha', person(number), { id: randomUUID(), time }));
  {
    await using services = await openServicesInThreads(context, ['INGEST']);
    const post = async (body: unknown, path = '/events'): Promise<[number, string]> => {
      const headers = { 'content-type': 'application/json' };
      const reply = await ask(services.addresses.INGEST!, path, {
        method: 'POST',
        token,
        body: JSON.stringify(body),
        headers,
      });
      return [reply.status, reply.text];
    };
    const [, dry] = await post(logins[0], '/events?dry_run=1');
    assert.match(dry, /"accepted"/);
    for (const [status, text] of await Promise.all(logins.map((one) => post(one)))) {
      assert.equal(status, 200);
      assert.match(text, /"status":"accepted"/);
    }
    const [, again] = await post([...logins, { id: 'odd' }]);
    const receipts = JSON.parse(again) as { id: string; status: string }[];
    assert.deepEqual(
      receipts.map(({ id, status }) => [id, status]),
      [...logins.map(({ id }) => [id, 'duplicate']), ['odd', 'rejected']],
    );
  }
  assert.deepEqual(await context.db.tuple(sql`select count(*) from player_sessions`), [40]);
});
