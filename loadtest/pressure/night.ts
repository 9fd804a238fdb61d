import { setTimeout as pause } from 'node:timers/promises';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import type { Report } from '../report.ts';
import type { Databases } from '../support/databases.ts';
import { prepare } from '../support/prepare.ts';
import { cpuOf, serveProcess } from '../support/served-process.ts';
import { LongestLog } from './metrics.ts';
import { storeNight } from './old-rows.ts';

const PLAYERS = 1_000_000;
const MAX_SECONDS = 60;
const POLL_MS = 250;
const ENDED = /^scorehall_job_duration_seconds_sum\{.*job="purge".*\} (\S+)$/m;

/** Measures the purge of a leaderboard day of a large network, without other requests. */
export async function measureNight(databases: Databases, report: Report): Promise<void> {
  const url = await databases.create();
  await prepare(url, 1);
  await storeNight(url, PLAYERS);
  const log = new LongestLog(url);
  const services = await serveProcess(url);
  const name = `${databases.dialect}: night of ${PLAYERS} ranked players`;
  try {
    const seconds = await purgeSeconds(services.internal);
    const cpu = ((cpuOf(services) ?? NaN) / 1e6).toFixed(1);
    const left = await daysLeft(url);
    const figure = `${seconds.toFixed(1)} s, CPU of the service since its start ${cpu} s`;
    report.add(`${name} (at most ${MAX_SECONDS} s)`, figure, seconds <= MAX_SECONDS);
    report.add(`${name}: leaderboard days left (1)`, left, left === 1);
    if (databases.dialect === 'sqlite') report.note(`${name}: longest log of SQLite`, `${log.end()} MB`);
  } finally {
    await services.kill();
    await databases.remove(url);
  }
}

/** Waits for the end of the purge, which begins with the service. @returns its duration */
async function purgeSeconds(port: number): Promise<number> {
  for (;;) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const [, seconds] = ENDED.exec(text) ?? [];
    if (seconds !== undefined) return Number(seconds);
    await pause(POLL_MS);
  }
}

async function daysLeft(url: string): Promise<number> {
  await using db = await openDb(url);
  return (await db.all(sql`select distinct bucket from boards`)).length;
}
