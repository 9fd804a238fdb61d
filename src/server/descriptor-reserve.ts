import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Log } from '#platform/process/log.ts';

/** Descriptors that the connections of the services leave to `/readyz`, the database and files. */
const RESERVE = 64;
const LOG_INTERVAL_MS = 60_000;
/** Of Linux; a chroot may lack it. */
const LIMITS = '/proc/self/limits';

/** Maximum open descriptors of this process; NaN if it is unlimited or the system does not say. */
export function descriptorLimit(): number {
  if (!existsSync(LIMITS)) return NaN;
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync(LIMITS, 'utf8'))?.[1]);
}

/**
 * Closes new connections of a server while the process has few descriptors left, and logs it once a minute. Without the reserve Node
 * closes connections of all listeners, also those of the internal one, and nothing says so.
 */
export function keepDescriptors(server: Server, service: string, log: Log, limit = descriptorLimit()): void {
  const first = limit - Math.min(RESERVE, Math.floor(limit / 4));
  let logged = -Infinity;
  server.on('connection', (socket) => {
    if (!(lowestFree() >= first)) return;
    socket.destroy();
    if (performance.now() - logged < LOG_INTERVAL_MS) return;
    logged = performance.now();
    log.error({ service, limit }, 'out of file descriptors: new connections are closed');
  });
}

/** The system gives the lowest free descriptor, for all threads together. */
function lowestFree(): number {
  try {
    const descriptor = openSync('/dev/null', 'r');
    closeSync(descriptor);
    return descriptor;
  } catch {
    return Infinity;
  }
}
