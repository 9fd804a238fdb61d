import { connect, isIP, type Socket } from 'node:net';
import type { GameAddress } from './core.ts';
import { type Endpoint, type Names, resolveMinecraft, systemNames } from './minecraft-address.ts';
import { readMinecraftStatus } from './minecraft-status.ts';
import { type GameStatus, PollFailed } from './status.ts';

/** Above the protocol's maximum of 32,767 characters of JSON with their frame. */
const MAX_RESPONSE = 128 * 1024;
/** The longest header of a status response: two lengths and the packet's number. */
const MAX_HEADER = 11;
/** "Which version the client has is not decided", by convention of status pings. */
const ANY_VERSION = [0xff, 0xff, 0xff, 0xff, 0x0f];
/** How long the connection to one of several addresses may take. */
const ATTEMPT_MS = 1_000;
const STATUS_REQUEST = Buffer.from([1, 0]);

/**
 * Asks a server of Minecraft Java Edition for its status (Server List Ping): handshake, request, one packet of JSON.
 * @param deadline for all of it, name resolution included
 * @throws PollFailed
 */
export async function pollMinecraft(
  address: GameAddress,
  deadline: AbortSignal,
  names: Names = systemNames,
): Promise<GameStatus> {
  const late = Promise.withResolvers<never>();
  const onLate = (): void => late.reject(new PollFailed('timeout'));
  deadline.addEventListener('abort', onLate, { once: true });
  try {
    const endpoint = await Promise.race([resolveMinecraft(address, names), late.promise]);
    const socket = connectTo(endpoint);
    try {
      return readMinecraftStatus(await Promise.race([statusJson(socket, endpoint), late.promise]));
    } finally {
      socket.destroy();
    }
  } finally {
    deadline.removeEventListener('abort', onLate);
  }
}

/** Tries the addresses one after another. The look-up returns those that were checked, and makes no new request. */
function connectTo({ host, port, addresses }: Endpoint): Socket {
  return connect({
    host,
    port,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    lookup: (_host, _options, found) =>
      found(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      ),
  });
}

async function statusJson(socket: Socket, endpoint: Endpoint): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const response = new StatusResponse();
  socket.on('error', (error) => reject(new PollFailed(pollReason(error))));
  socket.once('close', () => reject(new PollFailed('wrong_answer')));
  socket.on('data', (chunk: Buffer) => {
    try {
      const json = response.add(chunk);
      if (json !== undefined) resolve(json);
    } catch (error) {
      // Without it a server could fill the memory with an endless answer.
      socket.pause();
      reject(error as Error);
    }
  });
  socket.write(Buffer.concat([handshake(endpoint), STATUS_REQUEST]));
  return await promise;
}

function pollReason(error: Error): 'refused' | 'unreachable' | 'timeout' {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' ? 'refused' : code === 'ETIMEDOUT' ? 'timeout' : 'unreachable';
}

function handshake({ host, port }: Endpoint): Buffer {
  const name = Buffer.from(host);
  const packet = [0, ...ANY_VERSION, ...varInt(name.length), ...name, port >> 8, port & 0xff, 1];
  return Buffer.from([...varInt(packet.length), ...packet]);
}

function varInt(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varInt(value >> 7)];
}

/** The bytes of the response received so far: `length, 0, length, JSON`, the numbers as VarInt. */
class StatusResponse {
  #chunks: Buffer[] = [];
  #size = 0;
  /** The offsets of the JSON; undefined while the header is incomplete. */
  #json: { start: number; end: number } | undefined;

  /** @returns the JSON when it is complete @throws PollFailed if the bytes are not a status response */
  add(chunk: Buffer): string | undefined {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#json === undefined) {
      this.#chunks = [Buffer.concat(this.#chunks)];
      this.#json = jsonPlace(this.#chunks[0]!);
    }
    if (this.#json === undefined || this.#size < this.#json.end) return undefined;
    return Buffer.concat(this.#chunks).toString('utf8', this.#json.start, this.#json.end);
  }
}

function jsonPlace(bytes: Buffer): { start: number; end: number } | undefined {
  const packet = readVarInt(bytes, 0);
  const id = packet && readVarInt(bytes, packet.next);
  const text = id && readVarInt(bytes, id.next);
  if (text === undefined) {
    if (bytes.length >= MAX_HEADER + 5) throw new PollFailed('wrong_answer');
    return undefined;
  }
  if (id!.value !== 0) throw new PollFailed('wrong_answer');
  const end = text.next + text.value;
  if (packet!.value > MAX_RESPONSE || text.value > MAX_RESPONSE) throw new PollFailed('too_large');
  if (end > packet!.next + packet!.value) throw new PollFailed('wrong_answer');
  return { start: text.next, end };
}

/** A VarInt of at most five bytes; undefined while it is incomplete. */
function readVarInt(bytes: Buffer, at: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let index = 0; index < 5; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, next: at + index + 1 };
  }
  throw new PollFailed('wrong_answer');
}
