import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '#http/limits.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { databases, dialectsOf } from '../support/databases.ts';
import { prepare } from '../support/prepare.ts';
import { serveProcess } from '../support/served-process.ts';
import { cpuDuring, residentMb } from './idle.ts';

const UPDATES = 10;
/** Longer than an update takes to reach all browsers: a page is rendered at most once a second. */
const UPDATE_MS = 2_000;
const CONCURRENT = 50;

/** Memory and CPU time of as many streams of `/live` as a process may have, on the home page. */
export async function testLive(report: Report, { database, seconds }: LoadTestOptions): Promise<void> {
  const streams = LIMITS.livePageAnywhere.max.process;
  for (const dialect of dialectsOf(database)) {
    await using opened = await databases(dialect);
    const url = await opened.create();
    const [key] = (await prepare(url, 1)) as [string];
    const environment = { TRUSTED_PROXIES: '127.0.0.1', SITE_LIMIT: '0' };
    const service = await serveProcess(url, { environment });
    const pid = service.child.pid!;
    const update = async (number: number): Promise<void> => {
      await sendHeartbeat(service.ingest, key, number);
      await sleep(UPDATE_MS);
    };
    const updates = async (from: number): Promise<void> => {
      for (let number = from; number < from + UPDATES; number++) await update(number);
    };
    try {
      await updates(0);
      const alone = await cpuDuring(pid, () => updates(UPDATES));
      const rest = await cpuDuring(pid, () => sleep(seconds * 1_000));
      const before = residentMb(pid);
      const pages = new Pages();
      await pages.open(service.site, streams);
      await sleep(UPDATE_MS);
      report.note(`${dialect}: memory of ${streams} streams of /live`, `${(residentMb(pid) - before).toFixed(1)} MB`);
      const idle = await cpuDuring(pid, () => sleep(seconds * 1_000));
      report.note(`${dialect}: CPU of them in ${seconds} s without updates`, `${idle - rest} ms`);
      pages.received = 0;
      const all = await cpuDuring(pid, () => updates(2 * UPDATES));
      report.note(`${dialect}: CPU of one update to all`, `${((all - alone) / UPDATES).toFixed(1)} ms`);
      report.add(`${dialect}: updates received`, `${pages.received}`, pages.received === UPDATES * streams);
    } finally {
      await service.kill('SIGTERM');
    }
  }
}

/** Each heartbeat has another number of players. */
async function sendHeartbeat(port: number, key: string, number: number): Promise<void> {
  const players = Array.from({ length: 20 + (number % 2) }, (_, index) => `Player${index}`);
  const event = { version: 1, id: `heartbeat ${number}`, type: 'server.presence', time: new Date().toISOString() };
  const response = await fetch(`http://127.0.0.1:${port}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...event, data: { current: players.length, player_count: players.length, players } }),
  });
  const text = await response.text();
  if (!text.includes('"accepted"')) throw new Error(`POST /events: ${response.status} ${text}`);
}

/** Browsers that follow the home page, each with its own address. */
class Pages {
  received = 0;
  readonly #agent = new Agent({ maxSockets: Infinity });

  async open(port: number, count: number): Promise<void> {
    for (let first = 0; first < count; first += CONCURRENT)
      await Promise.all(Array.from({ length: CONCURRENT }, (_, index) => this.#follow(port, first + index)));
  }

  async #follow(port: number, number: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const headers = { 'x-forwarded-for': `198.51.${number >> 8}.${number & 255}` };
    const sent = get({ host: '127.0.0.1', port, path: '/live?page=/', headers, agent: this.#agent }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`GET /live: ${response.statusCode}`));
      response.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('event: update')) this.received++;
      });
      response.on('error', () => undefined);
      resolve();
    });
    sent.on('error', reject);
    await promise;
  }
}
