import { openSecretKey, type SecretKey } from '#platform/crypto/secret-key.ts';
import type { AppContext } from '#context/context.ts';
import { Leases } from '#context/leases.ts';
import { tickEachSecond, type Ticking } from '#context/ticks.ts';
import { OutgoingClient } from '#http/outgoing.ts';
import { timestampsIn } from '#http/timestamps.ts';
import { type Feed, readFeed } from '#store/game/changes.ts';
import { type DueWebhook, heldWebhooks } from '#store/applications/webhooks/progress.ts';
import { DeliveryRun } from './delivery-run.ts';
import type { DeliveryDeps } from './form.ts';
import { type DeliveryMetrics, deliveryMetrics } from './metrics.ts';

/** Maximum webhooks that a process takes per tick. */
const MAX_TAKEN = 100;
/** Maximum concurrent requests, and those of slow or failing receivers among them, which so delay no other. */
const MAX_RUNNING = 100;
const MAX_SLOW = 50;
/** A run of several deliveries that takes longer on average is slow. */
const SLOW_MS = 2_000;

type Context = Pick<AppContext, 'db' | 'clock' | 'config' | 'log' | 'metrics'>;

export interface WebhooksOptions {
  outgoing?: OutgoingClient;
  /** Where addresses of Discord lead in tests. */
  discordOrigin?: string;
  /** Measures time spans, in milliseconds. */
  monotonic?: () => number;
}

/** The last run of a webhook. */
interface LastRun {
  ended: number;
  isSlow: boolean;
}

/**
 * Delivers changes to the webhooks of applications. Several processes may do this at the same time: the one that has the
 * lease of a webhook delivers it, one message after the other, and writes of the others are refused.
 */
export class Webhooks implements Ticking {
  readonly #context: Context;
  readonly #leases: Leases;
  readonly #monotonic: () => number;
  readonly #deps: DeliveryDeps;
  readonly #metrics: DeliveryMetrics;
  readonly #stop = new AbortController();
  readonly #running = new Map<number, Promise<void>>();
  readonly #slow = new Set<number>();
  #last = new Map<number, LastRun>();

  constructor(
    context: Context,
    { outgoing, discordOrigin, monotonic = () => performance.now() }: WebhooksOptions = {},
  ) {
    this.#context = context;
    this.#monotonic = monotonic;
    this.#leases = new Leases(context, 'webhooks', monotonic);
    this.#metrics = deliveryMetrics(context.metrics, context.clock);
    let key: SecretKey | undefined;
    this.#deps = {
      ...{ context, holder: this.#leases.holder, metrics: this.#metrics, stop: this.#stop.signal, discordOrigin },
      timestamp: timestampsIn(context.config.TIME_ZONE),
      outgoing: outgoing ?? new OutgoingClient(context.config),
      secretKey: () => (key ??= openSecretKey(context.config)),
    };
  }

  /** Starts the deliveries that are due, those that wait longest first. */
  async tick(): Promise<void> {
    await this.#leases.hold(MAX_TAKEN);
    const held = await heldWebhooks(this.#context.db, this.#leases.holder);
    this.#last = new Map(held.flatMap(({ key }) => (this.#last.has(key) ? [[key, this.#last.get(key)!]] : [])));
    if (held.length === 0) return this.#metrics.ticked([]);
    const feed = await readFeed(this.#context.db);
    const now = this.#context.clock.now();
    const waited = ({ key }: DueWebhook): number => this.#last.get(key)?.ended ?? 0;
    const due = held
      .filter((webhook) => !this.#running.has(webhook.key) && isDue(webhook, feed, now))
      .toSorted((one, other) => waited(one) - waited(other));
    for (const { key } of due) this.#start(key);
    this.#metrics.ticked(held);
  }

  /** Logs and counts a failure. */
  failed(error: unknown, message: string): undefined {
    this.#context.log.error({ err: error }, message);
    this.#metrics.erred();
  }

  #start(key: number): void {
    const isSlow = this.#last.get(key)?.isSlow === true;
    if (this.#running.size >= MAX_RUNNING || (isSlow && this.#slow.size >= MAX_SLOW)) return;
    if (isSlow) this.#slow.add(key);
    const started = this.#monotonic();
    const run = async (): Promise<void> => {
      const steps = await new DeliveryRun(this.#deps, key)
        .run()
        .catch((error: unknown) => this.failed(error, 'a webhook failed'));
      const ended = this.#monotonic();
      this.#last.set(key, { ended, isSlow: steps === undefined || ended - started > SLOW_MS * Math.max(1, steps) });
      this.#slow.delete(key);
      this.#running.delete(key);
    };
    this.#running.set(key, run());
  }

  /** Resolves when no delivery runs. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.settled();
    this.#deps.outgoing[Symbol.dispose]();
    // A lease that is not released expires.
    const { log } = this.#context;
    await this.#leases.release().catch((error: unknown) => log.error({ err: error }, 'cannot release the webhooks'));
  }
}

function isDue(webhook: DueWebhook, { id, head }: Pick<Feed, 'id' | 'head'>, now: number): boolean {
  const { state, feed, place, next_attempt, last_head, message } = webhook;
  if (next_attempt > now) return last_head !== null && head > last_head;
  return (message !== null && message <= now) || (state === 'on' && (feed !== id || place !== head));
}

/** Runs until it is disposed. */
export function startWebhooks(context: Context): AsyncDisposable {
  const webhooks = new Webhooks(context);
  return tickEachSecond(webhooks, (error) => webhooks.failed(error, 'webhooks failed'));
}
