import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { messageSocket } from '#db/whole-messages.ts';

/** A message of PostgreSQL: a letter, the length of what follows with itself, and so many bytes. */
function message(letter: string, bytes: number, seed: number): Buffer {
  const body = Buffer.alloc(bytes, String(seed));
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes + 4);
  return Buffer.concat([Buffer.from(letter), length, body]);
}

/** Where messages end. */
function endsOf(messages: Buffer[]): Set<number> {
  let end = 0;
  return new Set(messages.map(({ length }) => (end += length)));
}

const messages = fc.array(
  fc.tuple(fc.constantFrom('D', 'T', 'Z'), fc.oneof(fc.nat(40), fc.integer({ min: 0, max: 600_000 }))),
  { minLength: 1, maxLength: 12 },
);

test('whatever arrives together or in pieces is handed on as whole messages, all of it, in order', async (t) => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  await fc.assert(
    fc.asyncProperty(messages, fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 8 }), async (made, cuts) => {
      const all = made.map(([letter, bytes], place) => message(letter, bytes, place));
      const ends = endsOf(all);
      const accepted = once(server, 'connection') as Promise<[Socket]>;
      const socket = messageSocket();
      let received = Buffer.alloc(0);
      const complete = Promise.withResolvers<void>();
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        assert.ok(ends.has(received.length), `${received.length} bytes end inside a message`);
        if (received.length === Math.max(...ends)) complete.resolve();
      });
      socket.connect(port, '127.0.0.1');
      const [peer] = await accepted;
      await send(peer, Buffer.concat(all), cuts);
      await complete.promise;
      assert.ok(received.equals(Buffer.concat(all)));
      const ended = once(socket, 'end');
      peer.end();
      await ended;
      socket.destroy();
    }),
    { numRuns: 40 },
  );
});

async function send(peer: Socket, bytes: Buffer, cuts: number[]): Promise<void> {
  let at = 0;
  for (const cut of [...cuts, bytes.length]) {
    const piece = bytes.subarray(at, Math.min(at + cut, bytes.length));
    at += piece.length;
    await new Promise<void>((resolve) => void peer.write(piece, () => resolve()));
  }
}

test('a connection that is refused says so', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const socket = messageSocket();
  socket.connect(port, '127.0.0.1');
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  assert.equal(error.code, 'ECONNREFUSED');
});
