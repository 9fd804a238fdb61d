/**
 * Measures what pages cost over a large network: server time, bytes. Fails where a page takes longer than 20 ms in the
 * median, or is larger than 100 KB.
 *
 *   node bench/site.ts                  SQLite, a million matches (made once, kept under data/bench)
 *   node bench/site.ts --url URL        another database, filled by `npm run generate`
 */
import { parseArgs } from 'node:util';
import { systemClock } from '#base/clock.ts';
import { readConfig } from '#base/config.ts';
import { openHall } from '#hall.ts';
import { siteOf } from '#site/index.ts';
import { everyPage } from '#test/site/pages.ts';
import { databases } from './databases.ts';

const MOST_MS = 20;
const MOST_BYTES = 100_000;
const ROUNDS = 60;

const { values } = parseArgs({ options: { url: { type: 'string' }, matches: { type: 'string' } } });
await using made = await databases({ database: 'sqlite', ...values });
await using hall = await openHall(readConfig({ DATABASE_URL: await made.large(), LOG_LEVEL: 'warn' }), systemClock);
const site = siteOf(hall);
let failed = false;
console.log('page                         median ms   p95 ms     KB');
for (const { name, path } of await everyPage(hall.db)) {
  const { times, bytes } = await measure(path);
  const [median, late] = [times[ROUNDS / 2]!, times[Math.floor(ROUNDS * 0.95)]!];
  failed ||= median > MOST_MS || bytes > MOST_BYTES;
  const figures = [median.toFixed(2).padStart(9), late.toFixed(2).padStart(8), (bytes / 1000).toFixed(1).padStart(6)];
  console.log(`${name.padEnd(28)} ${figures.join(' ')}`);
}
if (failed) process.exitCode = 1;

async function measure(path: string): Promise<{ times: number[]; bytes: number }> {
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    const body = await (await site.request(`http://127.0.0.1${path}`)).bytes();
    times.push(performance.now() - started);
    bytes = body.length;
  }
  return { times: times.sort((a, b) => a - b), bytes };
}
