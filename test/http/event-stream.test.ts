import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { beginStream, type EventStream, EventStreams } from '#http/event-stream.ts';
import { TestClock } from '#test/support/context.ts';
import { RawStream, StreamClient } from '#test/support/event-stream.ts';

/** A stream from both sides. */
async function openStream(t: TestContext, isRead: boolean) {
  const clock = new TestClock();
  const streams = new EventStreams(clock);
  const { promise, resolve } = Promise.withResolvers<EventStream>();
  const server = createServer((_request, response) => {
    beginStream(response, []);
    resolve(streams.add(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    streams[Symbol.dispose]();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = await StreamClient.open(t, origin, '/', {}, isRead);
  return { clock, streams, stream: await promise, client, origin };
}

test('a client that does not read is told so, and its buffer is bounded', async (t) => {
  const { stream, client, streams } = await openStream(t, false);
  const events = `event: change\ndata: ${'x'.repeat(60_000)}\n\n`;
  let sent = 0;
  while (stream.isOpen && sent++ < 10_000) {
    stream.send(events);
    await new Promise(setImmediate);
  }
  assert.ok(sent < 1_000, `${sent}`);
  client.resume();
  assert.equal((await client.ended('too_slow')).error, 'too_slow');
  await stream.closed;
  assert.equal(streams.size, 0);
});

test('a stream that begins after the end of all ends at once', async (t) => {
  const clock = new TestClock();
  const streams = new EventStreams(clock);
  streams[Symbol.dispose]();
  const out = new PassThrough();
  t.after(() => out.destroy());
  const stream = streams.add(out.resume());
  await stream.closed;
  assert.equal(streams.size, 0);
});

test('the streams end together, completely', async (t) => {
  const { stream, client, streams } = await openStream(t, true);
  stream.send('event: change\ndata: 1\n\n');
  streams[Symbol.dispose]();
  await client.until(() => client.isEnded);
  assert.match(client.text, /^retry: \d{4}\n\nevent: change\ndata: 1\n\n$/);
});

test('a stream of HTTP/1.1 has chunks, and one of HTTP/1.0 none', async (t) => {
  const { streams, origin } = await openStream(t, true);
  const of = (version: string) => new RawStream(t, origin, [`GET / HTTP/${version}`, 'TE: chunked']);
  const [chunked, plain] = [of('1.1'), of('1.0')];
  for (const stream of [chunked, plain]) await stream.until(/retry: \d{4}\n\n/);
  streams[Symbol.dispose]();
  for (const stream of [chunked, plain]) await stream.ended();
  assert.match(chunked.head, /transfer-encoding: chunked/i);
  assert.deepEqual(
    chunked.chunks.map((chunk) => chunk.replace(/\d/g, '')),
    ['retry: \n\n', ''],
  );
  assert.doesNotMatch(plain.head, /transfer-encoding/i);
  assert.match(plain.body, /^retry: \d{4}\n\n$/);
});
