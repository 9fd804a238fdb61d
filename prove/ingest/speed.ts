import { readFileSync } from 'node:fs';
import { openDb, type Db } from '#db/db.ts';
import { migrate } from '#db/migrate.ts';
import { sql } from '#db/sql.ts';
import { systemClock } from '#base/clock.ts';
import { takeEvents } from '#records/ledger.ts';
import { createServerKey } from '#records/server-keys.ts';
import { bareLoop, writesOf } from './bare-loop.ts';
import type { Report } from '../report.ts';
import type { Databases } from './databases.ts';
import { type ServedHouse, serveHouse } from './house.ts';
import { matchOf, town } from './matches.ts';
import { RawClient, rawPost } from './raw-client.ts';

const SENDERS = 32;
const PLAYERS = 20;
/**
 * Until what runs often is compiled and threads have found their cores: a service runs for weeks, not for seconds. The bare
 * loop on PostgreSQL waits for each of its statements, which makes a few hundred matches a second.
 */
const SIZES = { sqlite: { warmUp: 32_000, matches: 12_000 }, postgres: { warmUp: 3_200, matches: 1_600 } };
const TOWN = 1_000;

/** How the senders send: one match a request, or what has gathered meanwhile, as src/sender does. */
const WAYS = [
  { words: 'one match a request', batch: 1 },
  { words: '16 matches a request', batch: 16 },
];

const LEAST = 0.75;

/** Matches a second over HTTP, durable, against the bare loop, in turns. */
export async function proveSpeed(databases: Databases, report: Report, rounds = 3): Promise<void> {
  for (const way of WAYS) {
    const speeds: Speed[] = [];
    for (let round = 0; round < rounds; round++) speeds.push(await oneRound(databases, way.batch));
    const { ours, bare, ratio } = speeds.sort((a, b) => a.ratio - b.ratio)[Math.floor(rounds / 2)]!;
    const name = `${databases.dialect}: ${SENDERS} senders, ${way.words}`;
    report.note(`${name}: matches a second, bare loop`, `${Math.round(ours.rate)}, ${Math.round(bare.rate)}`);
    if (ours.cpu !== undefined && bare.cpu !== undefined) {
      const costs = `${Math.round(ours.cpu)}, ${Math.round(bare.cpu)}`;
      report.note(`${name}: µs of CPU time a match, all of the service, bare loop`, costs);
    }
    report.say(`${name}: ratio to the bare loop (least ${LEAST})`, ratio.toFixed(2), ratio >= LEAST);
  }
}

/** Matches a second, and microseconds of CPU time a match where that can be told. */
export interface Pace {
  rate: number;
  cpu: number | undefined;
}

interface Speed {
  ours: Pace;
  bare: Pace;
  ratio: number;
}

async function oneRound(databases: Databases, batch: number): Promise<Speed> {
  const [url, other] = [await databases.create(), await databases.create()];
  const keys = await prepare(url);
  const size = SIZES[databases.dialect];
  const ours = await sendAll(url, keys, batch, size);
  await using db = await openDb(url);
  const writes = await writesOf(db, await lastOfWarmUp(db, size));
  await copyStart(db, other);
  const bare = await bareLoop(other, writes);
  return { ours, bare, ratio: ours.rate / bare.rate };
}

interface Size {
  warmUp: number;
  matches: number;
}

async function lastOfWarmUp(db: Db, { warmUp }: Size): Promise<number> {
  const row = await db.get<{ key: number }>(sql`select key from matches order by key limit 1 offset ${warmUp - 1}`);
  return row!.key;
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
  await takeEvents(db, systemClock, { kind: 'operator' }, events);
  const servers = await db.all<{ key: number }>(sql`select key from servers order by key`);
  const keys: string[] = [];
  for (const { key } of servers) keys.push(await createServerKey(db, Date.now(), key));
  return keys;
}

async function sendAll(url: string, keys: string[], batch: number, { warmUp, matches: count }: Size): Promise<Pace> {
  const house = await serveHouse(url);
  const people = town(TOWN);
  const requests = (matches: number, each: number): Buffer[] =>
    Array.from({ length: matches / each }, (_, number) => {
      const events = Array.from({ length: each }, () => matchOf(people, PLAYERS, Date.now()));
      return rawPost('/events', keys[number % keys.length]!, JSON.stringify(events));
    });
  await send(house.ingest, requests(warmUp, batch));
  const measured = requests(count, batch);
  const [began, spent] = [performance.now(), cpuOf(house)];
  await send(house.ingest, measured);
  const seconds = (performance.now() - began) / 1000;
  const cpu = spent === undefined ? undefined : (cpuOf(house)! - spent) / count;
  await house.kill();
  return { rate: count / seconds, cpu };
}

const TICK_US = 10_000;

/** Microseconds of CPU time that a service has used so far; undefined where the system does not tell. */
function cpuOf({ child }: ServedHouse): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const [, fields = ''] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user! + system!) * TICK_US;
}

/** Sends requests over as many connections as there are senders. */
export async function send(port: number, requests: Buffer[], senders = SENDERS): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    const client = new RawClient(port);
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      const answer = await client.ask(request);
      if (!answer.includes('"accepted"') || answer.includes('"rejected"')) throw new Error(answer);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: senders }, work));
}

/** What the service found before it was measured: servers, players and their rows of counters. */
export async function copyStart(from: Db, url: string): Promise<void> {
  await using to = await openDb(url);
  await migrate(to);
  for (const table of ['servers', 'players', 'player_stats']) {
    const rows = await from.all({ strings: [`select * from ${table}`], values: [] });
    for (let start = 0; start < rows.length; start += 100) {
      await to.runAll(
        rows.slice(start, start + 100).map((row) => {
          const columns = Object.keys(row);
          const strings = [`insert into ${table} (${columns.join(', ')}) values (`];
          strings.push(...columns.slice(1).map(() => ', '), ')');
          return { strings, values: Object.values(row) };
        }),
      );
    }
  }
}
