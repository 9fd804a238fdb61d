import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Above the ports that `fetch` and browsers refuse (the highest is 10080), and below the ephemeral ports of the system, which
 * any outgoing connection may take in the meantime.
 */
const [FIRST, END] = [10_081, 32_000];

let next = randomInt(FIRST, END);

/**
 * Finds free ports, for settings that need the address of a service before it listens. Within one process each call
 * returns other ports, because the service of an earlier call may not listen yet.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = next;
    next = port + 1 < END ? port + 1 : FIRST;
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}
