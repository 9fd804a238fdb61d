import { once } from 'node:events';
import { createSocket } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** A game server that the tests poll: `status` is its next answer. */
export interface Responder {
  address: string;
  port: number;
  /** How many polls have arrived. */
  polls: number;
}

/** Listens on a TCP port; `answer` gets the connection once the request has arrived. */
export async function tcpResponder(t: TestContext, answer: (socket: Socket) => void): Promise<Responder> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', () => {
      responder.polls += 1;
      answer(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const responder: Responder = { address: `127.0.0.1:${port}`, port, polls: 0 };
  return responder;
}

/** A server of Minecraft Java Edition whose status is the result of the function. */
export async function minecraftResponder(t: TestContext, status: () => unknown): Promise<Responder> {
  return await tcpResponder(t, (socket) => socket.end(statusPacket(JSON.stringify(status()))));
}

export function statusPacket(json: string): Buffer {
  const text = Buffer.from(json);
  const content = Buffer.concat([Buffer.from([0]), varInt(text.length), text]);
  return Buffer.concat([varInt(content.length), content]);
}

export function varInt(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

/**
 * A status response with the part in which PGM describes its match, as `ServerPingDataListener.java` of PGM 852bf3d
 * writes it. The tags are sorted by their ids.
 */
export const pgmStatus = (
  online: number,
  names: string[],
  map: string,
  nextMap: string,
  tags: readonly string[] = ['4teams', 'wool'],
): Record<string, unknown> => ({
  version: { name: 'SportPaper', protocol: 47 },
  description: { text: '§aWelcome' },
  favicon: 'data:image/png;base64,AAAA',
  players: {
    online,
    max: 120,
    sample: names.map((name, at) => ({ name, id: `7f0c6a4e-52b1-4c2f-9b7d-1f2f8a6f900${at}` })),
  },
  bukkit_extra: {
    pgm: {
      7: {
        state: 'running',
        duration: 312,
        observers: 1,
        participants: online - 1,
        max_players: 120,
        map: { id: 'harbor', name: map, version: '1.2.0', objective: 'Capture the wools', tags },
        next_map: { id: 'next', name: nextMap },
      },
    },
  },
});

const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const header = (kind: number): Buffer => Buffer.from([0xff, 0xff, 0xff, 0xff, kind]);

/** A server that answers each packet over UDP; undefined is no answer. */
export async function udpResponder(
  t: TestContext,
  answer: (request: Buffer) => readonly Buffer[] | undefined,
): Promise<Responder> {
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const packets = answer(message);
    if (packets === undefined) return;
    responder.polls += 1;
    for (const packet of packets) socket.send(packet, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => void socket.close());
  const { port } = socket.address();
  const responder: Responder = { address: `127.0.0.1:${port}`, port, polls: 0 };
  return responder;
}

/** What servers of Quake's family answer to `getstatus` (Quake III) or `status`. */
export const statusAnswer = (kind: 'statusResponse' | 'print', content: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.from(`${kind}\n`), Buffer.from(content as string)]);

/** The pong of Bedrock with this text, to a ping. */
export function pongTo(ping: Buffer, text: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(text));
  const magic = Buffer.from('00ffff00fefefefefdfdfdfd12345678', 'hex');
  return Buffer.concat([
    Buffer.from([0x1c]),
    ping.subarray(1, 9),
    Buffer.alloc(8, 0x5c3b, 'hex'),
    magic,
    length,
    Buffer.from(text),
  ]);
}

/** A server that speaks the protocol of Source games (A2S), over UDP. */
export async function sourceResponder(
  t: TestContext,
  facts: () => { map: string; players: string[]; max: number; bots?: number },
): Promise<Responder> {
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { map, players, max, bots = 0 } = facts();
    if (message[4] === 0x54) {
      responder.polls += 1;
      const counts = Buffer.from([players.length, max, bots, 0x64, 0x6c, 0, 1]);
      const names = Buffer.concat([text('A server'), text(map), text('tf'), text('A game')]);
      const answer = [header(0x49), Buffer.from([17]), names, Buffer.from([0xb8, 1]), counts, text('1.0.0.0')];
      socket.send(Buffer.concat([...answer, Buffer.from([0])]), port, address);
    } else if (message[4] === 0x55 && message.readInt32LE(5) === -1) {
      socket.send(Buffer.concat([header(0x41), Buffer.from([1, 2, 3, 4])]), port, address);
    } else {
      const rows = players.map((name, index) => Buffer.concat([Buffer.from([index]), text(name), Buffer.alloc(8)]));
      socket.send(Buffer.concat([header(0x44), Buffer.from([players.length]), ...rows]), port, address);
    }
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => void socket.close());
  const { port } = socket.address();
  const responder: Responder = { address: `127.0.0.1:${port}`, port, polls: 0 };
  return responder;
}
