/**
 * Measures the data API against a bare `node:http` responder that sends the same bytes and headers: the measured process
 * on one core, the load on the other, in turns within one run.
 *
 *   npm run bench                            SQLite, a million matches (made once, kept under data/bench)
 *   npm run bench -- --growth                the same reads at ten thousand and at a million
 *   npm run bench -- --database postgres     a PostgreSQL of its own, which goes again at the end
 *   npm run bench -- --url postgres://…      another database, filled by `npm run generate`
 *
 * `ratio` is requests per second over those of the bare responder, `cpu_ratio` the same per second of CPU time, which
 * other work on the machine disturbs less.
 */
import { parseArgs } from 'node:util';
import { type Case, casesOf } from './cases.ts';
import { type Databases, databases } from './databases.ts';
import { Measured } from './measured.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    url: { type: 'string' },
    matches: { type: 'string' },
    growth: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});

const ROUND_MS = 1000;
const SAMPLES = 50;
/** Connection headers are added by whoever sends. */
const BY_THE_SENDER = /^(date|connection|keep-alive)$/;

interface Result {
  name: string;
  ratio: number;
  requests_per_second: number;
  p99_ms: number;
  cpu_ratio: number;
  cpu_us: number;
}

interface Api {
  port: number;
  token: string;
}

await using made: Databases = await databases(values);
const results = values.growth ? await growth(made) : await measureAll(await made.large());
if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`);

/** Every case on one database. */
async function measureAll(url: string, only = values.only): Promise<Result[]> {
  await using api = await Measured.start<Api>('./api.ts', { DATABASE_URL: url });
  await using bare = await Measured.start<{ port: number }>('./bare.ts');
  const cases = await casesOf(url, async (path) =>
    (await ask(api, { name: '', path: () => path, status: 200 })).headers.get('etag')!,
  );
  const found: Result[] = [];
  for (const one of cases.filter(({ name }) => name.includes(only))) {
    found.push(await measure(api, bare, one));
    show(found.at(-1)!);
  }
  if (!values.json) process.stdout.write(`memory of the data API: ${Math.round((await api.use()).rss)} MB\n`);
  return found;
}

/** How much dearer the same reads are on a network a hundred times as large. */
async function growth(made: Databases): Promise<object[]> {
  const small = await measureAll(await made.small(), 'random');
  const large = await measureAll(await made.large(), 'random');
  const grown = large.map((result, place) => {
    const times = result.cpu_us / small[place]!.cpu_us;
    return { ...result, name: `growth of ${result.name}`, ratio: times };
  });
  if (!values.json) for (const { name, ratio } of grown) process.stdout.write(`${name}: ${ratio.toFixed(2)}\n`);
  return grown;
}

async function measure(api: Measured<Api>, bare: Measured<{ port: number }>, one: Case): Promise<Result> {
  await bare.use(await Promise.all(Array.from({ length: SAMPLES }, () => sampleOf(api, one))));
  const next = requestOf(api, one);
  for (const warm of [api, bare]) await warm.round(next, ROUND_MS);
  const turns: { ours: Round; theirs: Round }[] = [];
  for (let turn = 0; turn < Number(values.rounds); turn++) {
    turns.push({ ours: await api.round(next, ROUND_MS), theirs: await bare.round(next, ROUND_MS) });
  }
  for (const { ours } of turns) checkAnswers(one, ours);
  return {
    name: one.name,
    ratio: median(turns.map(({ ours, theirs }) => ours.requests / ours.seconds / (theirs.requests / theirs.seconds))),
    requests_per_second: Math.round(median(turns.map(({ ours }) => ours.requests / ours.seconds))),
    p99_ms: median(turns.map(({ ours }) => ours.p99)),
    cpu_ratio: median(turns.map(({ ours, theirs }) => theirs.cpu / ours.cpu)),
    cpu_us: median(turns.map(({ ours }) => ours.cpu * 1e6)),
  };
}

type Round = Awaited<ReturnType<Measured<Api>['round']>>;

function checkAnswers({ name, status }: Case, { statuses }: Round): void {
  if (statuses.size === 1 && statuses.has(status)) return;
  throw new Error(`${name}: expected ${status} only, got ${JSON.stringify([...statuses])}`);
}

function requestOf({ facts }: Measured<Api>, { path, headers = '' }: Case): () => string {
  const credential = headers.startsWith('Authorization') ? '' : `Authorization: Bearer ${facts.token}\r\n`;
  return () => `GET ${path()} HTTP/1.1\r\nHost: bench\r\n${credential}${headers}\r\n`;
}

function ask({ facts }: Measured<Api>, { path, headers = '' }: Case): Promise<Response> {
  const [name, value] = headers.trim().split(': ');
  const sent = new Headers({ authorization: `Bearer ${facts.token}`, 'accept-encoding': 'identity' });
  if (name !== undefined && value !== undefined) sent.set(name, value);
  return fetch(`http://127.0.0.1:${facts.port}${path()}`, { headers: sent });
}

/** What the bare responder is to send. */
async function sampleOf(api: Measured<Api>, one: Case): Promise<object> {
  const answer = await ask(api, one);
  const headers = [...answer.headers].filter(([name]) => !BY_THE_SENDER.test(name)).flat();
  return { status: answer.status, headers, body: await answer.text() };
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

function show({ name, ratio, requests_per_second, p99_ms, cpu_ratio, cpu_us }: Result): void {
  if (values.json) return;
  const cells = [ratio.toFixed(2), `${requests_per_second}/s`, `p99 ${p99_ms.toFixed(1)} ms`];
  const cpu = `CPU ${cpu_us.toFixed(1)} µs, ratio ${cpu_ratio.toFixed(2)}`;
  process.stdout.write(`${name.padEnd(24)}${cells.map((cell) => cell.padStart(14)).join('')}   ${cpu}\n`);
}
