import assert from 'node:assert/strict';
import { request as httpRequest, type ClientRequest } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import fc from 'fast-check';
import { MAX_REQUESTS, MAX_HELD_BYTES, ServerQuotas, WINDOW } from '#ingest/server-quotas.ts';
import type { Item } from '#events/ledger.ts';
import type { Receipt } from '#events/receipts.ts';
import { login, match, person } from '#test/support/builders.ts';
import { onEachDatabase, TestClock } from '#test/support/context.ts';
import { openIngestService } from './service.ts';

const logins = (count: number, server: string) =>
  Array.from({ length: count }, (_, number) => login(server, person(number)));

onEachDatabase('a server that sends without end does not delay another one', async (t, url) => {
  const { post, beta } = await openIngestService(t, url);
  const [size, deliveries] = [400, 30];
  let answered = 0;
  const flood = Array.from({ length: deliveries }, async () => {
    const { status, json } = await post(logins(size, 'Alpha'));
    answered++;
    assert.equal(status, 200);
    assert.ok((json as Receipt[]).every((receipt) => receipt.status === 'accepted'));
  });
  await Promise.race(flood);
  const before = answered;
  const { json } = await post(match({}, { server: 'Beta' }), { token: beta });
  assert.equal(json.status, 'accepted');
  const meanwhile = answered - before;
  assert.ok(meanwhile <= Math.ceil(WINDOW / size) + 4, `${meanwhile} of ${deliveries} came first`);
  await Promise.all(flood);
});

/**
 * Keeps `count` requests open whose bodies never end. A request that is refused, because one of the test took its place,
 * is sent again.
 * @returns aborts all of them
 */
function keepBusy(t: TestContext, origin: string, token: string, count: number): () => void {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' };
  const open = new Set<ClientRequest>();
  let isOver = false;
  const begin = (): void => {
    const request = httpRequest(`${origin}/events`, { method: 'POST', headers }).on('error', () => undefined);
    request.on('response', () => {
      request.destroy();
      open.delete(request);
      if (!isOver) begin();
    });
    request.write('{"version": 1,');
    open.add(request);
  };
  const leave = (): void => {
    isOver = true;
    for (const request of open) request.destroy();
  };
  for (let started = 0; started < count; started++) begin();
  t.after(leave);
  return leave;
}

onEachDatabase('the open requests of a server are limited, independently of other servers', async (t, url) => {
  const { origin, post, alpha, beta } = await openIngestService(t, url);
  const leave = keepBusy(t, origin, alpha, MAX_REQUESTS);
  let refused = await post(logins(1, 'Alpha'));
  for (let attempts = 0; refused.status === 200 && attempts < 100; attempts++) refused = await post(logins(1, 'Alpha'));
  assert.deepEqual([refused.status, refused.json.error, refused.headers['retry-after']], [429, 'rate_limit', '1']);
  assert.match(refused.json.error_description, /A game server may have 128 open requests at a time/);
  assert.equal((await post(logins(1, 'Beta'), { token: beta })).status, 200);
  leave();
  let again = await post(logins(1, 'Alpha'));
  for (let attempts = 0; again.status === 429 && attempts < 100; attempts++) again = await post(logins(1, 'Alpha'));
  assert.equal(again.status, 200, 'aborted requests do not count');
});

onEachDatabase('INGEST_LIMIT limits the events of a server per minute', async (t, url) => {
  const { context, post, beta } = await openIngestService(t, url, { INGEST_LIMIT: '10' });
  assert.equal((await post(logins(8, 'Alpha'))).status, 200);
  const refused = await post(logins(3, 'Alpha'));
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '60']);
  assert.equal((await post(logins(2, 'Alpha'))).status, 200);
  assert.equal((await post(logins(10, 'Beta'), { token: beta })).status, 200);
  context.clock.advance(30_000);
  assert.equal((await post(logins(1, 'Alpha'))).headers['retry-after'], '30');
  context.clock.advance(30_000);
  assert.equal((await post(logins(300, 'Alpha'))).status, 200, 'a single request above the limit is accepted');

  context.clock.advance(60_000);
  const lines = logins(300, 'Alpha').map((event) => JSON.stringify(event));
  const stream = await post(lines.join('\n'), { headers: { 'content-type': 'application/x-ndjson' } });
  const received = stream.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  assert.equal(received.filter(({ status }) => status === 'accepted').length, 128);
  assert.equal(received.at(-1)!['error'], 'rate_limit');
});

test('each server stays within its window, in order, and every request gets its turn', async () => {
  const sizes = fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 1500 })), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.infiniteStream(fc.nat()), async (deliveries, chance) => {
      const under = new Map<number, number>();
      const started = new Map<number, number[]>();
      const open: { server: number; size: number; settle: (receipts: Receipt[]) => void }[] = [];
      const accept = (items: readonly Item[]): Promise<Receipt[]> => {
        const [server, size] = [(items[0] as unknown as { server: number }).server, items.length];
        under.set(server, (under.get(server) ?? 0) + size);
        started.set(server, [...(started.get(server) ?? []), size]);
        assert.ok(under.get(server)! <= Math.max(WINDOW, size));
        const { promise, resolve } = Promise.withResolvers<Receipt[]>();
        open.push({ server, size, settle: resolve });
        return promise;
      };
      const eventQueue = { accept, isFull: false, busyMs: 0, close: async () => undefined };
      const quotas = new ServerQuotas({ eventQueue, clock: new TestClock(), perMinute: 0 });
      const all = deliveries.map(async ([server, size]) => {
        using quota = quotas.open(server);
        await quota.accept(Array.from({ length: size }, () => ({ server }) as unknown as Item));
      });
      const done = Promise.all(all);
      while (open.length > 0) {
        const [{ server, size, settle }] = open.splice((chance.next().value as number) % open.length, 1) as [
          (typeof open)[0],
        ];
        under.set(server, under.get(server)! - size);
        settle([]);
        await new Promise(setImmediate);
      }
      await done;
      for (const [server, order] of started) {
        assert.deepEqual(
          order,
          deliveries.filter(([one]) => one === server).map(([, size]) => size),
        );
      }
    }),
    { numRuns: 50 },
  );
});

test('the bytes of a server are limited and count until its requests end', () => {
  const eventQueue = { accept: async () => [], isFull: false, busyMs: 0, close: async () => undefined };
  const quotas = new ServerQuotas({ eventQueue, clock: new TestClock(), perMinute: 0 });
  {
    using one = quotas.open(1);
    using two = quotas.open(1);
    using other = quotas.open(2);
    one.hold(MAX_HELD_BYTES - 1);
    two.hold(1);
    other.hold(MAX_HELD_BYTES);
    assert.throws(() => two.hold(1), { status: 429, message: /may hold 128 MiB together/ });
  }
  using later = quotas.open(1);
  later.hold(MAX_HELD_BYTES);
});
