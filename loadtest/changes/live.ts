import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { idOf } from '#platform/ids.ts';
import type { LoadTestOptions } from '../options.ts';
import type { Report } from '../report.ts';
import { databases, dialectsOf } from '../support/databases.ts';
import { createPopulation, matchOf } from '../support/matches.ts';
import { prepare } from '../support/prepare.ts';
import { serveProcess } from '../support/served-process.ts';
import { cpuDuring, residentMb } from './idle.ts';

const PAGES = 2_000;
const SERVERS = 20;
const MATCHES = 100;
/** A third of a core. */
const MAX_SHARE = 1 / 3;
/** Between two reports of a server, whose scores and players differ each time. */
const REPORT_MS = 5_000;
/** The pauses of `src/site/script/live.js`. */
const FIRST_MS = 3_000;
const LONGEST_MS = 15_000;

/**
 * CPU time and memory of pages that follow what they show, beside servers that report running matches: half of the pages are
 * home pages, a third are those of servers, the others those of matches; a third of each are in Japanese.
 */
export async function testLive(report: Report, { database, seconds, matches: count = PAGES }: LoadTestOptions) {
  for (const dialect of dialectsOf(database)) {
    await using opened = await databases(dialect);
    const url = await opened.create();
    const keys = await prepare(url, SERVERS);
    const environment = { TRUSTED_PROXIES: '127.0.0.1', SITE_LIMIT: '0' };
    const service = await serveProcess(url, { environment });
    const pid = service.child.pid!;
    const stop = new AbortController();
    try {
      const population = createPopulation(200);
      for (let number = 0; number < MATCHES; number++)
        await send(service.ingest, keys[number % SERVERS]!, matchOf(population, 20, Date.now()));
      const servers = keys.map((key, number) => reportMatches(service.ingest, key, number, stop.signal));
      const pages = new Pages(service.site, await addresses(url), stop.signal);
      await sleep(2 * REPORT_MS);
      const measure = async (): Promise<number> =>
        (await cpuDuring(pid, () => sleep(seconds * 1_000))) / seconds / 1_000;
      const alone = await measure();
      const before = residentMb(pid);
      const following = pages.follow(count);
      // Until pages that do not change have their longest pause.
      await sleep(3 * LONGEST_MS);
      pages.statuses.clear();
      const share = (await measure()) - alone;
      const answers = [...pages.statuses].map(([status, times]) => `${Math.round(times / seconds)} × ${status}`);
      report.add(`${dialect}: CPU of ${count} open pages`, `${share.toFixed(3)} of a core`, share <= MAX_SHARE);
      report.note(`${dialect}: CPU of the servers' reports alone`, `${alone.toFixed(3)} of a core`);
      report.note(`${dialect}: memory of the pages`, `${(residentMb(pid) - before).toFixed(1)} MB`);
      const others = [...pages.statuses.keys()].filter((status) => status !== 200 && status !== 304);
      report.add(`${dialect}: responses a second`, answers.join(', '), pages.statuses.size > 0 && others.length === 0);
      stop.abort();
      await Promise.all([...servers, following]);
    } finally {
      stop.abort();
      await service.kill('SIGTERM');
    }
  }
}

/** The addresses of the live parts: home page, servers, matches. */
async function addresses(url: string): Promise<[home: string[], servers: string[], matches: string[]]> {
  await using db = await openDb(url, { keyedHash: secretHash });
  const [servers, matches] = [
    await db.tuples(sql`select key from servers`),
    await db.tuples(sql`select key from matches`),
  ];
  return [['/'], idsOf(servers).map((id) => `/servers/${id}`), idsOf(matches).map((id) => `/matches/${id}`)];
}

const idsOf = (rows: readonly unknown[][]): string[] => rows.map(([key]) => idOf(key as number));

const playerOf = (index: number) => ({
  uuid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  name: `Player${index}`,
});

/** A server with 20 players, who play one match after the other. */
async function reportMatches(port: number, key: string, server: number, signal: AbortSignal): Promise<void> {
  const started = new Date().toISOString();
  await pause((server / SERVERS) * REPORT_MS, signal);
  for (let number = 0; !signal.aborted; number++) {
    const players = Array.from({ length: 20 + (number % 2) }, (_, index) => playerOf(server * 30 + index));
    const names = players.map(({ name }) => name);
    const teams = ['Red', 'Blue'].map((name, team) => ({
      name,
      score: number,
      players: players.filter((_, index) => index % 2 === team),
    }));
    const envelope = { version: 1, id: `${server} ${number}`, time: new Date().toISOString() };
    const match = { map: 'Twin Peaks', gamemode: 'ctw', started, teams };
    await send(port, key, { ...envelope, type: 'match.progress', data: match });
    const presence = { current: names.length, player_count: names.length, players: names, current_map: 'Twin Peaks' };
    await send(port, key, { ...envelope, id: `presence ${envelope.id}`, type: 'server.presence', data: presence });
    await pause(REPORT_MS, signal);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

async function send(port: number, key: string, event: object): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(event),
  });
  const text = await response.text();
  if (!text.includes('"accepted"')) throw new Error(`POST /events: ${response.status} ${text}`);
}

/** Browsers with a page each, and their own addresses. */
class Pages {
  /** Responses by status. */
  readonly statuses = new Map<number, number>();
  readonly #port: number;
  readonly #addresses: readonly string[][];
  readonly #signal: AbortSignal;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity });

  constructor(port: number, addresses: readonly string[][], signal: AbortSignal) {
    this.#port = port;
    this.#addresses = addresses;
    this.#signal = signal;
  }

  async follow(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, (_, number) => this.#follow(number)));
    this.#agent.destroy();
  }

  async #follow(number: number): Promise<void> {
    const [home, servers, matches] = this.#addresses as [string[], string[], string[]];
    const pages = [home, home, home, servers, servers, matches][number % 6]!;
    const page = pages[Math.floor(number / 6) % pages.length]!;
    const path = `/live${page}?lang=${Math.floor(number / 6) % 3 === 0 ? 'ja' : 'en'}`;
    const headers = { 'x-forwarded-for': `198.51.${number >> 8}.${number & 255}`, 'accept-encoding': 'gzip' };
    let etag = '';
    let pauseMs = FIRST_MS;
    await pause(Math.random() * FIRST_MS, this.#signal);
    while (!this.#signal.aborted) {
      const response = await this.#ask(path, { ...headers, 'if-none-match': etag });
      this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1);
      pauseMs = response.status === 304 ? Math.min(1.5 * pauseMs, LONGEST_MS) : FIRST_MS;
      etag = response.etag;
      await pause(pauseMs, this.#signal);
    }
  }

  #ask(path: string, headers: Record<string, string>): Promise<{ status: number; etag: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; etag: string }>();
    const sent = get({ host: '127.0.0.1', port: this.#port, path, headers, agent: this.#agent }, (response) => {
      const { statusCode, headers: received } = response;
      response.on('end', () => resolve({ status: statusCode!, etag: received.etag ?? '' })).resume();
      response.on('error', reject);
    });
    sent.on('error', reject);
    return promise;
  }
}
