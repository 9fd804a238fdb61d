import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { type Event, openSender, type Sender } from '#sender/index.ts';

const presence = { current: 0, players: [] };
const EVENT: Event = { version: 1, id: 'e', type: 'server.presence', time: '2026-03-01T12:00:00Z', data: presence };

/** A service whose responses are written by `answer`, byte by byte if a test wants that. */
async function senderTo(t: TestContext, answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('data', () => answer(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const troubles: string[] = [];
  const reported = Promise.withResolvers<void>();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sender: Sender = await openSender({
    url,
    key: 'k',
    folder: mkdtempSync(join(tmpdir(), 'sender-')),
    onTrouble: (sentence) => {
      troubles.push(sentence);
      reported.resolve();
    },
    pause: async (_, signal) => {
      await once(signal, 'abort');
    },
  });
  t.after(async () => {
    await sender.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { sender, troubles, reported: reported.promise, url };
}

const response = (status: string, body: string, headers = ''): string =>
  `HTTP/1.1 ${status}\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;

test('an event has been delivered only where the response has a receipt with a known status', async (t) => {
  let body = '';
  const { sender, troubles, url } = await senderTo(t, (socket) => socket.end(response('200 OK', body)));
  const status = fc.oneof(fc.constantFrom('accepted', 'duplicate', 'rejected'), fc.jsonValue({ maxDepth: 1 }));
  const receipt = fc.oneof(fc.record({ id: fc.constant('e'), status }, { requiredKeys: [] }), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.array(receipt, { maxLength: 2 }), fc.jsonValue()), async (sent) => {
      body = JSON.stringify(sent);
      troubles.length = 0;
      const received = await sender.sendNow(EVENT);
      const [one, ...others] = Array.isArray(sent) ? (sent as unknown[]) : [];
      const known = (one as { status?: unknown } | null | undefined)?.status;
      const isReceipt = others.length === 0 && ['accepted', 'duplicate', 'rejected'].includes(known as string);
      assert.deepEqual(received, isReceipt ? JSON.parse(body)[0] : undefined);
      assert.equal(troubles.length, isReceipt ? 0 : 1);
      if (!isReceipt)
        assert.ok(troubles[0]!.endsWith(`. ${url} is not the ingest: set the address to INGEST_URL of the service.`));
    }),
    { numRuns: 60 },
  );
});

test('what is quoted of a response is one line of bounded length', async (t) => {
  const descriptions = ['a\r\n\u001b[31mb', 'x'.repeat(100_000), { not: 'text' }, null];
  const { sender, troubles } = await senderTo(t, (socket) =>
    socket.end(response('500 Broken', JSON.stringify({ error_description: descriptions.shift() }))),
  );
  for (let sent = 0; sent < 4; sent++) await sender.sendNow(EVENT);
  const [controls, long, ...others] = troubles;
  assert.deepEqual([controls, long!.length, others], ['500 a [31mb', 500, ['500 Broken', '500 Broken']]);
});

test('of the reason why an event waits, one line of bounded length is quoted', { timeout: 5_000 }, async (t) => {
  const receipt = { id: 'e', status: 'rejected', retry: true, reason: `a\r\n\u001b[31mb${'x'.repeat(100_000)}` };
  const { sender, troubles, reported } = await senderTo(t, (socket) =>
    socket.end(response('200 OK', JSON.stringify([receipt]))),
  );
  await sender.send({ ...EVENT, type: 'player.login', data: { player: { uuid: '', name: '' } } });
  await reported;
  assert.match(troubles[0]!, /^Events wait and are sent again later: a \[31mbx{400,500}$/);
});

test('a response that changes the protocol fails the delivery', { timeout: 5_000 }, async (t) => {
  const { sender, troubles, url } = await senderTo(t, (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
  );
  assert.equal(await sender.sendNow(EVENT), undefined);
  assert.deepEqual(troubles, [`A request to ${url} failed: 101 Switching Protocols is not a response to events`]);
});

test('a response without an end is not read beyond its limit', { timeout: 10_000 }, async (t) => {
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  let written = 0;
  const { sender, troubles, url } = await senderTo(t, (socket) => {
    const write = (): void => {
      while (!socket.destroyed && written++ < 200) if (!socket.write(chunk)) return void socket.once('drain', write);
      socket.end();
    };
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    write();
  });
  assert.equal(await sender.sendNow(EVENT), undefined);
  assert.deepEqual(troubles, [`A request to ${url} failed: the response is longer than 16 MiB`]);
  assert.ok(written < 200, 'the rest is not read');
});
