import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { databases, type Databases, dialectsOf } from '../support/databases.ts';
import { createReader, prepare } from '../support/prepare.ts';
import { freeServicePorts, type ServedProcess, serveProcess } from '../support/served-process.ts';
import { Mailbox } from '#test/support/mailbox.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { databaseSize } from '#store/installation/database.ts';
import type { Abuser, Target } from './abuser.ts';
import { ABUSERS } from './abusers.ts';
import { Attack } from './attack.ts';
import { createOwner, HonestUsers } from './honest-users.ts';
import { eventLoopDelays, LongestLog } from './metrics.ts';
import { measureNight } from './night.ts';

/** Maximum wait of an honest user at the 99th percentile: this, or if it is more this multiple of the wait without an abuser. */
const MAX_P99_MS = 250;
const MAX_OF_CALM = 5;
/**
 * Maximum delay, at the same percentile, that an operator's act may cause to the event loop of a thread that answers
 * requests: this, or if it is more `MAX_OF_CALM` times the delay without the act, because other programs delay it, too.
 */
const MAX_DELAY_MS = 20;
/** The length at which a purge waits, and what others write meanwhile. */
const MAX_LOG_MB = 700;
const MATCHES = 20_000;
const WARM_UP_MS = 3_000;
/** The time without an abuser, as a share of that with him. */
const CALM_SHARE = 0.5;

/** The default limits of game servers, which other load tests switch off. */
const ENVIRONMENT = {
  TRUSTED_PROXIES: '127.0.0.1',
  WEBHOOK_NETWORKS: '127.0.0.1:*',
  INGEST_WEIGHT_LIMIT: undefined,
  NEW_PLAYERS_LIMIT: undefined,
};

const NIGHT = 'night';
export const PARTS = [...ABUSERS.map(({ name }) => name), NIGHT];

/** Measures honest users during the attacks of one abuser after another, each in a new database, and then a night. */
export async function runLoadTest(options: LoadTestOptions, report: Report): Promise<void> {
  for (const dialect of dialectsOf(options.database)) {
    await using opened = await databases(dialect);
    for (const abuser of ABUSERS) {
      if (options.wants(abuser.name)) await measure(opened, abuser, options, report);
    }
    if (options.wants(NIGHT)) await measureNight(opened, report);
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
  await using closing = new AsyncDisposableStack();
  const mailbox = await Mailbox.open({ after: (close) => closing.defer(async () => await close()) });
  const environment = { ...ENVIRONMENT, SMTP_URL: mailbox.url };
  const serve = (): Promise<ServedProcess> => serveProcess(url, { ports, environment });
  let services = await serve();
  const target: Target = { url, key: abuserKey, ports, matches, ...(await createOwner(url)) };
  const honest = new HonestUsers(services, honestKey, await createReader(url), target.account);
  const name = `${databases.dialect}: ${abuser.name}`;
  try {
    await abuser.prepare?.(target);
    await honest.run(WARM_UP_MS);
    await eventLoopDelays(ports.internal);
    const calm = await honest.run(seconds * 1000 * CALM_SHARE);
    const calmDelays = await eventLoopDelays(ports.internal);
    if (abuser.whileStopped !== undefined) {
      await services.kill('SIGTERM');
      await abuser.whileStopped(target);
      services = await serve();
    }
    await eventLoopDelays(ports.internal);
    const sizeBefore = await megabytes(url);
    const attack = new Attack(abuser, target);
    const log = new LongestLog(url);
    const measured = await honest.run(seconds * 1000);
    const delays = await eventLoopDelays(ports.internal);
    const growth = (await megabytes(url)) - sizeBefore;
    const checks = (await abuser.check?.(target, mailbox)) ?? [];
    const { statuses, isOrderly } = await attack.end();
    for (const [index, { user, p50, p99, count, errors }] of measured.entries()) {
      const figure = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${count} requests`;
      const most = Math.max(MAX_P99_MS, MAX_OF_CALM * calm[index]!.p99);
      report.note(
        `${name}: ${user}, calm`,
        `p50 ${calm[index]!.p50.toFixed(0)} ms, p99 ${calm[index]!.p99.toFixed(0)} ms`,
      );
      report.add(`${name}: ${user} (p99 at most ${most.toFixed(0)} ms)`, figure, p99 <= most);
      report.add(`${name}: ${user}, failed requests`, errors.join(' ') || 0, errors.length === 0);
    }
    for (const { thread, p99, longest } of delays) {
      const figure = `p99 ${p99.toFixed(0)} ms, longest ${longest.toFixed(0)} ms`;
      const title = `${name}: event loop of ${thread}`;
      if (!abuser.isOperatorAct || thread === 'writer') report.note(title, figure);
      else {
        const most = Math.max(MAX_DELAY_MS, MAX_OF_CALM * calmDelays.find((calm) => calm.thread === thread)!.p99);
        report.add(`${title} (p99 at most ${most.toFixed(0)} ms)`, figure, p99 <= most);
      }
    }
    for (const check of checks) report.add(`${name}: ${check.name}`, check.figure, check.meetsTarget);
    report.note(`${name}: growth of the database`, `${growth.toFixed(0)} MB`);
    const { maxGrowthMb } = abuser;
    if (maxGrowthMb !== undefined) {
      const lasting = (await megabytesAfterVacuum(url)) - sizeBefore;
      const figure = `${lasting.toFixed(0)} MB`;
      report.add(`${name}: lasting growth (at most ${maxGrowthMb} MB)`, figure, lasting <= maxGrowthMb);
    }
    report.add(`${name}: responses to the abuser`, statuses, isOrderly);
    if (databases.dialect === 'sqlite')
      report.add(
        `${name}: longest log of SQLite (at most ${MAX_LOG_MB} MB)`,
        `${log.end()} MB`,
        log.end() <= MAX_LOG_MB,
      );
  } finally {
    await services.kill();
    await databases.remove(url);
  }
}

async function megabytes(url: string): Promise<number> {
  await using db = await openDb(url);
  return (await databaseSize(db)).bytes / 1e6;
}

/** PostgreSQL keeps deleted rows until its autovacuum runs, each minute. */
async function megabytesAfterVacuum(url: string): Promise<number> {
  await using db = await openDb(url);
  if (db.dialect === 'postgres') await db.run(sql`vacuum (full) tokens`);
  return (await databaseSize(db)).bytes / 1e6;
}
