import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { sql } from '#db/sql.ts';
import { type Event, openSender, type Rejection, type SenderOptions } from '#sender/index.ts';
import { DiskQueue } from '#sender/queue.ts';
import { match } from '#test/support/builders.ts';
import { createTestDatabase } from '#test/support/context.ts';
import { openIngestService } from '#test/ingest/service.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'sender-'));
const newEvent = (): Event => match() as unknown as Event;

/** Collects refused events by their ids, and refused lines as text. */
function collect() {
  const refused: string[] = [];
  const onRefused = (event: Event | string): void => void refused.push(typeof event === 'string' ? event : event.id);
  return { refused, onRefused };
}

const noPause = async (): Promise<void> => undefined;
const HOUR = 3_600_000;

/** A pause that lasts until the sender is closed. */
const untilClosed =
  (started: () => void): SenderOptions['pause'] =>
  async (_ms, signal) => {
    started();
    await once(signal, 'abort');
  };

const failsOf = (what: string) => (): never => assert.fail(what);

type FakeResponse = [status: number, headers: Record<string, string>, body: unknown];

const accepted = (ids: string[]): FakeResponse => [
  200,
  {},
  ids.map((id) => ({ id, status: 'accepted', receipt: 'r' })),
];
const fault =
  (status: number, headers = {}) =>
  (): FakeResponse => [status, headers, { error: 'x', error_description: 'Why.' }];

const page = (): FakeResponse => [200, {}, 'a page'];
const half = (): FakeResponse => [200, {}, []];

/** Rejects all events, the second one with `retry`. */
const refuse = (ids: string[]): FakeResponse => [
  200,
  {},
  ids.map((id, place) => ({ id, status: 'rejected', reason: 'no', place: '', ...(place === 1 && { retry: true }) })),
];

/** Rejects all events with `retry`. */
const later = (ids: string[]): FakeResponse => [
  200,
  {},
  ids.map((id) => ({ id, status: 'rejected', reason: 'early', place: 'time', retry: true })),
];

/** A fake service: each request gets the next response; the last response is repeated. */
async function fakeService(t: TestContext, ...answers: ((ids: string[]) => FakeResponse)[]) {
  const seen: string[][] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      const ids = (JSON.parse(text.toString()) as Event[]).map(({ id }) => id);
      seen.push(ids);
      const [status, headers, json] = (answers.length > 1 ? answers.shift()! : answers[0]!)(ids);
      if (status === 0) request.socket.destroy();
      else response.writeHead(status, headers).end(JSON.stringify(json));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function opened(t: TestContext, options: Pick<SenderOptions, 'url'> & Partial<SenderOptions>) {
  const sender = await openSender({ key: 'k', folder: folder(), pause: noPause, ...options });
  t.after(() => sender.close());
  return sender;
}

const wrong = (options: object) => openSender({ url: 'http://127.0.0.1:9', key: 'k', folder: folder(), ...options });

test('an address or a key that can never work is refused at once', async () => {
  for (const url of [undefined, '', '127.0.0.1:7403', 'localhost:7403', '/events'])
    await assert.rejects(wrong({ url }), /^TypeError: url must be the address of the ingest, like https:/, url);
  for (const key of [undefined, '', 'shk_a\n', ' shk_a'])
    await assert.rejects(wrong({ key }), /^TypeError: key must be the key of the game server, shk_/, key);
});

test('of reports of the present that waited, only the newest is sent', async (t) => {
  const { url, seen } = await fakeService(t, fault(503), accepted);
  const now = Date.now();
  const report = (type: string, ago: number): Event =>
    ({
      ...{ version: 1, id: `${type} ${ago}`, type, data: {} },
      time: new Date(now - ago).toISOString(),
    }) as unknown as Event;
  const { refused, onRefused } = collect();
  const sender = await opened(t, { url, onRefused });
  const finished = newEvent();
  await sender.send(
    report('server.presence', HOUR),
    report('match.progress', 30_000),
    finished,
    report('match.progress', 2_000),
    report('match.progress', 17_000),
    { ...report('match.progress', 0), id: 'no time', time: 'x' },
  );
  await sender.flush();
  assert.deepEqual(seen.at(-1), [finished.id, 'match.progress 2000', 'no time']);
  const requests = seen.length;
  await sender.send(report('server.presence', HOUR));
  await sender.flush();
  assert.deepEqual([seen.length, refused], [requests, []], 'nothing is left to send, and nothing was refused');
});

test('sent events reach the service and are stored', async (t) => {
  const database = await createTestDatabase('sqlite');
  const { context, origin, alpha } = await openIngestService(t, database.url);
  const sender = await openSender({ url: origin, key: alpha, folder: folder() });
  t.after(async () => {
    await sender.close();
    await database.drop();
  });
  await Promise.all(Array.from({ length: 300 }, () => sender.send(newEvent())));
  await sender.flush();
  assert.equal((await context.db.all(sql`select key from matches`)).length, 300);
  assert.equal((await sender.sendNow(newEvent()))?.status, 'accepted');
});

test('events without a receipt are sent again in order until they have one', async (t) => {
  const busy = [fault(503, { 'retry-after': '1' }), fault(503, { 'retry-after': '999999' })];
  const { url, seen } = await fakeService(t, fault(0), ...busy, fault(401), half, accepted);
  const pauses: number[] = [];
  const sender = await opened(t, { url, pause: async (ms) => void pauses.push(ms) });
  const events = [newEvent(), newEvent()];
  await sender.send(...events);
  await sender.flush();
  const ids = events.map(({ id }) => id);
  assert.deepEqual(seen, [ids, ids, ids, ids, ids, ids]);
  assert.equal(pauses.length, 5);
  assert.ok(pauses[1]! >= 1000);
  assert.equal(pauses[2], HOUR, 'a mistake of a proxy does not stop the delivery for days');
});

test('a trouble names the address, another service than the ingest, and why events wait', async (t) => {
  const moved = fault(301, { location: 'https://example.org/' });
  const { url } = await fakeService(t, fault(0), fault(405), moved, page, fault(401), later, accepted);
  const troubles: string[] = [];
  const sender = await opened(t, { url, onTrouble: (sentence) => troubles.push(sentence) });
  await sender.send(newEvent());
  await sender.flush();
  const [away, ...others] = troubles;
  assert.match(away!, new RegExp(`^A request to ${url} failed: [^\n]+$`));
  const isNotIngest = `. ${url} is not the ingest: set the address to INGEST_URL of the service.`;
  assert.deepEqual(others, [
    `405 Why${isNotIngest}`,
    `301 Why${isNotIngest}`,
    `200 OK${isNotIngest}`,
    '401 Why.',
    'Events wait and are sent again later: early',
  ]);
});

test('https to a service that speaks http is named as such', async (t) => {
  const { url } = await fakeService(t, accepted);
  const { promise: trouble, resolve: onTrouble } = Promise.withResolvers<string>();
  const pause = untilClosed(() => undefined);
  const sender = await opened(t, { url: url.replace('http:', 'https:'), onTrouble, pause });
  await sender.send(newEvent());
  assert.match(await trouble, / failed: it answers in http, not https$/);
});

test('rejected events are set aside and reported; events that are too early are sent again', async (t) => {
  const own = folder();
  const { url, seen } = await fakeService(t, refuse, accepted);
  const { refused, onRefused } = collect();
  const sender = await opened(t, { url, folder: own, onRefused });
  const [bad, early] = [newEvent(), { ...newEvent(), time: new Date().toISOString() }];
  await sender.send(bad, early);
  await sender.flush();
  assert.deepEqual(refused, [bad.id]);
  assert.deepEqual(seen, [[bad.id, early.id], [early.id]]);
  const cached = JSON.parse(readFileSync(join(own, 'refused.ndjson'), 'utf8')) as { event: Event; receipt: Rejection };
  assert.deepEqual([cached.event.id, cached.receipt.reason], [bad.id, 'no']);
});

test('a callback that throws causes a warning and does not stop the delivery', async (t) => {
  const own = folder();
  const { url, seen } = await fakeService(t, fault(503, {}), refuse, accepted);
  const warned = t.mock.method(process, 'emitWarning', () => undefined);
  const sender = await opened(t, { url, folder: own, onTrouble: failsOf('trouble'), onRefused: failsOf('a refusal') });
  const [bad, early] = [newEvent(), { ...newEvent(), time: new Date().toISOString() }];
  await sender.send(bad, early);
  await sender.flush();
  const both = [bad.id, early.id];
  assert.deepEqual(seen, [both, both, [early.id]]);
  assert.equal(readFileSync(join(own, 'refused.ndjson'), 'utf8').trim().split('\n').length, 1);
  assert.deepEqual(
    warned.mock.calls.map(({ arguments: [warning] }) => (warning as Error).message),
    ['trouble', 'a refusal'],
  );
});

test('a refused request is halved until the invalid event is found', async (t) => {
  const events = [newEvent(), newEvent(), newEvent(), newEvent()];
  const poison = events[2]!.id;
  const { url } = await fakeService(t, (ids) => (ids.includes(poison) ? fault(413)() : accepted(ids)));
  const { refused, onRefused } = collect();
  const sender = await opened(t, { url, onRefused });
  await sender.send(...events);
  await sender.flush();
  assert.deepEqual(refused, [poison]);
});

for (const time of ['2000-01-01T00:00:00Z', '2099-01-01T00:00:00Z', 'soon'])
  test(`an event to be sent again later is set aside a day after its first rejection, whatever its time: ${time}`, async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 1, 28) });
    const own = folder();
    const { url, seen } = await fakeService(t, later);
    const { refused, onRefused } = collect();
    const event = { ...newEvent(), time };
    const day = Promise.withResolvers<void>();
    const restarted = await opened(t, { url, folder: own, onRefused, pause: untilClosed(day.resolve) });
    await restarted.send(event);
    await day.promise;
    await restarted.close();
    const pause = async (): Promise<void> => t.mock.timers.setTime(Date.now() + 8 * HOUR);
    const sender = await opened(t, { url, folder: own, onRefused, pause });
    await sender.flush();
    assert.deepEqual([refused, seen], [[event.id], Array.from({ length: 5 }, () => [event.id])]);
  });

test('the retry period ends even when the clock was set back', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2099, 1, 28) });
  const { url } = await fakeService(t, later);
  const { refused, onRefused } = collect();
  const pause = async (): Promise<void> => t.mock.timers.setTime(Date.UTC(2026, 1, 28));
  const sender = await opened(t, { url, onRefused, pause });
  const event = { ...newEvent(), time: '2099-02-28T00:00:00Z' };
  await sender.send(event);
  await sender.flush();
  assert.deepEqual(refused, [event.id]);
});

test('a flush is rejected when the sender is closed first', async (t) => {
  const { url } = await fakeService(t, fault(503));
  const troubled = Promise.withResolvers<void>();
  const sender = await opened(t, { url, pause: untilClosed(troubled.resolve) });
  await sender.send(newEvent());
  const flushed = assert.rejects(sender.flush(), /closed/);
  await troubled.promise;
  await sender.close();
  await flushed;
  await assert.rejects(sender.flush(), /closed/);
});

test('a line that is not an event is set aside as text and does not stop the delivery', async (t) => {
  const own = folder();
  const events = [newEvent(), newEvent(), newEvent()];
  const [first, second, third] = events.map((event) => JSON.stringify(event)) as [string, string, string];
  const broken = [first.slice(0, 40), `${first.slice(0, 40)}${second}`, '', 'null', '17'];
  const lines = [broken[0], first, broken[1], second, ...broken.slice(2), third];
  writeFileSync(join(own, '0000000000.ndjson'), lines.map((line) => `${line}\n`).join(''));
  const { url, seen } = await fakeService(t, accepted);
  const { refused, onRefused } = collect();
  const sender = await opened(t, { url, folder: own, onRefused });
  await sender.flush();
  const cached = readFileSync(join(own, 'refused.ndjson'), 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    [seen.flat(), refused, cached.map((line) => (JSON.parse(line) as { event: string }).event)],
    [events.map(({ id }) => id), broken, broken],
  );
});

for (const position of ['', '{"segment":', 'null', '{"segment":"0"}', '{"segment":0,"offset":-1}'])
  test(`with an unreadable position the whole queue is sent: ${position || 'empty'}`, async (t) => {
    const own = folder();
    const event = newEvent();
    writeFileSync(join(own, '0000000003.ndjson'), `${JSON.stringify(event)}\n`);
    writeFileSync(join(own, 'position'), position);
    const { url, seen } = await fakeService(t, accepted);
    const sender = await opened(t, { url, folder: own });
    await sender.flush();
    assert.deepEqual(seen, [[event.id]]);
  });

test('the queue returns all appended lines in order after restarts and torn writes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.record({ append: fc.array(fc.string({ maxLength: 200 }), { minLength: 1, maxLength: 5 }) }),
          fc.record({ take: fc.integer({ min: 1, max: 4 }) }),
          fc.constant('reopen' as const),
          fc.constant('tear' as const),
        ),
        { maxLength: 25 },
      ),
      async (steps) => {
        const own = folder();
        let queue = await DiskQueue.open(own, 300);
        const promised: string[] = [];
        for (const step of steps) {
          if (step === 'reopen' || step === 'tear') {
            await queue.close();
            const last = readdirSync(own)
              .filter((name) => name.endsWith('.ndjson'))
              .sort()
              .at(-1)!;
            if (step === 'tear') appendFileSync(join(own, last), '{"half of a li');
            queue = await DiskQueue.open(own, 300);
          } else if ('append' in step) {
            const lines = step.append.map((text) => JSON.stringify(text));
            await queue.append(lines);
            promised.push(...lines);
          } else {
            const chunk = await queue.peek(step.take, 64);
            assert.deepEqual(chunk?.lines ?? [], promised.splice(0, chunk?.lines.length ?? 0));
            if (chunk !== undefined) await queue.advance(chunk.next);
          }
        }
        const rest: string[] = [];
        for (let chunk = await queue.peek(3, 1000); chunk !== undefined; chunk = await queue.peek(3, 1000)) {
          rest.push(...chunk.lines);
          await queue.advance(chunk.next);
        }
        assert.deepEqual(rest, promised);
        await queue.close();
      },
    ),
    { numRuns: 40 },
  );
});
