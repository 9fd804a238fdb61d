import { secretHash } from '#platform/crypto/secrets.ts';
import { systemClock } from '#platform/clock.ts';
import { openDb } from '#db/open.ts';
import type { Db } from '#db/db.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { ChangeSet } from '#store/game/changes.ts';
import { serverByName } from '#store/game/servers.ts';
import type { Report } from '../report.ts';
import type { Databases } from '../support/databases.ts';
import { createPopulation, matchOf } from '../support/matches.ts';
import { prepare } from '../support/prepare.ts';

/** Matches a round, in transactions of one and of 16: as single requests and as groups. */
const VARIANTS = [
  { batch: 1, matches: 400 },
  { batch: 16, matches: 1_600 },
];
const ROUNDS = 9;

/** What the feed of changes adds to the ingest of a match: rounds with and without it take turns on one database. */
export async function testFeedCost(databases: Databases, report: Report): Promise<void> {
  const url = await databases.create();
  await prepare(url, 1);
  await using db = await openDb(url, { keyedHash: secretHash });
  const add = Object.getOwnPropertyDescriptor(ChangeSet.prototype, 'add')!;
  for (const { batch, matches } of VARIANTS) {
    const ratios: number[] = [];
    const costs: [number, number][] = [];
    await round(db, batch, matches * 4);
    for (let turn = 0; turn < ROUNDS; turn++) {
      const recorded = await round(db, batch, matches);
      ChangeSet.prototype.add = () => undefined;
      const plain = await round(db, batch, matches);
      Object.defineProperty(ChangeSet.prototype, 'add', add);
      ratios.push(recorded / plain);
      costs.push([recorded, plain]);
    }
    const [withFeed, without] = [0, 1].map((place) => median(costs.map((cost) => cost[place as 0])));
    const name = `${databases.dialect}: ${batch} matches a transaction`;
    report.note(`${name}: µs a match with and without the feed`, `${withFeed!.toFixed(0)}, ${without!.toFixed(0)}`);
    report.note(`${name}: median ratio of the rounds`, median(ratios).toFixed(3));
  }
}

const people = createPopulation(1_000);

/** @returns µs a match: CPU time on SQLite, time on PostgreSQL, whose server does half of the work */
async function round(db: Db, batch: number, matches: number): Promise<number> {
  const { key } = (await serverByName(db, 'Server 0'))!;
  const sender = { kind: 'server', serverKey: key, serverName: 'Server 0', credential: 1 } as const;
  const groups = Array.from({ length: matches / batch }, () =>
    Array.from({ length: batch }, () => matchOf(people, 20, Date.now())),
  );
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  for (const group of groups) await ingestEvents(db, systemClock, sender, group);
  const { user, system } = process.cpuUsage(cpu);
  return (db.remote ? (performance.now() - began) * 1_000 : user + system) / matches;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
