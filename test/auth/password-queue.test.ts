import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { HttpError } from '#http/errors.ts';
import { PasswordQueue, type Requester } from '#auth/password-queue.ts';

const MAX_WAITING = 100;

interface Request {
  /** Ends the running work. */
  finish: () => void;
  disconnect: () => void;
  outcome: Promise<'done' | HttpError>;
}

/** A queue whose hashes end when the test says so. */
class TestQueue extends PasswordQueue {
  /** The names of the requests whose work has begun, in that order. */
  readonly started: string[] = [];

  send(name: string, requester: Requester, address: string): Request {
    const [work, connection] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const outcome = this.run(requester, { address, answered: connection.promise }, async () => {
      this.started.push(name);
      await work.promise;
      return 'done' as const;
    }).catch((error: HttpError) => error);
    return { finish: work.resolve, disconnect: connection.resolve, outcome };
  }

  other(name: string, address = name): Request {
    return this.send(name, 'other', address);
  }

  recognised(name: string, address = name): Request {
    return this.send(name, 'recognised', address);
  }

  /** The names of the requests that have started since the last call. */
  async newlyStarted(): Promise<string[]> {
    await setImmediate();
    return this.started.splice(0);
  }
}

async function assertRefused({ outcome }: Request): Promise<void> {
  const error = await outcome;
  assert.ok(error instanceof HttpError, `the request was ${String(error)}`);
  assert.deepEqual([error.status, error.headers['retry-after']], [503, '5']);
}

test('one other browser at a time, and recognised browsers do not wait for others', async () => {
  const queue = new TestQueue();
  const others = Array.from({ length: 10 }, (_, index) => queue.other(`10.0.0.${index}`));
  assert.deepEqual(await queue.newlyStarted(), ['10.0.0.0']);
  const known = queue.recognised('192.0.2.1');
  assert.deepEqual(await queue.newlyStarted(), ['192.0.2.1']);
  others[0]!.finish();
  assert.equal(await others[0]!.outcome, 'done');
  assert.deepEqual(await queue.newlyStarted(), ['10.0.0.1']);
  known.finish();
  assert.equal(await known.outcome, 'done');
  assert.deepEqual(await queue.newlyStarted(), [], 'the place of known people stays free');
});

test('two recognised browsers at a time, but another browser gets the next place', async () => {
  const queue = new TestQueue();
  const first = queue.recognised('192.0.2.1');
  queue.recognised('192.0.2.2');
  queue.recognised('192.0.2.3');
  queue.other('10.0.0.1');
  assert.deepEqual(await queue.newlyStarted(), ['192.0.2.1', '192.0.2.2']);
  first.finish();
  assert.deepEqual(await queue.newlyStarted(), ['10.0.0.1']);
});

test('networks take turns, and an IPv6 /48 is one network', async () => {
  const queue = new TestQueue();
  const requests = [
    'a1 2001:db8:1:1::1',
    'a2 2001:db8:1:2::1',
    'a3 2001:db8:1:ffff::1',
    'b1 2001:db8:2::1',
    'c1 10.0.0.1',
  ];
  const sent = new Map(requests.map((text) => [text.slice(0, 2), queue.other(text.slice(0, 2), text.slice(3))]));
  const order: string[] = [];
  for (let count = 0; count < requests.length; count++) {
    const [next] = await queue.newlyStarted();
    order.push(next!);
    sent.get(next!)!.finish();
  }
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3']);
});

test('recognised browsers of one network get one place', async () => {
  const queue = new TestQueue();
  const first = queue.recognised('first', '192.0.2.1');
  queue.recognised('second', '192.0.2.1');
  queue.recognised('third', '192.0.2.2');
  assert.deepEqual(await queue.newlyStarted(), ['first', 'third']);
  first.finish();
  assert.deepEqual(await queue.newlyStarted(), ['second']);
});

test('a full queue refuses the newest request of the network with the most', async () => {
  const queue = new TestQueue();
  queue.other('running', '10.0.0.1');
  const waiting = Array.from({ length: MAX_WAITING }, (_, index) => queue.other(`${index}`, '10.0.0.1'));
  await assertRefused(queue.other('one too many', '10.0.0.1'));
  const other = queue.other('other', '10.0.0.2');
  await assertRefused(waiting.pop()!);
  waiting[0]!.disconnect();
  await assertRefused(waiting[0]!);
  const admitted = queue.other('again', '10.0.0.1');
  for (const request of [other, admitted, ...waiting.slice(1)])
    assert.equal(await Promise.race([request.outcome, setImmediate('waits')]), 'waits');
  const known = queue.recognised('known', '10.0.0.1');
  known.finish();
  assert.equal(await known.outcome, 'done', 'the queue of known people has places of its own');
});

test('when each network has one request, a full queue refuses the next', async () => {
  const queue = new TestQueue();
  const running = queue.other('running', '10.0.1.1');
  for (let index = 0; index < MAX_WAITING; index++) queue.other(`10.0.0.${index}`);
  await assertRefused(queue.other('10.0.2.1'));
  running.finish();
  assert.deepEqual(await queue.newlyStarted(), ['running', '10.0.0.0']);
  const late = queue.other('10.0.2.1');
  assert.equal(await Promise.race([late.outcome, setImmediate('waits')]), 'waits');
});

test('a request whose client disconnects leaves the queue, but ends its work if that runs', async () => {
  const queue = new TestQueue();
  const running = queue.other('running', '10.0.0.1');
  const gone = queue.other('gone', '10.0.0.2');
  queue.other('next', '10.0.0.3');
  gone.disconnect();
  await assertRefused(gone);
  running.disconnect();
  assert.deepEqual(await queue.newlyStarted(), ['running']);
  running.finish();
  assert.equal(await running.outcome, 'done');
  assert.deepEqual(await queue.newlyStarted(), ['next']);
});

test('failed work frees its place', async () => {
  const queue = new PasswordQueue();
  const client = { address: '10.0.0.1', answered: new Promise<void>(() => undefined) };
  await assert.rejects(
    queue.run('other', client, () => Promise.reject(new Error('no memory'))),
    /no memory/,
  );
  assert.equal(await queue.run('other', client, () => Promise.resolve('done')), 'done');
});

test('a stop refuses waiting and new requests, and lets running work end', async () => {
  const queue = new TestQueue();
  const running = queue.other('10.0.0.1');
  const waiting = [queue.other('10.0.0.2'), queue.other('10.0.0.3'), queue.other('10.0.0.3')];
  queue.close();
  for (const request of [...waiting, queue.other('10.0.0.4'), queue.recognised('192.0.2.1')])
    await assertRefused(request);
  running.finish();
  assert.equal(await running.outcome, 'done');
  assert.deepEqual(await queue.newlyStarted(), ['10.0.0.1']);
});
