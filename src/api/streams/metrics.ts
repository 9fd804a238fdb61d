import type { Clock } from '#platform/clock.ts';
import { counter, DURATION_BUCKETS, gauge, histogram, type Metrics } from '#platform/process/metrics.ts';

export interface StreamMetrics {
  sent(event: 'change' | 'presence' | 'live', count: number): void;
  /** @param time of the oldest change that is sent to subscribers of the present */
  changed(time: number): void;
}

/** @param open the number of open streams */
export function streamMetrics(metrics: Metrics, clock: Clock, open: () => number): StreamMetrics {
  gauge(metrics, {
    name: 'scorehall_streams_open',
    help: 'Open streams of changes',
    collect: (streams) => streams.set(open()),
  });
  const sent = counter(metrics, {
    name: 'scorehall_stream_events_total',
    help: 'Events sent to streams of changes',
    labelNames: ['event'],
  });
  const lag = histogram(metrics, {
    name: 'scorehall_stream_lag_seconds',
    help: 'Age of the oldest change of a write to the streams of the present',
    buckets: DURATION_BUCKETS,
  });
  return {
    sent: (event, count) => sent.inc({ event }, count),
    changed: (time) => lag.observe((clock.now() - time) / 1000),
  };
}
