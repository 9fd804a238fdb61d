import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretHash } from '#platform/crypto/secrets.ts';
import { Unavailable } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import { prepareItem, type Item } from '#events/ingest/prepare.ts';
import { openMetrics } from '#platform/process/metrics.ts';
import { MAX_GROUP_WEIGHT } from '#events/ingest/event-queue.ts';
import { GroupCommitQueue } from '#events/ingest/group-commit.ts';
import type { Sender } from '#events/ledger/receipts.ts';
import { serverByName } from '#store/game/servers.ts';
import { configured, login, person, sendEvents } from '#test/support/builders.ts';
import { createTestDatabase, onEachDatabase, testContext } from '#test/support/context.ts';
import { DatabaseProxy } from '#test/support/database-proxy.ts';

const ones = (count: number): number[] => Array.from({ length: count }, () => 1);

onEachDatabase(
  'waiting requests are committed together, whole ones, up to the limits of a transaction',
  async (t, url) => {
    const context = await testContext(t, url);
    const { clock, log } = context;
    await sendEvents(context, configured('Alpha'));
    let transactions = 0;
    const db: Pick<Db, 'transaction'> = {
      transaction(work) {
        transactions++;
        return context.db.transaction(work);
      },
    };
    const eventQueue = new GroupCommitQueue({ db: db as Db, clock, log, metrics: openMetrics() });
    let number = 0;
    const itemOf = (weight?: number): Item => {
      const sender = { kind: 'operator' } as const;
      const { checked } = prepareItem({ input: login('Alpha', person(++number)) }, sender, clock.now(), secretHash);
      return { sender, checked: weight === undefined || !('event' in checked) ? checked : { ...checked, weight } };
    };
    /** Enqueues requests together and returns the number of transactions. */
    const stored = async (requested: Item[][]): Promise<number> => {
      const before = transactions;
      const requests = requested.map((items) => eventQueue.accept(items));
      const receipts = (await Promise.all(requests)).flat();
      assert.ok(receipts.every(({ status }) => status === 'accepted'));
      return transactions - before;
    };
    const accepted = (...sizes: number[]): Promise<number> =>
      stored(sizes.map((size) => Array.from({ length: size }, () => itemOf())));
    const acceptedWeights = (...weights: number[]): Promise<number> =>
      stored(weights.map((weight) => [itemOf(weight)]));
    assert.equal(await accepted(...ones(65)), 1);
    assert.equal(await accepted(...ones(256)), 1);
    assert.equal(await accepted(...ones(257)), 2);
    assert.equal(await accepted(60), 1);
    assert.equal(await accepted(1, 60), 1);
    assert.equal(await accepted(200, 200, 1), 2);
    assert.equal(await acceptedWeights(MAX_GROUP_WEIGHT / 2, MAX_GROUP_WEIGHT / 2), 1);
    assert.equal(await acceptedWeights(MAX_GROUP_WEIGHT / 2, MAX_GROUP_WEIGHT / 2, 1), 2);
    assert.equal(await acceptedWeights(MAX_GROUP_WEIGHT / 2, MAX_GROUP_WEIGHT / 2 + 1, 1), 2);
    assert.equal(await acceptedWeights(1, 3 * MAX_GROUP_WEIGHT, 1), 3, 'a heavier request is a transaction of its own');
  },
);

onEachDatabase('a server gets its receipt before those of another one that sent heavier requests', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, configured('Alpha'), configured('Beta'));
  const eventQueue = new GroupCommitQueue(context);
  const answered: string[] = [];
  const senderOf = async (serverName: string): Promise<Sender> => {
    const { key } = (await serverByName(context.db, serverName))!;
    return { kind: 'server', serverKey: key, serverName, credential: 1 };
  };
  const [alpha, beta] = [await senderOf('Alpha'), await senderOf('Beta')];
  const accept = async (name: string, sender: Sender, number: number, weight: number): Promise<void> => {
    const { checked } = prepareItem({ input: login(name, person(number)) }, sender, context.clock.now(), secretHash);
    assert.ok('event' in checked);
    const [receipt] = await eventQueue.accept([{ sender, checked: { ...checked, weight } }]);
    answered.push(`${name}: ${receipt!.status}`);
  };
  await Promise.all([
    accept('Alpha', alpha, 1, MAX_GROUP_WEIGHT),
    accept('Alpha', alpha, 2, MAX_GROUP_WEIGHT),
    accept('Beta', beta, 3, 4),
  ]);
  assert.deepEqual(answered, ['Beta: accepted', 'Alpha: accepted', 'Alpha: accepted']);
});

test('an event whose commit is not answered is unavailable, and its repetition a duplicate', async (t) => {
  const database = await createTestDatabase('postgres');
  const proxy = await DatabaseProxy.open(database.url);
  const context = await testContext(t, proxy.url, { DATABASE_TIMEOUT: '1s' });
  t.after(() => proxy.close());
  t.after(() => database.drop());
  const { db, clock, log } = context;
  await sendEvents(context, configured('Alpha'));
  let silence = (): void => proxy.silenceAnswers();
  const silenced: Pick<Db, 'transaction'> = {
    transaction: (work) => db.transaction((tx) => work(tx).finally(() => silence())),
  };
  const eventQueue = new GroupCommitQueue({ db: silenced as Db, clock, log, metrics: openMetrics() });
  const sender = { kind: 'operator' } as const;
  const items = [prepareItem({ input: login('Alpha', person(1)) }, sender, clock.now(), secretHash)];
  await assert.rejects(eventQueue.accept(items), Unavailable);
  silence = () => undefined;
  assert.deepEqual(
    (await eventQueue.accept(items)).map(({ status }) => status),
    ['duplicate'],
  );
});
