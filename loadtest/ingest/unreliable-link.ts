import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { countersOf, groupOf } from '#store/game/statistics-groups.ts';
import { type Event, openSender, type Sender } from '#sender/index.ts';
import type { Report } from '../report.ts';
import { differing, digestsOf } from './digests.ts';
import { UnreliableProxy } from './unreliable-proxy.ts';
import type { Databases } from '../support/databases.ts';
import { freeServicePorts, serveProcess } from '../support/served-process.ts';
import { createPopulation, matchOf } from '../support/matches.ts';
import { prepare } from '../support/prepare.ts';

const SENDERS = 8;
const KILLS = 20;
/** The fraction of connections that the link drops. */
const DROP_RATE = 0.2;
const PLAYERS = 20;

type Match = ReturnType<typeof matchOf>;

/** Sends matches over a link that drops connections, to a service that is killed repeatedly. */
export async function testLink(databases: Databases, count: number, report: Report): Promise<void> {
  const url = await databases.create();
  const keys = await prepare(url, SENDERS);
  const ports = await freeServicePorts();
  let services = await serveProcess(url, { ports });
  const link = await UnreliableProxy.open(ports.ingest, DROP_RATE);
  const folder = await mkdtemp(join(tmpdir(), 'loadtest-senders-'));
  const senders = await Promise.all(
    keys.map((key, number) =>
      openSender({
        url: `http://127.0.0.1:${link.port}`,
        key,
        folder: join(folder, String(number)),
        pause: shortPause,
      }),
    ),
  );
  const people = createPopulation(1_000);
  const sent: Match[] = [];
  const began = performance.now();
  for (let kill = 0; kill < KILLS; kill++) {
    const matchCount = Math.floor((count * (kill + 1)) / KILLS) - sent.length;
    await sendEvents(
      senders,
      sent,
      Array.from({ length: matchCount }, () => matchOf(people, PLAYERS, Date.now())),
    );
    await sleep(100 + Math.random() * 400);
    await services.kill();
    services = await serveProcess(url, { ports });
  }
  await Promise.all(senders.map((sender) => sender.flush()));
  const seconds = (performance.now() - began) / 1000;
  report.note(`${databases.dialect}: connections, of them dropped`, `${link.opened}, ${link.dropped}`);
  report.note(`${databases.dialect}: seconds for ${count} matches and ${KILLS} SIGKILLs`, seconds.toFixed(1));
  await checkHistory(databases, url, sent, report);
  const before = await digestsOf(url);
  await sendAgain(senders, sent);
  const changed = differing(before, await digestsOf(url));
  report.add(`${databases.dialect}: tables changed by sending everything again`, changed || 'none', changed === '');
  await Promise.all(senders.map((sender) => sender.close()));
  link.close();
  await services.kill();
  await rm(folder, { recursive: true, force: true });
}

const shortPause = (ms: number, signal: AbortSignal): Promise<void> => sleep(Math.min(ms, 200), undefined, { signal });

async function sendEvents(senders: Sender[], sent: Match[], matches: Match[]): Promise<void> {
  await Promise.all(
    matches.map((match) => {
      sent.push(match);
      return senders[(sent.length - 1) % senders.length]!.send(match as unknown as Event);
    }),
  );
}

async function sendAgain(senders: Sender[], sent: Match[]): Promise<void> {
  await sendEvents(senders, [], sent);
  await Promise.all(senders.map((sender) => sender.flush()));
}

/** Compares the stored matches and player counters with those computed from the sent matches. */
async function checkHistory({ dialect }: Databases, url: string, sent: Match[], report: Report): Promise<void> {
  await using db = await openDb(url);
  const stored = (await db.get<{ count: number }>(sql`select count(*) as count from matches`))!.count;
  report.add(`${dialect}: matches stored of ${sent.length}`, stored, stored === sent.length);
  const wrong = await wrongSums(db, sent);
  report.add(`${dialect}: players whose counters differ from the sent matches`, wrong, wrong === 0);
}

async function wrongSums(db: Queryable, sent: Match[]): Promise<number> {
  const sums = new Map<string, Record<string, number>>();
  const add = (uuid: string, counter: string, by: number): void => {
    const own = sums.get(uuid) ?? {};
    own[counter] = (own[counter] ?? 0) + by;
    sums.set(uuid, own);
  };
  for (const { data } of sent) {
    const group = groupOf(data.gamemode);
    for (const team of data.teams) {
      for (const { uuid, kill_count = 0, death_count = 0, time_played = 0 } of team.players) {
        const result = data.win === '' ? undefined : data.win === team.name ? 'win' : 'lose';
        const counts = {
          kill: kill_count,
          death: death_count,
          time: time_played,
          play: 1,
          ...(result && { [result]: 1 }),
        };
        for (const [counter, by] of Object.entries(counts))
          if (countersOf(group).some((key) => key === counter)) add(uuid, `${group}_${counter}`, by);
      }
    }
  }
  const rows = await db.all<Record<string, number | string>>(
    sql`select p.uuid, s.* from player_stats s join players p on p.key = s.player_key`,
  );
  if (rows.length !== sums.size) return Math.abs(rows.length - sums.size);
  return rows.filter((row) => Object.entries(sums.get(row['uuid'] as string)!).some(([name, sum]) => row[name] !== sum))
    .length;
}
