import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * The metrics of one thread, in the data model of Prometheus. Names begin with `scorehall_`, those that every client library
 * of Prometheus has with `process_`, and end with their unit; labels have few values, never ids, names or addresses.
 */
export type Metrics = Registry;

export const openMetrics = (): Metrics => new Registry();

interface Description<L extends string> {
  name: `scorehall_${string}` | `process_${string}`;
  help: string;
  labelNames?: readonly L[];
}

/** Sets the value of a metric at each scrape. */
type Collect<M> = (metric: M) => Promise<void> | void;

/** prom-client calls it with the metric as `this`. */
const collecting = <M>(collect: Collect<M> | undefined) =>
  collect && {
    collect(this: M) {
      return collect(this);
    },
  };

/** It and `histogram` return the existing metric of that name: a service may be opened again with the same context. */
export function counter<L extends string = never>(
  metrics: Metrics,
  { collect, ...description }: Description<L> & { collect?: Collect<Counter<L>> },
): Counter<L> {
  const known = metrics.getSingleMetric(description.name) as Counter<L> | undefined;
  return known ?? new Counter({ labelNames: [], ...description, registers: [metrics], ...collecting(collect) });
}

export function gauge<L extends string = never>(
  metrics: Metrics,
  { collect, ...description }: Description<L> & { collect?: Collect<Gauge<L>> },
): Gauge<L> {
  metrics.removeSingleMetric(description.name);
  return new Gauge({ labelNames: [], ...description, registers: [metrics], ...collecting(collect) });
}

/** @param buckets upper bounds in the unit of the name, ascending */
export function histogram<L extends string = never>(
  metrics: Metrics,
  { buckets, ...description }: Description<L> & { buckets: number[] },
): Histogram<L> {
  const known = metrics.getSingleMetric(description.name) as Histogram<L> | undefined;
  return known ?? new Histogram({ labelNames: [], ...description, buckets, registers: [metrics] });
}

/** In seconds, from a cached read to the time limit for a slow client. */
export const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
