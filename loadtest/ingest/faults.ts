import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Worker } from 'node:worker_threads';
import { openServices } from '#server/listeners.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { openAppContext } from '#context/context.ts';
import type { Report } from '../report.ts';
import type { Databases } from '../support/databases.ts';
import { type ServedProcess, serveProcess } from '../support/served-process.ts';
import { differing, digestsOf } from './digests.ts';
import { openSmallDisk } from '../support/small-disk.ts';
import { createPopulation, matchOf } from '../support/matches.ts';
import { prepare } from '../support/prepare.ts';

const people = createPopulation(200);
const match = () => matchOf(people, 10, Date.now());

interface Reply {
  status: number;
  text: string;
  retryAfter: string | null;
}

async function post(
  port: number,
  key: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(`http://127.0.0.1:${port}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  return { status: response.status, text: await response.text(), retryAfter: response.headers.get('retry-after') };
}

/** Tests faults: each must lead to a clear response, lose no event and leave the service running. */
export async function testFaults(databases: Databases, report: Report): Promise<void> {
  const url = await databases.create();
  const [key, other] = (await prepare(url, 2)) as [string, string];
  const services = await serveProcess(url);
  const reportFigure = (name: string, figure: string | number, holds: boolean): void =>
    report.add(`${databases.dialect}: ${name}`, figure, holds);
  await testMalformed(services, key, reportFigure);
  await testForeignKey(url, services, key, other, reportFigure);
  if (databases.dialect === 'sqlite') {
    await testDiskFull(url, services, key, reportFigure);
    await testLocked(url, services, key, reportFigure);
  } else {
    await testDatabaseGone(databases, url, services, key, reportFigure);
    await testSmallDisk(reportFigure);
  }
  await services.kill();
  await testClock(url, key, reportFigure);
}

type ReportFigure = (name: string, figure: string | number, holds: boolean) => void;

async function testMalformed(services: ServedProcess, key: string, reportFigure: ReportFigure): Promise<void> {
  const text = JSON.stringify(match());
  const ndjson = { 'content-type': 'application/x-ndjson' };
  const before = residentMegabytes(services);
  const long = await post(services.ingest, key, `{"id":"${'x'.repeat(2_000_000)}"}\n${text}\n`, ndjson);
  reportFigure('a line of 2 MB, followed by a match', outcome(long), /rejected.*longer.*\n.*accepted/.test(long.text));
  const deep = await post(
    services.ingest,
    key,
    `{"version":1,"data":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`,
  );
  reportFigure('a million nested arrays', outcome(deep), deep.status === 200 && deep.text.includes('"rejected"'));
  const twice = await post(services.ingest, key, text.replace('"map"', '"map":"Other","map"'));
  reportFigure('a repeated member in an object', outcome(twice), twice.status === 400);
  const bombs = await Promise.all(
    Array.from({ length: 8 }, () => post(services.ingest, key, bomb, { ...ndjson, 'content-encoding': 'gzip' })),
  );
  reportFigure(
    `8 gzip bombs of ${Math.round(bomb.length / 1024)} KB, 1 GB decompressed`,
    outcome(bombs[0]!),
    bombs.every(({ status }) => [200, 413, 429].includes(status)),
  );
  const grown = residentMegabytes(services) - before;
  reportFigure('growth of the resident memory, MB', grown, grown < 400);
  const alive = await post(services.ingest, key, JSON.stringify(match()));
  reportFigure('a valid match afterwards', outcome(alive), alive.text.includes('"accepted"'));
}

const bomb = gzipSync(Buffer.alloc(1024 * 1024 * 1024, ' '));

const outcome = ({ status, text }: Reply): string => `${status} ${text.trim().slice(0, 90).replaceAll('\n', ' ')}`;

function residentMegabytes({ child }: ServedProcess): number {
  return Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)]).toString()) / 1024);
}

async function testForeignKey(
  url: string,
  services: ServedProcess,
  key: string,
  other: string,
  reportFigure: ReportFigure,
): Promise<void> {
  const own = [...Array.from({ length: 20 }, match), ...dependentEvents()].map((event) => ({
    ...event,
    server: 'Server 0',
  }));
  const accepted = await post(services.ingest, key, JSON.stringify(own));
  reportFigure(
    'events of the first server',
    accepted.text.match(/"accepted"/g)!.length,
    !accepted.text.includes('"rejected"'),
  );
  const before = await digestsOf(url);
  const changed = own.map((event) => ({ ...event, data: { ...event.data, version: '9', reason: 'x' } }));
  const forged = [...own, ...changed, ...own.map((event, place) => ({ ...event, id: `forged ${place}` }))];
  // Any server may set its own rotation and publish a map.
  const unnamed = dependentEvents()
    .filter(({ type }) => type === 'punishment.changed')
    .map((event) => ({ ...event, id: `x ${event.id}` }));
  const refused = await post(services.ingest, other, JSON.stringify([...forged, ...unnamed]));
  reportFigure(
    "the same events with the second server's key",
    `${refused.text.match(/"rejected"/g)!.length} rejected`,
    !refused.text.includes('"accepted"'),
  );
  const tables = differing(before, await digestsOf(url));
  // The second server’s refused events are listed, under new keys.
  reportFigure('tables changed by the second server', tables || 'none', tables === 'refusals, sequence');
}

/** A map, a rotation and a punishment, with events that depend on each other. */
function dependentEvents() {
  const time = new Date().toISOString();
  const player = people.players[0]!;
  const event = (type: string, data: Record<string, unknown>) => ({ version: 1, id: type, type, time, data });
  return [
    event('map.published', { name: 'Twin Peaks', version: '1' }),
    event('rotation.changed', { maps: ['Twin Peaks'] }),
    event('punishment.issued', { punishment: 'p1', punished: player, type: 'ban' }),
    event('punishment.changed', { punishment: 'p1', reason: 'said' }),
  ];
}

/** Simulates a full disk for one process with a file size limit. */
async function testDiskFull(
  url: string,
  services: ServedProcess,
  key: string,
  reportFigure: ReportFigure,
): Promise<void> {
  const limit = (size: string): unknown => execFileSync('prlimit', [`--pid=${services.child.pid}`, `--fsize=${size}`]);
  limit('100000:unlimited');
  const lost = Array.from({ length: 40 }, match);
  const answers = await Promise.all(lost.map((one) => post(services.ingest, key, JSON.stringify(one))));
  const clear = answers.filter(({ status, retryAfter }) => status === 503 && retryAfter !== null).length;
  reportFigure(
    'disk full: 503 with Retry-After for 40 matches',
    `${clear} times ${outcome(answers[0]!)}`,
    clear === 40,
  );
  const online = await fetch(`http://127.0.0.1:${services.api}/v1/openapi.json`);
  reportFigure('disk full: the data API still responds', online.status, online.status === 200);
  limit('unlimited:unlimited');
  await testNoDuplicates(url, services, key, lost, 'disk full', reportFigure);
}

/** A full disk of PostgreSQL: matches that do not fit get 503, and accepted ones stay. */
async function testSmallDisk(reportFigure: ReportFigure): Promise<void> {
  await using disk = await openSmallDisk();
  // A test that could not run counts as missed.
  if (disk === undefined)
    return reportFigure('disk full', 'not run: this system must allow user namespaces, see user_namespaces(7)', false);
  const [key] = (await prepare(disk.url, 1)) as [string];
  const services = await serveProcess(disk.url);
  try {
    await post(services.ingest, key, JSON.stringify(match()));
    await disk.fill();
    const sent = Array.from({ length: 400 }, match);
    const answers: Reply[] = [];
    for (const one of sent) answers.push(await post(services.ingest, key, JSON.stringify(one)));
    const full = answers.filter(({ status, retryAfter }) => status === 503 && retryAfter !== null);
    const accepted = answers.filter(({ text }) => text.includes('"accepted"')).length;
    const figure = `${full.length} times ${outcome(full[0] ?? answers[0]!)}; ${accepted} accepted`;
    reportFigure(
      `disk full: 503 with Retry-After or a receipt for ${sent.length} matches`,
      figure,
      full.length > 0 && full.length + accepted === sent.length,
    );
    const read = await fetch(`http://127.0.0.1:${services.site}/matches`);
    reportFigure('disk full: the site still responds', read.status, read.status === 200);
    await disk.free();
    await testNoDuplicates(disk.url, services, key, sent, 'disk full', reportFigure);
  } finally {
    await services.kill();
  }
}

async function testNoDuplicates(
  url: string,
  services: ServedProcess,
  key: string,
  events: ReturnType<typeof match>[],
  fault: string,
  reportFigure: ReportFigure,
): Promise<void> {
  const again = await post(services.ingest, key, JSON.stringify(events));
  const accepted = (again.text.match(/"accepted"|"duplicate"/g) ?? []).length;
  await using db = await openDb(url);
  const ids = new Set(events.map(({ id }) => id));
  const rows = await db.all<{ event_id: string }>(sql`select event_id from ledger where type = 'match.finished'`);
  const stored = rows.filter(({ event_id }) => ids.has(event_id)).length;
  reportFigure(
    `${fault}: sent again, stored once`,
    `${accepted} accepted, ${stored} stored`,
    accepted === events.length && stored === accepted,
  );
}

/** Another process has locked the SQLite file: writers wait for the lock, readers do not. */
async function testLocked(
  url: string,
  services: ServedProcess,
  key: string,
  reportFigure: ReportFigure,
): Promise<void> {
  const holder = new Worker(
    `const { DatabaseSync } = require('node:sqlite');
     const db = new DatabaseSync(require('node:worker_threads').workerData, { timeout: 5000 });
     db.exec('begin immediate');
     require('node:worker_threads').parentPort.postMessage('held');
     setTimeout(() => { db.exec('rollback'); db.close(); }, 2000);`,
    { eval: true, workerData: url },
  );
  await once(holder, 'message');
  const began = performance.now();
  const waiting = post(services.ingest, key, JSON.stringify(match()));
  const read = await fetch(`http://127.0.0.1:${services.api}/v1/openapi.json`);
  const readMs = performance.now() - began;
  const reply = await waiting;
  const waited = Math.round(performance.now() - began);
  reportFigure(
    'file locked by another process for 2 s',
    `${outcome(reply)} after ${waited} ms`,
    reply.text.includes('"accepted"'),
  );
  reportFigure(
    'file locked: response time of the data API, ms',
    Math.round(readMs),
    read.status === 200 && readMs < 500,
  );
}

async function testDatabaseGone(
  databases: Databases,
  url: string,
  services: ServedProcess,
  key: string,
  reportFigure: ReportFigure,
): Promise<void> {
  await databases.outage!.begin();
  const lost = Array.from({ length: 40 }, match);
  const answers = await Promise.all(lost.map((one) => post(services.ingest, key, JSON.stringify(one))));
  const clear = answers.filter(({ status, retryAfter }) => status === 503 && retryAfter !== null).length;
  reportFigure(
    'database stopped: 503 with Retry-After for 40 matches',
    `${clear} times ${outcome(answers[0]!)}`,
    clear === 40,
  );
  await databases.outage!.end();
  await sleep(200);
  await testNoDuplicates(url, services, key, lost, 'database stopped', reportFigure);
}

/** The clock of the service steps back: receipts keep growing, and events that seem too early are accepted later. */
async function testClock(url: string, key: string, reportFigure: ReportFigure): Promise<void> {
  let shift = 0;
  const clock = { ...systemClock, now: () => Date.now() + shift };
  const listens = Object.fromEntries(
    ['API', 'AUTH', 'SITE', 'INGEST'].map((service) => [`${service}_LISTEN`, '127.0.0.1:0']),
  );
  await using context = await openAppContext(readConfig({ ...listens, DATABASE_URL: url, LOG_LEVEL: 'silent' }), clock);
  await using services = await openServices(context, ['INGEST']);
  const port = Number(new URL(services.addresses.INGEST!).port);
  const before = await post(port, key, JSON.stringify(match()));
  shift = -3_600_000;
  const early = match();
  const refused = await post(port, key, JSON.stringify(early));
  reportFigure('clock an hour back: a match of the present', outcome(refused), refused.text.includes('"retry":true'));
  const late = { ...match(), time: new Date(clock.now()).toISOString() };
  late.data = { ...late.data, started: late.time, finished: late.time };
  const accepted = await post(port, key, JSON.stringify(late));
  const ids = [before, accepted].map(({ text }) => (JSON.parse(text) as { receipt: string }).receipt);
  reportFigure('clock an hour back: receipts keep growing', ids.join(' < '), ids[0]! < ids[1]!);
  shift = 0;
  const again = await post(port, key, JSON.stringify(early));
  reportFigure('clock corrected: the same match sent again', outcome(again), again.text.includes('"accepted"'));
}
