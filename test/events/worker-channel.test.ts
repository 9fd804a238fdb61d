import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { secretHash } from '#platform/crypto/secrets.ts';
import fc from 'fast-check';
import { Unavailable } from '#platform/errors.ts';
import { openMetrics } from '#platform/process/metrics.ts';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { prepareItem, type Item } from '#events/ingest/prepare.ts';
import { CLOSE, WorkerChannel, serveWorkerChannel } from '#events/ingest/worker-channel.ts';
import { type EventQueue, MAX_QUEUED } from '#events/ingest/event-queue.ts';
import { GroupCommitQueue } from '#events/ingest/group-commit.ts';
import type { Receipt, Sender } from '#events/ledger/receipts.ts';
import { serverByName } from '#store/game/servers.ts';
import { configured, event, login, person, sendEvents } from '#test/support/builders.ts';
import { onEachDatabase, testContext, type TestAppContext } from '#test/support/context.ts';
import { canonicalDumpOf } from './canonical-dump.ts';
import { arbitraryHistory, historyOf } from './generated-history.ts';
import { clock, ingestHistory } from './ingest-history.ts';

const OPERATOR: Sender = { kind: 'operator' };

/** A worker channel to an event queue in this same thread; its messages still pass through a port. */
function openChannel(t: TestContext, eventQueue: EventQueue): WorkerChannel {
  const { port1, port2 } = new MessageChannel();
  const served = serveWorkerChannel(port2, eventQueue).then(() => port2.close());
  t.after(async () => {
    port1.postMessage(CLOSE);
    await served;
  });
  return new WorkerChannel(port1);
}

function itemOf({ clock }: TestAppContext, input: unknown, sender = OPERATOR): Item {
  return prepareItem({ input }, sender, clock.now(), secretHash);
}

async function alpha(context: TestAppContext): Promise<Sender> {
  await sendEvents(context, configured('Alpha'));
  const { key, name } = (await serverByName(context.db, 'Alpha'))!;
  return { kind: 'server', serverKey: key, serverName: name, credential: 7 };
}

const countOf = async (db: Db): Promise<unknown> =>
  (await db.tuple(sql`select count(*) from ledger where type = 'player.login'`))![0];

onEachDatabase('events sent through the channel give the same tables as events ingested directly', async (t, url) => {
  const { db, log } = await testContext(t, url);
  const eventQueue = openChannel(t, new GroupCommitQueue({ db, clock, log, metrics: openMetrics() }));
  await fc.assert(
    fc.asyncProperty(arbitraryHistory, async (events) => {
      const straight = await ingestHistory(db, events, 2);
      const expected = await canonicalDumpOf(db);
      const receipts = await ingestHistory(db, events, 2, (items) => eventQueue.accept(items));
      assert.deepEqual(
        receipts.map(({ id, status }) => [id, status]),
        straight.map(({ id, status }) => [id, status]),
      );
      assert.deepEqual(await canonicalDumpOf(db), expected);
    }),
    { numRuns: 10 },
  );
});

const idAndStatus = ({ id, status }: Receipt): string[] => [id, status];

onEachDatabase('many events in one transaction give the same tables as one event per transaction', async (t, url) => {
  const { db } = await testContext(t, url);
  await fc.assert(
    fc.asyncProperty(historyOf(33, 80), async (events) => {
      const one = await ingestHistory(db, events, events.length);
      const expected = await canonicalDumpOf(db);
      const receipts = await ingestHistory(db, events, 1);
      assert.deepEqual(receipts.map(idAndStatus), one.map(idAndStatus));
      assert.deepEqual(await canonicalDumpOf(db), expected);
    }),
    { numRuns: 8 },
  );
});

onEachDatabase('each request gets its own receipts in order, rejections included', async (t, url) => {
  const context = await testContext(t, url);
  const sender = await alpha(context);
  const eventQueue = openChannel(t, new GroupCommitQueue(context));
  const logins = [1, 2, 3].map((number) => itemOf(context, login('Alpha', person(number)), sender));
  const nonsense = itemOf(context, { id: 'odd', type: 'nothing' }, sender);
  const [one, several, again] = await Promise.all([
    eventQueue.accept([logins[0]!]),
    eventQueue.accept([logins[1]!, nonsense, logins[2]!]),
    eventQueue.accept([logins[0]!]),
  ]);
  assert.deepEqual(
    [one, several, again].map((receipts) => receipts!.map(({ status }) => status)),
    [['accepted'], ['accepted', 'rejected', 'accepted'], ['duplicate']],
  );
  assert.equal(await countOf(context.db), 3);
  const row = await context.db.tuple(sql`select credential, body from ledger where type = 'player.login' order by key`);
  assert.deepEqual(row, [7, JSON.stringify({ player: person(1) })]);
});

onEachDatabase('a dry run returns receipts and stores nothing', async (t, url) => {
  const context = await testContext(t, url);
  const sender = await alpha(context);
  const eventQueue = openChannel(t, new GroupCommitQueue(context));
  const item = itemOf(context, login('Alpha', person(1)), sender);
  // One after the other: concurrent requests on several connections have no fixed order.
  const [tried] = await eventQueue.accept([item], { dryRun: true });
  const [accepted] = await eventQueue.accept([item]);
  assert.deepEqual([tried?.status, accepted?.status], ['accepted', 'accepted']);
  assert.equal(await countOf(context.db), 1);
});

onEachDatabase(
  'an event that could not be written is not accepted, and is accepted when sent again',
  async (t, url) => {
    const context = await testContext(t, url);
    const sender = await alpha(context);
    let isWritable = false;
    const { clock, log } = context;
    const db: Pick<Db, 'transaction'> = {
      transaction: (work) =>
        context.db.transaction(async (tx) => {
          const result = await work(tx);
          if (!isWritable) throw new Unavailable(new Error('EIO'));
          return result;
        }),
    };
    const eventQueue = openChannel(t, new GroupCommitQueue({ db: db as Db, clock, log, metrics: openMetrics() }));
    const item = itemOf(context, login('Alpha', person(1)), sender);
    await assert.rejects(eventQueue.accept([item]), Unavailable);
    assert.equal(await countOf(context.db), 0);
    isWritable = true;
    assert.equal((await eventQueue.accept([item]))[0]?.status, 'accepted');
  },
);

test('errors of the worker are rethrown to the sender', async (t) => {
  const faults = [new Unavailable(new Error('gone')), new TypeError('odd')];
  const eventQueue = openChannel(t, {
    isFull: false,
    busyMs: 0,
    accept: () => Promise.reject(faults.shift()!),
    close: async () => {},
  });
  const outage = await eventQueue.accept([]).catch((error: unknown) => error);
  assert.ok(outage instanceof Unavailable);
  assert.equal((outage.cause as Error).message, 'gone', 'the sentence of the outage is there once');
  await assert.rejects(eventQueue.accept([]), { name: 'TypeError', message: 'odd' });
});

test('the channel is full at MAX_QUEUED waiting events, and closes when none is pending', async (t) => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const eventQueue = openChannel(t, {
    isFull: false,
    busyMs: 0,
    accept: async (items) => {
      await opened;
      return Array.from(items, ({ checked }) => ('event' in checked ? { id: '', status: 'duplicate' } : checked));
    },
    close: async () => {},
  });
  const refused: Item = { sender: OPERATOR, checked: { id: 'x', status: 'rejected', place: '', reason: 'odd' } };
  const waiting = eventQueue.accept(Array.from({ length: MAX_QUEUED - 1 }, () => refused));
  assert.equal(eventQueue.isFull, false);
  const last = eventQueue.accept([refused]);
  assert.equal(eventQueue.isFull, true);
  const closed = eventQueue.close();
  open();
  await closed;
  assert.deepEqual([(await waiting).length, (await last).length, eventQueue.isFull], [MAX_QUEUED - 1, 1, false]);
});

onEachDatabase('an event queue counts busy time only while events are being written', async (t, url) => {
  const context = await testContext(t, url);
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  const eventQueue = new GroupCommitQueue(context);
  const channel = openChannel(t, {
    isFull: false,
    busyMs: 0,
    accept: async (items) => {
      const receipts = await eventQueue.accept(items);
      await held;
      return receipts;
    },
    close: async () => {},
  });
  assert.deepEqual([channel.busyMs, eventQueue.busyMs], [0, 0]);
  const accepted = channel.accept([itemOf(context, configured('Alpha'))]);
  const atFirst = channel.busyMs;
  await setImmediate();
  assert.ok(channel.busyMs > atFirst);
  go();
  await accepted;
  await eventQueue.close();
  const spent = [channel.busyMs, eventQueue.busyMs];
  assert.ok(spent.every((ms) => ms > 0));
  await setImmediate();
  assert.deepEqual([channel.busyMs, eventQueue.busyMs], spent);
});

test('timestamps, missing players and missing members pass through the channel unchanged', async (t) => {
  let received: readonly Item[] = [];
  const eventQueue = openChannel(t, {
    isFull: false,
    busyMs: 0,
    accept: async (items) => {
      received = [...items];
      return [];
    },
    close: async () => {},
  });
  const objective = { player: null, team: '', type: 'core', name: '', time: '1970-01-01T00:00:00Z' } as const;
  const red = {
    name: 'Red',
    players: [
      { ...person(1), score: -0 },
      { ...person(2), name: ' "Zwölf", \\n🂡 ' },
    ],
  };
  const blue = { name: 'Blue', players: [person(3)] };
  const items = [[red, blue], []].map((teams, number): Item => {
    const received = event(
      'match.finished',
      {
        map: 'Îsle "two"',
        gamemode: 'ctw',
        started: '1970-01-01T00:00:00Z',
        finished: '2026-02-28T18:30:00.125+09:00',
        teams,
        objectives: [objective],
      },
      { id: `match ${number}`, server: 'Alpha' },
    );
    return prepareItem({ input: received }, OPERATOR, Date.parse('2026-03-01T12:00:00Z'), secretHash);
  });
  await eventQueue.accept(items);
  assert.deepEqual(JSON.parse(JSON.stringify(received)), JSON.parse(JSON.stringify(items)));
  for (const { checked } of items) assert.ok('event' in checked);
});
