import { fork, spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { idOf } from '#base/ids.ts';
import { type Db, openDb } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { Use } from './child.ts';
import { load } from './load.ts';

/**
 * Measures the data API against a bare `node:http` responder that sends the same bytes and headers, in one run: the
 * measured process on one core, the load on the other, in turns. The ratio is of requests per second of CPU time of the
 * measured process, which stays the same where other work runs beside it.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    url: { type: 'string' },
    matches: { type: 'string', default: '1000000' },
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
  },
});

const CONNECTIONS = 64;
const ROUND_MS = 700;
const HOT = 1000;

interface Result {
  name: string;
  ratio: number;
  requests_per_second: number;
  p99_ms: number;
  cpu_us: number;
}

interface Case {
  name: string;
  path: () => string;
  headers?: string;
  status?: number;
}

class Measured {
  readonly #child;
  port = 0;
  token = '';

  constructor(file: string, env: Record<string, string> = {}) {
    const execArgv = process.execArgv;
    this.#child = fork(new URL(file, import.meta.url), { env: { ...process.env, ...env }, execArgv });
    pin(this.#child.pid!, 0);
  }

  async ready(): Promise<this> {
    Object.assign(this, await this.#once());
    return this;
  }

  async use(samples?: unknown): Promise<Use> {
    this.#child.send((samples as object | undefined) ?? 'cpu');
    return (await this.#once()) as Use;
  }

  stop(): void {
    this.#child.disconnect();
  }

  #once(): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const ended = (): void => reject(new Error('The measured process ended; its message stands above.'));
    this.#child.once('exit', ended);
    this.#child.once('message', (message) => {
      this.#child.off('exit', ended);
      resolve(message);
    });
    return promise;
  }
}

function pin(pid: number, core: number): void {
  spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)]);
}

const url = values.url ?? 'data/bench/matches.db';
pin(process.pid, 1);
const api = await new Measured('./api.ts', { DATABASE_URL: url }).ready();
const bare = await new Measured('./bare.ts').ready();
await using db = await openDb(url);
const results: Result[] = [];
for (const one of (await casesOf(db)).filter(({ name }) => values.only === undefined || name.includes(values.only))) {
  results.push(await measure(one));
  if (!values.json) show(results.at(-1)!);
}
if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`);
else process.stdout.write(`memory ${Math.round((await api.use()).rss)} MB\n`);
api.stop();
bare.stop();

async function casesOf(source: Db): Promise<Case[]> {
  const keys = (await source.tuples(sql`select key from matches order by key desc limit 1000000`)).map(
    ([key]) => key as number,
  );
  const players = (await source.tuples(sql`select uuid from players order by key limit 5000`)).map(
    ([uuid]) => uuid as string,
  );
  const groups = 'bowspleef,cp,ctw,factions,kills,matches,objective,paintball,splatt,teampvp,total,tntrun';
  const fixed = `/v1/matches/${idOf(keys[0]!)}`;
  const etag = (await fetchOnce(fixed, '')).headers.get('etag')!;
  return [
    { name: 'one match, hot', path: () => `/v1/matches/${idOf(any(keys, HOT))}` },
    { name: 'one match, random', path: () => `/v1/matches/${idOf(any(keys))}` },
    { name: 'list of 20, newest', path: () => '/v1/matches' },
    { name: 'list of 20, random', path: () => `/v1/matches?max_id=${idOf(any(keys))}` },
    { name: 'list of 100 with teams', path: () => `/v1/matches?limit=100&fields=teams&max_id=${idOf(any(keys))}` },
    { name: 'player with all groups', path: () => `/v1/players/${any(players)}?fields=${groups}` },
    { name: '304', path: () => fixed, headers: `If-None-Match: ${etag}\r\n`, status: 304 },
    { name: '401', path: () => fixed, headers: 'Authorization: Bearer wrong\r\n', status: 401 },
  ];
}

function any<T>(of: T[], among = of.length): T {
  return of[Math.floor(Math.random() * Math.min(among, of.length))]!;
}

function fetchOnce(path: string, headers: string): Promise<Response> {
  const pairs = headers.split('\r\n').filter(Boolean).map((line) => line.split(': ') as [string, string]); // prettier-ignore
  return fetch(`http://127.0.0.1:${api.port}${path}`, {
    headers: {
      authorization: `Bearer ${api.token}`,
      ...Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value])),
    },
  });
}

async function measure({ name, path, headers = '', status = 200 }: Case): Promise<Result> {
  await bare.use(await samplesOf(path, headers));
  const credential = headers.startsWith('Authorization') ? '' : `Authorization: Bearer ${api.token}\r\n`;
  const next = (): string => `GET ${path()} HTTP/1.1\r\nHost: bench\r\n${credential}${headers}\r\n`;
  await round(api, next);
  await round(bare, next);
  const ratios: number[] = [];
  const speeds: number[] = [];
  const delays: number[] = [];
  const costs: number[] = [];
  for (let turn = 0; turn < Number(values.rounds); turn++) {
    const ours = await round(api, next);
    const theirs = await round(bare, next);
    if (ours.statuses.size !== 1 || !ours.statuses.has(status))
      throw new Error(`${name}: unexpected answers ${JSON.stringify([...ours.statuses])}`);
    ratios.push(theirs.cost / ours.cost);
    if (process.env['DEBUG'])
      console.log(
        'wall',
        (ours.requests / theirs.requests).toFixed(2),
        'ours',
        Math.round(ours.requests / ours.seconds),
        (ours.cost * 1e6).toFixed(1),
        'bare',
        Math.round(theirs.requests / theirs.seconds),
        (theirs.cost * 1e6).toFixed(1),
      );
    speeds.push(ours.requests / ours.seconds);
    delays.push(ours.p99);
    costs.push(ours.cost * 1e6);
  }
  return {
    name,
    ratio: median(ratios),
    requests_per_second: median(speeds),
    p99_ms: median(delays),
    cpu_us: median(costs),
  };
}

/** Runs load for a round; `cost` is CPU seconds of the measured process per request. */
async function round(measured: Measured, next: () => string) {
  const before = await measured.use();
  const result = await load({ port: measured.port, next }, CONNECTIONS, ROUND_MS);
  const after = await measured.use();
  return { ...result, cost: (after.cpu - before.cpu) / result.requests };
}

async function samplesOf(path: () => string, headers: string): Promise<unknown[]> {
  const answers = await Promise.all(Array.from({ length: 50 }, () => fetchOnce(path(), headers)));
  return await Promise.all(
    answers.map(async (answer) => ({
      status: answer.status,
      headers: [...answer.headers]
        .flat()
        .filter((_, index, all) => !/^(date|connection|keep-alive)$/.test(all[index - (index % 2)]!)),
      body: await answer.text(),
    })),
  );
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

function show({ name, ratio, requests_per_second, p99_ms, cpu_us }: Result): void {
  const cells = [
    ratio.toFixed(2),
    `${Math.round(requests_per_second)}/s`,
    `p99 ${p99_ms.toFixed(1)} ms`,
    `${cpu_us.toFixed(1)} µs`,
  ];
  process.stdout.write(`${name.padEnd(24)} ${cells.map((cell) => cell.padStart(12)).join('')}\n`);
}
