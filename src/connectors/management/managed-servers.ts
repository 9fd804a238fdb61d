import { systemClock } from '#platform/clock.ts';
import { openSecretKey, type SecretKey } from '#platform/crypto/secret-key.ts';
import type { AppContext } from '#context/context.ts';
import { Leases } from '#context/leases.ts';
import { NewPlayerLimit } from '#events/ingest/event-queue.ts';
import { type HeldServer, heldServers } from '#store/game/watches/managed-servers.ts';
import { ServerConnection, type ConnectionDeps } from './server-connection.ts';
import type { SocketLimits } from './socket.ts';

const TICK_MS = 1_000;
const MAX_SERVERS = 1_000;
/** Maximum connections opened per tick. */
const MAX_STARTED = 20;
const LIMITS: SocketLimits = { maxBytes: 16 * 1024 * 1024, timeoutMs: 10_000, maxIdle: 10_000 };
const BACKOFF_MS = 1_000;
/** Enough for a server of 5,000 players, the largest, to fill within five minutes. */
const SESSIONS_PER_MINUTE = 1_000;

type Context = Pick<AppContext, 'db' | 'clock' | 'config' | 'log'>;

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
  readonly #context: Context;
  readonly #leases: Leases;
  readonly #deps: ConnectionDeps;
  readonly #connections = new Map<number, ServerConnection>();

  constructor(
    context: Context,
    {
      limits = LIMITS,
      backoffMs = BACKOFF_MS,
      sessionsPerMinute = SESSIONS_PER_MINUTE,
      monotonic = () => performance.now(),
    }: ManagedServersOptions = {},
  ) {
    this.#context = context;
    this.#leases = new Leases(context, 'managed_servers', monotonic);
    const { holder } = this.#leases;
    let key: SecretKey | undefined;
    this.#deps = {
      ...{ context, holder, limits, backoffMs, sessionsPerMinute, monotonic },
      newPlayers: new NewPlayerLimit(context.config.NEW_PLAYERS_LIMIT),
      secretKey: () => (key ??= openSecretKey(context.config)),
    };
  }

  /** Runs until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.tick().catch((error: unknown) => this.#context.log.error({ err: error }, 'managed servers failed'));
      await systemClock.wait(TICK_MS, signal);
    }
  }

  /** Takes servers without a lease, and ends connections whose settings were changed or removed. */
  async tick(): Promise<void> {
    await this.#leases.hold(Math.min(MAX_STARTED, MAX_SERVERS - this.#connections.size));
    const held = await heldServers(this.#context.db, this.#leases.holder);
    const revisions = new Map(held.map(({ serverKey, revision }) => [serverKey, revision]));
    for (const [serverKey, connection] of this.#connections) {
      if (revisions.get(serverKey) === connection.revision && !connection.isOver) continue;
      this.#connections.delete(serverKey);
      await connection.stop();
    }
    for (const server of held) this.#start(server);
  }

  #start(server: HeldServer): void {
    if (!this.#connections.has(server.serverKey))
      this.#connections.set(server.serverKey, new ServerConnection(this.#deps, server));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.stop()));
    this.#connections.clear();
    // A lease that is not released expires.
    const { log } = this.#context;
    await this.#leases.release().catch((error: unknown) => log.error({ err: error }, 'cannot release the servers'));
  }
}

/** Runs until it is disposed. */
export function startManagedServers(context: Context): AsyncDisposable {
  const servers = new ManagedServers(context);
  const stop = new AbortController();
  const running = servers.run(stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await servers[Symbol.asyncDispose]();
    },
  };
}
