import { measureEvenings } from '#bench/evening/evening.ts';
import { MAX_P99, SERVICES } from '#bench/evening/figures.ts';
import { DEFAULT_SEED, generateDatabase } from '#bench/generated.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { createSubscribers, Subscribers, STREAM_LIMITS, STREAM_PATH } from './subscribers.ts';
import type { SubscribersReport } from './subscribers-process.ts';

const MATCHES = 100_000;
const SUBSCRIBERS = 1_000;
const APPLICATIONS = 100;
const MAX_SHOWN = 3;
const MAX_P50_MS = 250;
const MAX_P99_MS = 1_000;

/** A busy evening (`npm run bench -- --evening`) with subscribers of the stream. */
export async function testSubscribers(report: Report, { matches = MATCHES, seconds }: LoadTestOptions): Promise<void> {
  const { url } = await generateDatabase({ matches, seed: DEFAULT_SEED }, () => undefined);
  let received: SubscribersReport | undefined;
  const [evening] = await measureEvenings(url, {
    ...{ rate: 1, minRate: 1, rounds: 1, seconds, environment: STREAM_LIMITS },
    beside: async ({ api: port }, { context: { db } }) => {
      const subscribers = new Subscribers();
      const tokens = await createSubscribers(db, APPLICATIONS);
      const { open, problems } = await subscribers.open({ open: SUBSCRIBERS, port, path: STREAM_PATH, tokens });
      report.add('subscribers', [`${open} of ${SUBSCRIBERS} are open`, ...problems].join('; '), open === SUBSCRIBERS);
      return {
        [Symbol.asyncDispose]: async () => {
          received = await subscribers.report();
          subscribers[Symbol.dispose]();
        },
      };
    },
    progress: (_, problems) => {
      for (const problem of problems.slice(0, MAX_SHOWN)) console.log(`         ${problem}`);
    },
  });
  const { latency, errors, cores } = evening!;
  for (const service of SERVICES) {
    const { p50, p99 } = latency[service];
    report.add(`evening, ${service}: p99`, `${p99.toFixed(1)} ms (p50 ${p50.toFixed(1)})`, p99 <= MAX_P99[service]);
  }
  report.add('evening: errors', errors, errors === 0);
  report.note('evening: cores of the service and of the load', `${cores.service.toFixed(2)}, ${cores.load.toFixed(2)}`);
  const { p50, p99, received: count, problems } = received!;
  report.add('subscribers: ended streams', [problems.length, ...problems].join('; '), problems.length === 0);
  report.note('subscribers: received changes', count);
  report.add('commit to stream: p50', `${p50} ms`, count > 0 && p50 <= MAX_P50_MS);
  report.add('commit to stream: p99', `${p99} ms`, count > 0 && p99 <= MAX_P99_MS);
}
