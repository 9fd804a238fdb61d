import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { openMysqlSource } from '#importers/databases/mysql-source.ts';
import { InputError } from '#importers/finding.ts';

const PASSWORD = 'correct horse battery staple';
const LIMITS = { open_ms: 3_000, statement_ms: 2_000, bytes: 1_000_000 };

/** A packet of the protocol: three bytes of length, the number in the sequence, the payload. */
function packet(sequence: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUIntLE(payload.length, 0, 3);
  head[3] = sequence;
  return Buffer.concat([head, payload]);
}

const PLUGIN_AUTH = 0x0008_0000;
const SECURE_CONNECTION = 0x8000;
const PROTOCOL_41 = 0x0200;
const LOCAL_FILES = 0x0080;
const CAPABILITIES = PLUGIN_AUTH | SECURE_CONNECTION | PROTOCOL_41 | LOCAL_FILES;

/** Protocol::HandshakeV10 of https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_v10.html */
function handshake(plugin = 'mysql_native_password'): Buffer {
  const low = Buffer.alloc(2);
  low.writeUInt16LE(CAPABILITIES & 0xffff);
  const high = Buffer.alloc(2);
  high.writeUInt16LE(CAPABILITIES >>> 16);
  return packet(
    0,
    Buffer.concat([
      Buffer.from([10]),
      Buffer.from('8.4.3\0'),
      Buffer.from([1, 0, 0, 0]),
      Buffer.from('abcdefgh\0'),
      ...[low, Buffer.from([45]), Buffer.from([2, 0]), high, Buffer.from([21])],
      Buffer.alloc(10),
      Buffer.from('ijklmnopqrst\0'),
      Buffer.from(`${plugin}\0`),
    ]),
  );
}

const ok = (sequence: number): Buffer => packet(sequence, Buffer.from([0, 0, 0, 2, 0, 0, 0]));
const refused = (sequence: number, code: number, text: string): Buffer =>
  packet(sequence, Buffer.concat([Buffer.from([0xff, code & 0xff, code >> 8]), Buffer.from(`#28000${text}`)]));
const COM_QUERY = 3;

/** What a server does with a connection; `next` waits for the next data of the client. */
type Behaviour = (socket: Socket, next: () => Promise<Buffer>) => Promise<void>;

const signedIn = async (socket: Socket, next: () => Promise<Buffer>): Promise<void> => {
  socket.write(handshake());
  await next();
  socket.write(ok(2));
};

/** Signs the client in and accepts the settings of the session; then does what is given with the first statement. */
const atStatement =
  (act: (socket: Socket, next: () => Promise<Buffer>) => Promise<void> | void): Behaviour =>
  async (socket, next) => {
    await signedIn(socket, next);
    for (let data = await next(); data[4] === COM_QUERY; data = await next()) socket.write(ok(1));
    await act(socket, next);
  };

async function endless(socket: Socket, piece: Buffer): Promise<void> {
  while (!socket.destroyed) if (!socket.write(piece)) await once(socket, 'drain').catch(() => undefined);
}

const SERVERS: Record<string, { act: Behaviour; says: RegExp; sent?: (received: Buffer) => void }> = {
  'no handshake': { act: async () => undefined, says: /does not answer/ },
  'an endless handshake of large packets': {
    act: (socket) => endless(socket, Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0]), Buffer.alloc(0xff_ffff)])),
    says: /sends more than/,
  },
  'endless requests for more authentication': {
    act: async (socket, next) => {
      socket.write(handshake('caching_sha2_password'));
      await next();
      for (let sequence = 2; !socket.destroyed; sequence = (sequence + 2) % 256) {
        socket.write(
          packet(
            sequence,
            Buffer.concat([Buffer.from([0xfe]), Buffer.from('mysql_native_password\0abcdefghijklmnopqrst\0')]),
          ),
        );
        await next();
      }
    },
    // The time or the bytes end it, depending on the speed of the machine.
    says: /does not answer|sends more than an import reads at once/,
  },
  'a packet length of 16 MB without content': {
    act: async (socket) => void socket.write(Buffer.from([0xfe, 0xff, 0xff, 0])),
    says: /does not answer/,
  },
  'a handshake that is cut': {
    act: async (socket) => void socket.write(packet(0, Buffer.from([10, 56]))),
    says: /does not speak the protocol of MySQL/,
  },
  'the banner of HTTP': {
    act: async (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'),
    says: /has ended the connection/,
  },
  'the banner of SSH': {
    act: async (socket) => void socket.write('SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n'),
    says: /does not answer/,
  },
  'the end of the connection in the handshake': {
    act: async (socket) => void socket.end(handshake().subarray(0, 20)),
    says: /has ended the connection/,
  },
  'the end of the connection after the sign-in': {
    act: async (socket, next) => {
      await signedIn(socket, next);
      socket.destroy();
    },
    says: /has ended the connection/,
  },
  'a wish for the password in clear text at once': {
    act: async (socket, next) => {
      socket.write(handshake('mysql_clear_password'));
      await next();
      socket.write(packet(2, Buffer.from('\xfemysql_clear_password\0', 'latin1')));
    },
    says: /wants the password unencrypted/,
  },
  'a switch to the password in clear text': {
    act: async (socket, next) => {
      socket.write(handshake());
      await next();
      socket.write(packet(2, Buffer.from('\xfemysql_clear_password\0', 'latin1')));
    },
    says: /wants the password unencrypted/,
  },
  'a second factor in clear text': {
    act: async (socket, next) => {
      socket.write(handshake());
      await next();
      socket.write(packet(2, Buffer.from('\x02mysql_clear_password\0', 'latin1')));
    },
    says: /wants the password unencrypted/,
  },
  'a sign-in that the driver does not know': {
    act: async (socket, next) => {
      socket.write(handshake());
      await next();
      socket.write(packet(2, Buffer.from('\xfe\x1b[2Jdialog\0', 'latin1')));
    },
    says: /a way of signing in that the import does not know/,
  },
  'an error with control characters': {
    act: async (socket, next) => {
      socket.write(handshake());
      await next();
      socket.write(refused(2, 4711, '\x1b[2J\x1b]0;owned\x07\nAll is well.'));
    },
    says: /cannot be read \(4711\)/,
  },
  'an error instead of a handshake': {
    act: async (socket) =>
      void socket.write(packet(0, Buffer.from([0xff, 0x69, 0x04, ...Buffer.from('Host is not allowed')]))),
    says: /cannot be read \(ER_HOST_IS_BLOCKED\)/,
  },
  'no answer to the settings of the session': {
    act: signedIn,
    says: /does not answer/,
  },
  'no answer to a statement': { act: atStatement(() => undefined), says: /does not answer/ },
  'a wish for a file': {
    act: atStatement(async (socket, next) => {
      // COM_STMT_PREPARE_OK: a statement without columns and parameters.
      socket.write(packet(1, Buffer.from([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])));
      await next();
      socket.write(packet(1, Buffer.from('\xfb/etc/passwd', 'latin1')));
      await next();
      socket.write(ok(3));
    }),
    // The driver does not continue after such an answer to a prepared statement.
    says: /does not answer/,
  },
  'a wish for a file in the settings of the session': {
    act: async (socket, next) => {
      await signedIn(socket, next);
      await next();
      socket.write(packet(1, Buffer.from('\xfb/etc/passwd', 'latin1')));
      await next();
      socket.write(ok(3));
    },
    says: /asks for a file/,
  },
  'endless packets after a statement': {
    act: atStatement((socket) => endless(socket, packet(1, Buffer.alloc(10, 1)))),
    says: /packets out of order|does not answer/,
  },
};

async function listening(t: TestContext, act: Behaviour): Promise<{ port: number; received: () => Buffer }> {
  const chunks: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const next = async (): Promise<Buffer> => ((await once(socket, 'data')) as [Buffer])[0];
    // The client may be gone, for which a server waits in vain.
    void act(socket, next).catch(() => undefined);
    t.after(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, received: () => Buffer.concat(chunks) };
}

test('a server that is not MySQL, or a hostile one, ends in one sentence and gets neither password nor file', async (t) => {
  const printed = t.mock.method(console, 'error', () => undefined);
  const outcomes = Object.entries(SERVERS).map(async ([name, { act, says }]) => {
    const { port, received } = await listening(t, act);
    const address = {
      host: '127.0.0.1',
      port,
      user: 'scorehall',
      password: PASSWORD,
      database: 'minecraft',
      tls: false,
    };
    const began = performance.now();
    const error = await (async () => {
      await using source = await openMysqlSource(address, LIMITS);
      await source.rows('select 1 as one where 1 = ?', [1]);
    })().catch((thrown: unknown) => thrown);
    assert.ok(error instanceof InputError, `${name}: ${String(error)}`);
    assert.match(error.message, says, `${name}: ${error.message}`);
    assert.match(error.message, /^mysql:\/\/127\.0\.0\.1:\d+\/minecraft [^\p{Cc}]+[^.]\.$/u, name);
    assert.ok(performance.now() - began < 8_000, `${name} took ${performance.now() - began} ms`);
    assert.ok(!received().includes(PASSWORD), `${name} got the password`);
    assert.ok(!received().includes('root:'), `${name} got a file`);
  });
  const results = await Promise.allSettled(outcomes);
  const failures = results.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).message] : []));
  assert.deepEqual(failures, []);
  assert.ok(printed.mock.callCount() <= 1, `${printed.mock.callCount()} lines of the driver`);
});
