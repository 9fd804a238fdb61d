import type { Clock } from '#platform/clock.ts';
import { counter, DURATION_BUCKETS, gauge, histogram, type Metrics } from '#platform/process/metrics.ts';

export type StreamMetrics = ReturnType<typeof streamMetrics>;

/** @param open the number of open streams */
export function streamMetrics(metrics: Metrics, clock: Clock, open: () => number) {
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
    sent: (event: 'change' | 'presence' | 'live', count: number) => sent.inc({ event }, count),
    /** @param time of the oldest change that is sent to subscribers of the present */
    changed: (time: number) => lag.observe((clock.now() - time) / 1000),
  };
}
