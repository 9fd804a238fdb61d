import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';
import { sql } from '#db/sql.ts';
import { systemClock } from '#platform/clock.ts';
import { ingestEvents } from '#events/ledger.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import type { Report } from '../report.ts';
import type { Pace } from './baseline-loop.ts';
import type { Databases } from './databases.ts';
import { baselineSetup } from './baseline-setup.ts';
import { baselineLoop, GameServers } from './child-process.ts';
import { cpuOf, serveProcess } from './served-process.ts';

const SENDERS = 32;
/**
 * Until what runs often is compiled and threads have found their cores: a service runs for weeks, not for seconds. The bare
 * loop on PostgreSQL waits for each of its statements, which makes a few hundred matches a second.
 */
const SIZES = { sqlite: { warmUp: 32_000, matches: 12_000 }, postgres: { warmUp: 3_200, matches: 1_600 } };

/** How the senders send: one match a request, or what has gathered meanwhile, as src/sender does. */
const WAYS = [
  { words: 'one match a request', batch: 1, least: 0.4 },
  { words: '16 matches a request', batch: 16, least: 0.65 },
];

/** Matches a second over HTTP, durable, against the bare loop, in turns. */
export async function testSpeed(databases: Databases, report: Report, rounds = 3): Promise<void> {
  for (const way of WAYS) {
    const speeds: Speed[] = [];
    for (let round = 0; round < rounds; round++) speeds.push(await oneRound(databases, way.batch));
    const { ours, baseline, ratio } = speeds.toSorted((a, b) => a.ratio - b.ratio)[Math.floor(rounds / 2)]!;
    const name = `${databases.dialect}: ${SENDERS} senders, ${way.words}`;
    report.note(`${name}: matches a second, bare loop`, `${Math.round(ours.rate)}, ${Math.round(baseline.rate)}`);
    if (ours.cpu !== undefined && baseline.cpu !== undefined) {
      const costs = `${Math.round(ours.cpu)}, ${Math.round(baseline.cpu)}`;
      report.note(`${name}: µs of CPU time a match, all of the service, bare loop`, costs);
    }
    report.note(`${name}: ratios of the rounds`, speeds.map((speed) => speed.ratio.toFixed(2)).join(', '));
    report.add(`${name}: ratio to the bare loop (least ${way.least})`, ratio.toFixed(2), ratio >= way.least);
  }
}

interface Speed {
  ours: Pace;
  baseline: Pace;
  ratio: number;
}

async function oneRound(databases: Databases, batch: number): Promise<Speed> {
  const [url, other] = [await databases.create(), await databases.create()];
  const keys = await prepare(url);
  const size = SIZES[databases.dialect];
  const ours = await sendAll(url, keys, batch, size);
  const after = await baselineSetup(url, other, size.warmUp);
  const baseline = await baselineLoop({ from: url, after, to: other });
  // What the bare loop has not waited for must not hold up the next round.
  await Promise.all([url, other].map((one) => databases.remove(one)));
  return { ours, baseline, ratio: ours.rate / baseline.rate };
}

interface Size {
  warmUp: number;
  matches: number;
}

/** A server and a key for each sender. */
export async function prepare(url: string, count = SENDERS): Promise<string[]> {
  await using db = await openDb(url);
  await migrate(db);
  const time = new Date().toISOString();
  const events = Array.from({ length: count }, (_, number) => ({
    version: 1,
    id: `server-${number}`,
    type: 'server.configured',
    time,
    server: `Server ${number}`,
    data: { region: 'eu' },
  }));
  await ingestEvents(db, systemClock, { kind: 'operator' }, events);
  const servers = await db.all<{ key: number }>(sql`select key from servers order by key`);
  const keys: string[] = [];
  for (const { key } of servers) keys.push(await createServerKey(db, Date.now(), key));
  return keys;
}

async function sendAll(url: string, keys: string[], batch: number, { warmUp, matches }: Size): Promise<Pace> {
  const services = await serveProcess(url);
  using servers = new GameServers();
  const order = { port: services.ingest, keys, batch };
  await servers.send({ ...order, matches: warmUp });
  const spent = cpuOf(services);
  const rate = await servers.send({ ...order, matches });
  const cpu = spent === undefined ? undefined : (cpuOf(services)! - spent) / matches;
  await services.kill();
  return { rate, cpu };
}
