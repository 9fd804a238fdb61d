import { Socket } from 'node:net';

const FIRST_BYTES = 256 * 1024;
/** A message is a byte, and a length that counts itself (PostgreSQL's frontend/backend protocol). */
const PREFIX = 5;
const LEAST = 4;

/**
 * A socket to PostgreSQL that reads into one buffer again and again and hands on whole messages only, of which whoever
 * parses them keeps nothing. A new buffer for each read costs more than what is read.
 */
export function messageSocket(): Socket {
  let buffer: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let held = 0;
  const socket: Socket = new Socket({
    onread: {
      buffer: () => {
        if (held === buffer.length) buffer = grown(buffer);
        return buffer.subarray(held);
      },
      callback: (count) => {
        held += count;
        const whole = wholeMessages(buffer, held);
        if (whole > 0) socket.emit('data', buffer.subarray(0, whole));
        buffer.copyWithin(0, whole, held);
        held -= whole;
        return true;
      },
    },
  } as ConstructorParameters<typeof Socket>[0]);
  return socket;
}

function grown(full: Buffer): Buffer {
  const larger = Buffer.allocUnsafeSlow(full.length * 2);
  full.copy(larger);
  return larger;
}

/** How many of the first bytes are whole messages. */
function wholeMessages(buffer: Buffer, end: number): number {
  let at = 0;
  while (at + PREFIX <= end) {
    const next = at + 1 + Math.max(buffer.readInt32BE(at + 1), LEAST);
    if (next > end) break;
    at = next;
  }
  return at;
}
