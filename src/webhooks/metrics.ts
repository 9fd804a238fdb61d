import { counter, DURATION_BUCKETS, gauge, histogram, type Metrics } from '#platform/process/metrics.ts';
import type { Clock } from '#platform/clock.ts';
import type { DueWebhook } from '#store/applications/webhooks/progress.ts';
import type { Outcome } from './outcome.ts';

/** Whether a webhook is on, or waits for a receiver that fails or asked for a pause, which is then the cause of the lag. */
const LAGGING = ['on', 'waiting'] as const;
type Lagging = (typeof LAGGING)[number] | 'unverified';

export type DeliveryMetrics = ReturnType<typeof deliveryMetrics>;

export function deliveryMetrics(metrics: Metrics, clock: Clock) {
  const oldest = new Map<number, number>();
  let states = new Map<number, Lagging>();
  let tick = 0;
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
    help: 'Age of the oldest change that a webhook of this process has not been sent, by its state; 0: none',
    labelNames: ['state'],
    collect: (lag) => {
      for (const state of LAGGING) {
        const times = [...oldest].flatMap(([key, time]) => (states.get(key) === state ? [time] : []));
        lag.set({ state }, Math.max(0, ...times.map((time) => (clock.now() - time) / 1000)));
      }
    },
  });
  gauge(metrics, {
    name: 'scorehall_webhook_last_tick_timestamp_seconds',
    help: 'When the deliveries to webhooks that are due were last started; 0: not yet',
    collect: (last) => last.set(tick / 1000),
  });
  const errors = counter(metrics, {
    name: 'scorehall_webhook_errors_total',
    help: 'Errors of the service, not of receivers, that ended deliveries to webhooks',
  });
  return {
    attempted(outcome: Outcome['kind'], ms: number): void {
      attempts.inc({ outcome });
      durations.observe(ms / 1000);
    },
    /** @param time of the oldest change that is not delivered; undefined without one */
    reached(webhook: number, time: number | undefined): void {
      if (time === undefined) oldest.delete(webhook);
      else oldest.set(webhook, time);
    },
    /** A tick has ended without an error, which delivers these webhooks. */
    ticked(webhooks: readonly DueWebhook[]): void {
      tick = clock.now();
      states = new Map(webhooks.map((webhook) => [webhook.key, lagging(webhook, tick)]));
      for (const webhook of oldest.keys()) if (!states.has(webhook)) oldest.delete(webhook);
    },
    /** A tick or the run of a webhook has ended with an error. */
    erred: (): void => errors.inc(),
  };
}

function lagging({ state, failures, next_attempt }: DueWebhook, now: number): Lagging {
  if (state !== 'on') return 'unverified';
  return failures > 0 || next_attempt > now ? 'waiting' : 'on';
}
