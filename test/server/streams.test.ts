import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { beginStream } from '#http/event-stream.ts';
import { idOf } from '#platform/ids.ts';
import { readFeed, RESOURCE_KINDS } from '#store/game/changes.ts';
import { openServices, type RunningServices } from '#server/listeners.ts';
import { StreamProcess } from '#server/streams.ts';
import { ThreadMetrics } from '#server/thread-metrics.ts';
import type { AppContext } from '#context/context.ts';
import { application, serviceToken } from '#test/support/builders.ts';
import { record } from '#test/support/changes.ts';
import { onEachDatabase, onSqlite, testContext } from '#test/support/context.ts';
import { RawStream, StreamClient } from '#test/support/event-stream.ts';
import { ask } from '#test/support/request.ts';

const PATH = '/v1/changes/stream';

interface Service {
  origin: string;
  token: string;
  services: RunningServices;
  processes: () => number[];
}

/** A data API whose streams are in another process. */
async function openService(t: TestContext, context: AppContext): Promise<Service> {
  const streams = new StreamProcess(context);
  const services = await openServices(context, ['API'], { streams });
  t.after(async () => {
    await services[Symbol.asyncDispose]();
    await streams[Symbol.asyncDispose]();
  });
  const { client_id } = await application(context);
  const token = await serviceToken(context, client_id, Date.now() + 86_400_000 - context.clock.now());
  return { origin: services.addresses.API!, token, services, processes: streamProcesses };
}

/** The processes of streams that this one has started. */
function streamProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(join('/proc', String(pid), 'status'), 'utf8'))?.[1];
        const line = readFileSync(join('/proc', String(pid), 'cmdline'), 'utf8');
        return Number(parent) === process.pid && line.includes('stream-worker');
      } catch {
        return false;
      }
    });
}

async function nextId(stream: StreamClient): Promise<string> {
  const event = await stream.next();
  assert.equal(event?.event, 'change', stream.text);
  return (JSON.parse(event.data) as { id: string }).id;
}

/** Waits until no stream is counted. */
async function untilFree(origin: string, token: string): Promise<void> {
  const isFree = async (): Promise<boolean> =>
    (await ask(origin, PATH, { token, method: 'HEAD' })).headers['x-stream-remaining'] === '100';
  while (!(await isFree())) await pause(20);
}

onEachDatabase('streams are in a process of their own, which the API hands their sockets', async (t, url) => {
  const context = await testContext(t, url);
  using metrics = new ThreadMetrics(context.metrics, []);
  const { origin, token, services, processes } = await openService(t, context);
  await record(context, { kind: 'match', key: 1, type: 'created' });
  assert.deepEqual(processes(), [], 'it starts with the first stream');
  const open = (query: string) => StreamClient.open(t, origin, PATH + query, { token });
  const [past, present] = [await open('?after=0'), await open('')];
  assert.deepEqual([past.response.statusCode, present.response.headers['x-stream-remaining']], [200, '98']);
  assert.equal(await nextId(past), idOf(1));
  await present.until(() => present.text.includes('id: '));
  await record(context, { kind: 'match', key: 2, type: 'created' });
  assert.deepEqual([await nextId(past), await nextId(present)], [idOf(2), idOf(2)]);
  assert.equal((await ask(origin, '/v1/servers', { token })).status, 200);
  const [pid] = processes();
  assert.match(await metrics.text(), /scorehall_streams_open\{thread="streams"\} 2/);

  const raw = (version: string, ...lines: string[]): RawStream =>
    new RawStream(t, origin, [`GET ${PATH}?after=0 HTTP/${version}`, `Authorization: Bearer ${token}`, ...lines]);
  const [chunked, plain] = [raw('1.1'), raw('1.0', 'TE: chunked')];

  await t.test('the process writes chunks for HTTP/1.1, one an event, and none for HTTP/1.0', async () => {
    for (const stream of [chunked, plain]) await stream.until(new RegExp(idOf(2)));
    await record(context, { kind: 'match', key: 3, type: 'created' });
    for (const stream of [chunked, plain]) await stream.until(new RegExp(`${idOf(3)}[^]*\n\n`));
    assert.match(chunked.head, /^HTTP\/1\.1 200[^]*transfer-encoding: chunked/i);
    assert.match(chunked.chunks.join(''), /^retry: \d{4}\n\n/);
    const events = chunked.chunks.filter((chunk) => chunk.includes('data: '));
    assert.deepEqual(
      events.map((chunk) => chunk.endsWith('\n\n')),
      events.map(() => true),
    );
    assert.match(events.at(-1)!, new RegExp(`^id: \\S+\nevent: change\ndata: {"id":"${idOf(3)}`));
    assert.doesNotMatch(plain.head, /transfer-encoding/i);
    assert.match(plain.body, /^retry: \d{4}\n\n/);
    const [withChunks, without] = [chunked.chunks.join(''), plain.body].map((body) => body.replace(/^retry: \d+/, ''));
    assert.equal(without, withChunks);
  });

  await t.test('its end ends the streams, and the next one starts it again', async () => {
    process.kill(pid!, 'SIGTERM');
    await past.close();
    process.kill(pid!, 'SIGKILL');
    await present.until(() => present.isEnded);
    await chunked.ended();
    assert.notEqual(chunked.chunks.at(-1), '', 'the body is not complete');
    await untilFree(origin, token);
    const again = await open('?after=0');
    assert.deepEqual([await nextId(again), await nextId(again), await nextId(again)], [idOf(1), idOf(2), idOf(3)]);
    assert.notDeepEqual(processes(), [pid]);
  });

  await t.test('the end of the service ends them at once', async () => {
    const [stream, whole] = [await open(''), raw('1.1')];
    await stream.until(() => stream.text.includes('id: '));
    await whole.until(new RegExp(idOf(3)));
    const began = performance.now();
    await services[Symbol.asyncDispose]();
    await stream.until(() => stream.isEnded);
    await whole.ended();
    assert.deepEqual([whole.chunks.at(-1), whole.chunks.indexOf('')], ['', whole.chunks.length - 1]);
    assert.ok(performance.now() - began < 2_000);
  });
});

onSqlite('a client that has gone before its stream is handed over leaves nothing behind', async (t, url) => {
  const context = await testContext(t, url);
  const { origin, token } = await openService(t, context);
  for (let count = 0; count < 20; count++) await (await StreamClient.open(t, origin, PATH, { token })).close();
  await untilFree(origin, token);
});

onSqlite('a stream that is handed to a process that has just been killed ends', async (t, url) => {
  const context = await testContext(t, url);
  const { id: feed, head } = await readFeed(context.db);
  const content = { from: { feed, number: head }, head, kinds: RESOURCE_KINDS, presence: false };
  const order = {
    ...content,
    credentials: { token: undefined, clientId: undefined },
    subject: '',
    application: undefined,
  };
  const streams = new StreamProcess(context);
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    beginStream(response, []);
    responses.push(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    await streams[Symbol.asyncDispose]();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clients = await Promise.all(Array.from({ length: 60 }, () => StreamClient.open(t, origin, '/', {})));
  void streams.follow(responses[0]!, order);
  while (!clients.some(({ text }) => /^id: /m.test(text))) await new Promise(setImmediate);
  process.kill(streamProcesses()[0]!, 'SIGKILL');
  for (const response of responses.slice(1)) {
    void streams.follow(response, order);
    await new Promise(setImmediate);
  }
  for (const client of clients) await client.until(() => client.isEnded || /^id: /m.test(client.text));
});

test('the process of streams ends without a word if the service ends before it has said anything', async () => {
  const worker = join(import.meta.dirname, '../../src/server/stream-worker.ts');
  const child = fork(worker, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  child.disconnect();
  const [printed, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  assert.deepEqual([printed, code], ['', 0]);
});
