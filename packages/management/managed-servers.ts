import type { ManagedServer, ManagementCore } from './core.ts';
import { type ConnectionDeps, ServerConnection } from './server-connection.ts';
import type { SocketLimits } from './socket.ts';

const MAX_SERVERS = 1_000;
/** Maximum connections opened per tick. */
const MAX_STARTED = 20;
const LIMITS: SocketLimits = { maxBytes: 16 * 1024 * 1024, timeoutMs: 10_000, maxIdle: 10_000 };
const BACKOFF_MS = 1_000;
/** Enough for a server of 5,000 players, the largest, to fill within five minutes. */
const SESSIONS_PER_MINUTE = 1_000;

export interface ManagedServersOptions {
  limits?: SocketLimits;
  backoffMs?: number;
  sessionsPerMinute?: number;
  /** Measures time spans, in milliseconds. */
  monotonic?: () => number;
}

/**
 * Follows game servers by the Minecraft Server Management Protocol. Several processes may do this at the same time: one
 * of them has the lease of each server in the database, and writes of the others are refused.
 */
export class ManagedServers implements AsyncDisposable {
  readonly #core: ManagementCore;
  readonly #deps: ConnectionDeps;
  readonly #connections = new Map<number, ServerConnection>();

  constructor(
    core: ManagementCore,
    {
      limits = LIMITS,
      backoffMs = BACKOFF_MS,
      sessionsPerMinute = SESSIONS_PER_MINUTE,
      monotonic = () => performance.now(),
    }: ManagedServersOptions = {},
  ) {
    this.#core = core;
    this.#deps = { core, limits, backoffMs, sessionsPerMinute, monotonic };
  }

  /** Takes servers without a lease, and ends connections whose settings were changed or removed. */
  async tick(): Promise<void> {
    const held = await this.#core.hold(Math.min(MAX_STARTED, MAX_SERVERS - this.#connections.size));
    const revisions = new Map(held.map(({ serverKey, revision }) => [serverKey, revision]));
    for (const [serverKey, connection] of this.#connections) {
      if (revisions.get(serverKey) === connection.revision && !connection.isOver) continue;
      this.#connections.delete(serverKey);
      await connection.stop();
    }
    for (const server of held) this.#start(server);
  }

  #start(server: ManagedServer): void {
    if (!this.#connections.has(server.serverKey))
      this.#connections.set(server.serverKey, new ServerConnection(this.#deps, server));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.stop()));
    this.#connections.clear();
    // A lease that is not released expires.
    const { log } = this.#core;
    await this.#core.release().catch((error: unknown) => log.error({ err: error }, 'cannot release the servers'));
  }
}
