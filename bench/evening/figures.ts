import { median, percentile } from '../statistics.ts';
import type { Service } from './plan.ts';
import type { Sent } from './send.ts';

interface Latency {
  p50: number;
  p99: number;
}

/** The figures of one run, or the medians of several. Times in milliseconds. */
export interface EveningFigures {
  rate: number;
  latency: Record<Service, Latency>;
  errors: number;
  /** CPU time divided by elapsed time. */
  cores: { service: number; load: number };
}

/** The targets at the 99th percentile, in milliseconds. */
export const MAX_P99: Record<Service, number> = { API: 50, SITE: 50, INGEST: 100 };
export const SERVICES = Object.keys(MAX_P99) as Service[];

export function latencyOf(sent: Record<Service, Sent>): EveningFigures['latency'] {
  return eachService((service) => ({
    p50: percentile(sent[service].times, 0.5),
    p99: percentile(sent[service].times, 0.99),
  }));
}

/** The medians of the runs, with the sum of their errors. */
export function medianOf(runs: readonly EveningFigures[]): EveningFigures {
  const of = (figure: (run: EveningFigures) => number): number => median(runs.map(figure));
  return {
    rate: runs[0]!.rate,
    latency: eachService((service) => ({
      p50: of(({ latency }) => latency[service].p50),
      p99: of(({ latency }) => latency[service].p99),
    })),
    errors: runs.reduce((sum, { errors }) => sum + errors, 0),
    cores: { service: of(({ cores }) => cores.service), load: of(({ cores }) => cores.load) },
  };
}

/** Whether a run meets the targets. */
export function meetsTargets({ latency, errors }: EveningFigures): boolean {
  return errors === 0 && SERVICES.every((service) => latency[service].p99 <= MAX_P99[service]);
}

const SHOWN_ERRORS = 3;

export function textOf({ rate, latency, errors, cores }: EveningFigures, problems: readonly string[]): string {
  const times = SERVICES.map((service) => {
    const { p50, p99 } = latency[service];
    return `${service} p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms`.padEnd(34);
  });
  const cpu = `cores: service ${cores.service.toFixed(2)}, load ${cores.load.toFixed(2)}`;
  const shown = problems.slice(0, SHOWN_ERRORS).map((problem) => `  ${problem}\n`);
  return `busy evening at rate ${rate}   ${times.join('')}errors ${errors}   ${cpu}\n${shown.join('')}`;
}

/** One line that says whether the last rate meets the targets. */
export function conclusion(last: EveningFigures): string {
  const targets = `p99: ${SERVICES.map((service) => `${service} ${MAX_P99[service]} ms`).join(', ')}; no error`;
  return `Rate ${last.rate} ${meetsTargets(last) ? 'meets' : 'does not meet'} the targets (${targets}).\n`;
}

function eachService<T>(make: (service: Service) => T): Record<Service, T> {
  return { API: make('API'), SITE: make('SITE'), INGEST: make('INGEST') };
}
