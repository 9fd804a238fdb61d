import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { GameDig, protocols } from 'gamedig';
import { ENCODING, statusOf, withoutEscapes } from './gamedig-answer.ts';
import type { GameStatus } from './status.ts';

/** Entry of the thread that polls by gamedig (gamedig-client.ts). */

export interface GamedigRequest {
  id: number;
  protocol: string;
  host: string;
  port: number;
  timeoutMs: number;
}

export type GamedigReply = { id: number } & (
  { status: GameStatus } | { error: 'timeout' | 'not_found' | 'wrong_answer' }
);

/** Far more than any real answer. */
const MAX_UNPACKED = 1024 * 1024;

interface Bzip {
  decode: (input: Buffer, output?: { writeByte(byte: number): void; getBuffer(): Buffer }) => Buffer;
}

/**
 * Limits the output of gamedig's decompression library: 800 bytes can hold a gigabyte, and the memory limit of a thread
 * does not count buffers.
 */
function limitUnpacking(): void {
  const bzip = createRequire(import.meta.resolve('gamedig'))('seek-bzip') as Bzip;
  const decode = bzip.decode;
  bzip.decode = (input) => {
    const buffer = Buffer.alloc(MAX_UNPACKED);
    let length = 0;
    const writeByte = (byte: number): void => {
      if (length === MAX_UNPACKED) throw new Error('The answer is too large.');
      buffer[length++] = byte;
    };
    return decode(input, { writeByte, getBuffer: () => buffer.subarray(0, length) });
  };
}

/** gamedig divides the text of a pong of Bedrock at escaped semicolons, too. */
function readEscapes(): void {
  const bedrock = protocols.minecraftbedrock.prototype;
  const send = bedrock.udpSend;
  bedrock.udpSend = function (request, onPacket) {
    return send.call(this, request, (packet) => onPacket(withoutEscapes(packet)));
  };
}

limitUnpacking();
readEscapes();

/** gamedig retries once within the timeout of a poll. */
const SOCKET_SHARE = 0.4;

async function poll({ protocol, host, port, timeoutMs }: GamedigRequest): Promise<GameStatus> {
  const state = await GameDig.query({
    type: `protocol-${protocol}`,
    host,
    port,
    givenPortOnly: true,
    maxRetries: 1,
    attemptTimeout: timeoutMs,
    socketTimeout: timeoutMs * SOCKET_SHARE,
    encoding: ENCODING,
    stripColors: false,
  });
  return statusOf(state, protocol);
}

/** gamedig's error messages contain all its attempts. */
function pollReason(error: unknown): 'timeout' | 'not_found' | 'wrong_answer' {
  const text = (error as Error).stack ?? '';
  if (/ENOTFOUND|EAI_AGAIN/.test(text)) return 'not_found';
  return /[Tt]imed? ?out|[Tt]imeout/.test(text) ? 'timeout' : 'wrong_answer';
}

parentPort!.on('message', (request: GamedigRequest) => {
  void poll(request).then(
    (status) => parentPort!.postMessage({ id: request.id, status } satisfies GamedigReply, []),
    (error: unknown) =>
      parentPort!.postMessage({ id: request.id, error: pollReason(error) } satisfies GamedigReply, []),
  );
});
