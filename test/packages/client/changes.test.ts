import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import {
  type Change,
  type ClientOptions,
  type FollowedChange,
  type FollowOptions,
  type MirrorPage,
  type MirrorStore,
  ResetError,
  Scorehall,
} from '#client/index.ts';
import { listen } from './listen.ts';

const change = (number: number, facts: Partial<Change> = {}): Change =>
  ({ id: `m${number}`, type: 'match.created', revision: 1, time: '2026-03-01T12:00:00.000Z', ...facts }) as Change;

const RESET = { error: 'cursor_gone', error_description: 'Begin again.', reason: 'expired', reset: true };

type Respond = (url: URL, response: ServerResponse) => void;

/** A stream that the client has requested, and the test writes. */
interface Stream {
  url: URL;
  response: ServerResponse;
  closed: Promise<unknown>;
}

/** A feed of which the cursors are the numbers of the changes. It gives faults that no running service gives when a test wants them. */
class FakeFeed {
  readonly changes: Change[] = [];
  readonly requests: string[] = [];
  /** Answers before the usual ones, by path. */
  readonly answers: Respond[] = [];
  refuseStream: ((response: ServerResponse) => void) | undefined;
  pageSize = 2;
  #streams: Stream[] = [];
  #wanted: ((stream: Stream) => void)[] = [];

  async open(t: TestContext, options: Partial<ClientOptions> = {}): Promise<Scorehall> {
    const baseUrl = await listen(t, (request, response) => {
      const url = new URL(request.url!, 'http://x');
      this.requests.push(request.url!.replace('/v1/', ''));
      const answer = this.answers.shift();
      if (answer !== undefined) answer(url, response);
      else if (url.pathname.endsWith('/stream')) this.#stream(url, response);
      else this.#page(url, response);
    });
    return new Scorehall({ baseUrl, token: 'x', retries: 0, ...options });
  }

  #page(url: URL, response: ServerResponse): void {
    const after = Number(url.searchParams.get('after'));
    const end = Math.min(after + this.pageSize, this.changes.length);
    const isExpanded = url.searchParams.get('expand') === '1';
    const changes = this.changes.slice(after, end).map((each) => ({
      ...each,
      ...(isExpanded && !/withdrawn|merged|erased/.test(each.type) && { resource: { id: each.id } }),
    }));
    response.end(JSON.stringify({ changes, cursor: String(end), more: end < this.changes.length }));
  }

  #stream(url: URL, response: ServerResponse): void {
    if (this.refuseStream !== undefined) return this.refuseStream(response);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    const closed = new Promise((resolve) => response.on('close', resolve));
    const stream = { url, response, closed };
    const wanted = this.#wanted.shift();
    if (wanted === undefined) this.#streams.push(stream);
    else wanted(stream);
  }

  /** The next stream that the client requests. */
  async stream(): Promise<Stream> {
    return this.#streams.shift() ?? (await new Promise((resolve) => this.#wanted.push(resolve)));
  }

  /** Adds a change and writes it into a stream. */
  push({ response }: Stream, each: Change): void {
    this.changes.push(each);
    response.write(`id: ${this.changes.length}\nevent: change\ndata: ${JSON.stringify(each)}\n\n`);
  }
}

const briefly = ({ id, cursor }: FollowedChange): string => `${id}@${cursor}`;

/** Follows, and gives the next changes by `next(count)`. */
function following(t: TestContext, client: Scorehall, after?: string, options: FollowOptions = {}) {
  const stop = new AbortController();
  t.after(() => stop.abort());
  const changes = client.changes.follow(after, { pollMs: 5, signal: stop.signal, ...options });
  const next = async (count: number): Promise<string[]> => {
    const found: string[] = [];
    while (found.length < count) {
      const { value } = await changes.next();
      found.push(briefly(value!));
    }
    return found;
  };
  return { changes, next, stop };
}

test('a follower reads pages to the end and then the stream, over cuts, and continues from each cursor', async (t) => {
  const feed = new FakeFeed();
  const client = await feed.open(t);
  feed.changes.push(change(1), change(2), change(3));
  const { changes, next } = following(t, client, undefined, { types: ['match', 'player'] });
  assert.deepEqual(await next(3), ['m1@0', 'm2@2', 'm3@3'], 'an item within a page has the cursor before the page');
  const one = next(1);
  const first = await feed.stream();
  assert.equal(first.url.search, '?after=3&types=match%2Cplayer');
  const item = Buffer.from(`: alive\n\nid: 4\nevent: change\ndata: ${JSON.stringify(change(4, { id: '鹿' }))}\n\n`);
  feed.changes.push(change(4));
  first.response.write(item.subarray(0, item.length - 30));
  setImmediate(() => first.response.write(item.subarray(item.length - 30)));
  assert.deepEqual(await one, ['鹿@4']);

  const two = next(1);
  first.response.destroy();
  const second = await feed.stream();
  assert.equal(second.url.searchParams.get('after'), '4');
  feed.push(second, change(5));
  assert.deepEqual(await two, ['m5@5']);

  const three = next(1);
  second.response.end('event: unauthorized\ndata: {}\n\n');
  const third = await feed.stream();
  assert.equal(third.url.searchParams.get('after'), '5');
  feed.changes.push(change(6), change(7), change(8));
  third.response.end('event: too_slow\ndata: {}\n\n');
  assert.deepEqual(await three, ['m6@5'], 'a slow reader reads pages');
  assert.deepEqual(await next(2), ['m7@7', 'm8@8']);

  const last = next(1);
  const fourth = await feed.stream();
  feed.push(fourth, change(9));
  await last;
  await changes.return();
  await fourth.closed;
  assert.deepEqual(
    feed.requests.filter((request) => !request.includes('stream')),
    [0, 2, 5, 7].map((after) => `changes?after=${after}&types=match%2Cplayer&limit=1000`),
    'pages are requested at the beginning and after too_slow alone',
  );
});

test('a follower polls if the stream is refused, and waits for the end of an outage', async (t) => {
  const refusals: [string, (response: ServerResponse) => void][] = [
    ['404', (response) => response.writeHead(404).end()],
    ['too many', (response) => response.writeHead(429, { 'retry-after': '3600' }).end()],
    ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Proxy</h1>')],
    ['silence', () => undefined],
  ];
  for (const [name, refuse] of refusals) {
    const feed = new FakeFeed();
    feed.refuseStream = refuse;
    const client = await feed.open(t, { timeoutMs: 200 });
    feed.changes.push(change(1));
    const { next, stop } = following(t, client);
    assert.deepEqual(await next(1), ['m1@1'], name);
    const second = next(1);
    feed.changes.push(change(2));
    assert.deepEqual(await second, ['m2@2'], name);
    const third = next(1);
    feed.answers.push((_, response) => response.writeHead(503, { 'retry-after': '0' }).end());
    feed.changes.push(change(3));
    assert.deepEqual(await third, ['m3@3'], name);
    const waiting = next(1);
    stop.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
  }
});

const isReset = (error: unknown): boolean => error instanceof ResetError && error.reason === 'expired';

test('a cursor that is of no use is a ResetError, other refusals are told', async (t) => {
  const feed = new FakeFeed();
  const client = await feed.open(t);
  feed.answers.push((_, response) => response.writeHead(410).end(JSON.stringify(RESET)));
  await assert.rejects(following(t, client, '7').next(1), isReset, 'of a page');

  const streamed = assert.rejects(following(t, client).next(1), isReset, 'of an event');
  (await feed.stream()).response.end(`event: reset\ndata: ${JSON.stringify(RESET)}\n\n`);
  await streamed;

  feed.answers.push(
    (_, response) => response.end('{"changes":[],"cursor":"1","more":false}'),
    (_, response) => response.writeHead(410).end(JSON.stringify(RESET)),
  );
  await assert.rejects(following(t, client, '1').next(1), isReset, 'of a stream');

  feed.answers.push((_, response) => response.writeHead(400).end());
  await assert.rejects(following(t, client, 'x').next(1), { status: 400 });
});

test('with resources the stream tells when to read the next page, once for each change', async (t) => {
  const feed = new FakeFeed();
  const client = await feed.open(t);
  feed.changes.push(change(1));
  const { changes } = following(t, client, undefined, { expand: true });
  assert.deepEqual((await changes.next()).value?.resource, { id: 'm1' });
  const second = changes.next();
  const stream = await feed.stream();
  feed.push(stream, change(2));
  const { value } = await second;
  assert.deepEqual([value?.resource, value?.cursor], [{ id: 'm2' }, '2']);
  const third = changes.next();
  const again = `id: 2\nevent: change\ndata: ${JSON.stringify(change(2))}\n\n`;
  stream.response.write(again, () => feed.push(stream, change(3)));
  assert.equal((await third).value?.id, 'm3');
  assert.deepEqual(
    feed.requests.filter((request) => !request.includes('stream')),
    [0, 1, 2].map((after) => `changes?after=${after}&limit=100&expand=1`),
  );
});

/** A store in memory, which keeps each page that it was given. */
class MemoryStore implements MirrorStore {
  readonly pages: (MirrorPage | 'clear')[] = [];
  saved: string | undefined;
  #wake = (): void => undefined;

  cursor(): string | undefined {
    return this.saved;
  }

  apply(page: MirrorPage): void {
    this.pages.push(page);
    this.saved = page.cursor;
    this.#wake();
  }

  async clear(): Promise<void> {
    this.pages.push('clear');
    this.saved = undefined;
  }

  async until(count: number): Promise<void> {
    while (this.pages.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

test('a mirror applies each page with its cursor, and begins again with an empty store', async (t) => {
  const feed = new FakeFeed();
  feed.pageSize = 4;
  const client = await feed.open(t);
  feed.changes.push(
    change(1),
    change(2),
    change(2, { type: 'match.withdrawn' }),
    change(1, { type: 'player.changed' }),
  );
  feed.changes.push(change(1, { type: 'player.erased' }));
  const store = new MemoryStore();
  const stop = new AbortController();
  const mirrored = client.changes.mirror(store, { signal: stop.signal, pollMs: 5 });
  await store.until(2);
  const { time } = change(1);
  assert.deepEqual(store.pages, [
    {
      put: [
        { kind: 'match', id: 'm1', revision: 1, time, resource: { id: 'm1' } },
        { kind: 'player', id: 'm1', revision: 1, time, resource: { id: 'm1' } },
      ],
      remove: [{ kind: 'match', id: 'm2' }],
      cursor: '4',
      more: true,
    },
    { put: [], remove: [{ kind: 'player', id: 'm1' }], cursor: '5', more: false },
  ]);

  (await feed.stream()).response.end(`event: reset\ndata: ${JSON.stringify(RESET)}\n\n`);
  await store.until(5);
  assert.equal(store.pages[2], 'clear');
  assert.deepEqual(store.pages.slice(3), store.pages.slice(0, 2));
  stop.abort();
  await assert.rejects(mirrored, { name: 'AbortError' });

  const again = new AbortController();
  const continued = client.changes.mirror(store, { signal: again.signal });
  await store.until(6);
  assert.deepEqual(
    store.pages[5],
    { put: [], remove: [], cursor: '5', more: false },
    'it tells that the copy is complete',
  );
  again.abort();
  await assert.rejects(continued, { name: 'AbortError' });
  const broken: MirrorStore = {
    cursor: () => '5',
    apply: () => assert.fail('the disk is full'),
    clear: () => undefined,
  };
  await assert.rejects(client.changes.mirror(broken), /the disk is full/);
});
