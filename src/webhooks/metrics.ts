import { counter, DURATION_BUCKETS, gauge, histogram, type Metrics } from '#platform/process/metrics.ts';
import type { Clock } from '#platform/clock.ts';
import type { Outcome } from './outcome.ts';

export interface DeliveryMetrics {
  attempted(outcome: Outcome['kind'], ms: number): void;
  /** @param time of the oldest change that is not delivered; undefined without one */
  reached(webhook: number, time: number | undefined): void;
  /** Forgets the webhooks that this process does not deliver any more. */
  keep(webhooks: readonly number[]): void;
}

export function deliveryMetrics(metrics: Metrics, clock: Clock): DeliveryMetrics {
  const oldest = new Map<number, number>();
  const attempts = counter(metrics, {
    name: 'scorehall_webhook_attempts_total',
    help: 'Attempts to deliver a message to a webhook, by outcome',
    labelNames: ['outcome'],
  });
  const durations = histogram(metrics, {
    name: 'scorehall_webhook_attempt_duration_seconds',
    help: 'Duration of the requests to webhooks',
    buckets: DURATION_BUCKETS,
  });
  gauge(metrics, {
    name: 'scorehall_webhook_lag_seconds',
    help: 'Age of the oldest change that a webhook of this process has not been sent; 0: none',
    collect: (lag) => lag.set(Math.max(0, ...oldest.values().map((time) => (clock.now() - time) / 1000))),
  });
  return {
    attempted(outcome, ms) {
      attempts.inc({ outcome });
      durations.observe(ms / 1000);
    },
    reached(webhook, time) {
      if (time === undefined) oldest.delete(webhook);
      else oldest.set(webhook, time);
    },
    keep(webhooks) {
      const held = new Set(webhooks);
      for (const webhook of oldest.keys()) if (!held.has(webhook)) oldest.delete(webhook);
    },
  };
}
