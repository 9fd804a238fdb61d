import type { LoadTestOptions } from '../main.ts';
import type { Report } from '../report.ts';
import { databases, dialectsOf, type Databases } from '../support/databases.ts';
import { createReader, prepare } from '../support/prepare.ts';
import { serveProcess } from '../support/served-process.ts';
import { ABUSERS, type Abuser, type Target } from './abusers.ts';
import { createOwner, HonestUsers } from './honest-users.ts';
import { eventLoopDelays } from './metrics.ts';

/** What an honest user may wait at the 99th percentile. */
const MAX_P99_MS = 250;
const WARM_UP_MS = 3_000;

/** The limits of game servers are the defaults: other load tests switch them off. */
const ENVIRONMENT = { TRUSTED_PROXIES: '127.0.0.1', INGEST_WEIGHT_LIMIT: undefined, NEW_PLAYERS_LIMIT: undefined };

/** Measures honest users beside one abuser after another, each in a new database. */
export async function runLoadTest({ database, only, seconds }: LoadTestOptions, report: Report): Promise<void> {
  for (const dialect of dialectsOf(database)) {
    await using opened = await databases(dialect);
    for (const abuser of ABUSERS) {
      if (only === '' || only === abuser.name) await measure(opened, abuser, seconds, report);
    }
  }
}

async function measure(databases: Databases, abuser: Abuser, seconds: number, report: Report): Promise<void> {
  const url = await databases.create();
  const [honestKey = '', abuserKey = ''] = await prepare(url, 2);
  const target: Target = {
    url,
    key: abuserKey,
    services: await serveProcess(url, { environment: ENVIRONMENT }),
    ...(await createOwner(url)),
  };
  const honest = new HonestUsers(target.services, honestKey, await createReader(url), target.account);
  const name = `${databases.dialect}: ${abuser.name}`;
  try {
    await abuser.prepare?.(target);
    await honest.run(WARM_UP_MS);
    await eventLoopDelays(target.services.internal);
    const stop = new AbortController();
    const attack = abuser.attack(target, stop.signal);
    // An attack that fails at once must not be taken for a harmless one.
    attack.catch(() => undefined);
    const measured = await honest.run(seconds * 1000);
    const delays = await eventLoopDelays(target.services.internal);
    stop.abort();
    const statuses = await attack;
    for (const { user, p50, p99, count, errors } of measured) {
      const figure = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${count} requests`;
      report.add(`${name}: ${user} (p99 at most ${MAX_P99_MS} ms)`, figure, p99 <= MAX_P99_MS);
      report.add(`${name}: ${user}, failed requests`, errors.join(' ') || 0, errors.length === 0);
    }
    report.note(`${name}: event loop, p99 and longest delay in ms`, delays);
    report.add(`${name}: responses to the abuser`, statuses.toString(), statuses.isOrderly);
  } finally {
    await target.services.kill();
    await databases.remove(url);
  }
}
