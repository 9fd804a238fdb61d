import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { databases, dialectsOf, type Databases } from '../support/databases.ts';
import { createReader, prepare } from '../support/prepare.ts';
import { freeServicePorts, serveProcess } from '../support/served-process.ts';
import { ABUSERS, type Abuser, type Target } from './abusers.ts';
import { Attack } from './attack.ts';
import { createOwner, HonestUsers } from './honest-users.ts';
import { eventLoopDelays } from './metrics.ts';

/** Maximum wait of an honest user at the 99th percentile. */
const MAX_P99_MS = 250;
/**
 * Maximum delay, at the same percentile, that an operator's act may cause to the event loop of a thread that answers
 * requests.
 */
const MAX_DELAY_MS = 20;
const MATCHES = 20_000;
const WARM_UP_MS = 3_000;

/** The default limits of game servers, which other load tests switch off. */
const ENVIRONMENT = { TRUSTED_PROXIES: '127.0.0.1', INGEST_WEIGHT_LIMIT: undefined, NEW_PLAYERS_LIMIT: undefined };

export const PARTS = ABUSERS.map(({ name }) => name);

/** Measures honest users during the attacks of one abuser after another, each in a new database. */
export async function runLoadTest(options: LoadTestOptions, report: Report): Promise<void> {
  for (const dialect of dialectsOf(options.database)) {
    await using opened = await databases(dialect);
    for (const abuser of ABUSERS) {
      if (options.wants(abuser.name)) await measure(opened, abuser, options, report);
    }
  }
}

async function measure(
  databases: Databases,
  abuser: Abuser,
  { seconds, matches = MATCHES }: LoadTestOptions,
  report: Report,
): Promise<void> {
  const url = await databases.create();
  const [honestKey = '', abuserKey = ''] = await prepare(url, 2);
  const ports = await freeServicePorts();
  const services = await serveProcess(url, { ports, environment: ENVIRONMENT });
  const target: Target = { url, key: abuserKey, ports, matches, ...(await createOwner(url)) };
  const honest = new HonestUsers(services, honestKey, await createReader(url), target.account);
  const name = `${databases.dialect}: ${abuser.name}`;
  try {
    await abuser.prepare?.(target);
    await honest.run(WARM_UP_MS);
    await eventLoopDelays(ports.internal);
    const attack = new Attack(abuser, target);
    const measured = await honest.run(seconds * 1000);
    const delays = await eventLoopDelays(ports.internal);
    const { statuses, isOrderly } = await attack.end();
    for (const { user, p50, p99, count, errors } of measured) {
      const figure = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${count} requests`;
      report.add(`${name}: ${user} (p99 at most ${MAX_P99_MS} ms)`, figure, p99 <= MAX_P99_MS);
      report.add(`${name}: ${user}, failed requests`, errors.join(' ') || 0, errors.length === 0);
    }
    for (const { thread, p99, longest } of delays) {
      const figure = `p99 ${p99.toFixed(0)} ms, longest ${longest.toFixed(0)} ms`;
      const title = `${name}: event loop of ${thread}`;
      if (!abuser.isOperatorAct || thread === 'writer') report.note(title, figure);
      else report.add(`${title} (p99 at most ${MAX_DELAY_MS} ms)`, figure, p99 <= MAX_DELAY_MS);
    }
    report.add(`${name}: responses to the abuser`, statuses, isOrderly);
  } finally {
    await services.kill();
    await databases.remove(url);
  }
}
