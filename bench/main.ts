/**
 * Measures the data API, the sign-in and the site against a bare `node:http` responder that sends the same bytes and
 * headers: the measured process on one core, the load on the other, in turns within one run.
 *
 *   npm run bench                            SQLite, a million matches (made once, kept under data/bench)
 *   npm run bench -- --only site             what has this in its name, in the table below
 *   npm run bench -- --growth                the same reads at ten thousand and at a million
 *   npm run bench -- --matches 10000         a network of another size
 *   npm run bench -- --database postgres     a PostgreSQL of its own, which goes again at the end
 *   npm run bench -- --url postgres://…      another database, filled by `npm run generate`
 *   npm run bench -- --rounds 2 --json       fewer turns than five; the figures as JSON
 *   npm run bench -- --markdown              the figures as a Markdown table, with commit and machine
 *   npm run bench -- --evening               a busy evening at fixed rates against the whole service, see bench/evening/plan.ts:
 *                                            --rate 0.5 halves them, --seconds 20 shortens it; 100,000 matches, three runs
 *
 * `ratio` is requests per second over those of the bare responder, `cpu_ratio` the same per second of CPU time, which
 * other work on the machine disturbs less. For `growth of …` it is how many times as much CPU time a read takes, both
 * networks in turns, for `token check, …` how often a check fits into the 10 µs that it may take.
 */
import { parseArgs } from 'node:util';
import type { ServiceName } from '#platform/config.ts';
import { UsageError } from '#platform/errors.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { apiCases } from './api.ts';
import { openBenchClient } from './client.ts';
import type { Case } from './case.ts';
import { CASES } from './cases.ts';
import { compare, compareSizes, type Result, type Served } from './compare.ts';
import { type Databases, databases } from './databases.ts';
import { type EveningFigures, holds, textOf, rateLimitResultOf } from './evening/figures.ts';
import { measureEvenings } from './evening/evening.ts';
import { eveningTable, machineLine, resultTable } from './markdown.ts';
import { Measured } from './measured-process.ts';
import { TOKEN_CHECKS, tokenChecks } from './token-checks.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    url: { type: 'string' },
    matches: { type: 'string' },
    growth: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    rounds: { type: 'string' },
    json: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    evening: { type: 'boolean', default: false },
    rate: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
  },
});
const rounds = Number(values.rounds ?? (values.evening ? 3 : 5));
/** Rows as they come; a document on the standard output stays clean. */
const lines = values.json || values.markdown ? process.stderr : process.stdout;
const NAMES: Partial<Record<ServiceName, string>> = { API: 'the data API', AUTH: 'the sign-in', SITE: 'the site' };

await using made: Databases = await databases(values.evening ? eveningWishes() : values);
if (values.evening) {
  const evenings = await busyEvenings();
  if (!holds(evenings.at(-1)!)) process.exitCode = 1;
  lines.write(rateLimitResultOf(evenings.at(-1)!));
  print(evenings, () => eveningTable(evenings));
} else {
  const results = values.growth ? await growth() : await measureAll(await made.large());
  print(results, () => resultTable(results));
}

function print(found: readonly object[], table: () => string): void {
  if (values.json) process.stdout.write(`${JSON.stringify(found)}\n`);
  if (values.markdown) process.stdout.write(`${machineLine()}\n\n${table()}`);
}

/** Every case on one database. */
async function measureAll(url: string): Promise<Result[]> {
  await using client = await openBenchClient(url);
  await runJobsOnce(client.context);
  await using baseline: Served = await Measured.start('./baseline.ts');
  const found: Result[] = [];
  for (const [service, casesOf] of CASES) {
    const cases = (await casesOf(client)).filter(({ name }) => name.includes(values.only));
    if (cases.length > 0) found.push(...(await measureService(service, url, baseline, cases)));
    if (service === 'API' && TOKEN_CHECKS.some((name) => name.includes(values.only))) {
      const checks = await tokenChecks(client, rounds);
      found.push(...checks.filter(({ name }) => name.includes(values.only)).map(shown));
    }
  }
  return found;
}

async function measureService(service: ServiceName, url: string, baseline: Served, cases: Case[]): Promise<Result[]> {
  await using served: Served = await Measured.start('./service.ts', { DATABASE_URL: url, BENCH_DOOR: service });
  const found: Result[] = [];
  for (const one of cases) {
    if (service === 'API') await made.warm(url);
    const result = shown(await compare(served, baseline, one, rounds));
    found.push(result);
    if (one.most !== undefined) checkLimits(result, one.most);
  }
  lines.write(`memory of ${NAMES[service]}: ${Math.round((await served.use()).rss)} MB\n`);
  return found;
}

/** A page that is too slow or too large fails the run, which goes on. */
function checkLimits({ name, cpu_us, bytes = 0 }: Result, most: NonNullable<Case['most']>): void {
  if (cpu_us <= most.cpu_us && bytes <= most.bytes) return;
  process.exitCode = 1;
  process.stderr.write(`${name} may take ${most.cpu_us} µs and ${most.bytes} bytes, not ${cpu_us} and ${bytes}\n`);
}

/** How much dearer the same reads are on a network a hundred times as large. */
async function growth(): Promise<Result[]> {
  const urls = [await made.small(), await made.large()] as const;
  await using small = await openBenchClient(urls[0]);
  await using large = await openBenchClient(urls[1]);
  for (const { context } of [small, large]) await runJobsOnce(context);
  await using ofSmall: Served = await Measured.start('./service.ts', { DATABASE_URL: urls[0], BENCH_DOOR: 'API' });
  await using ofLarge: Served = await Measured.start('./service.ts', { DATABASE_URL: urls[1], BENCH_DOOR: 'API' });
  const few = await apiCases(small);
  const found: Result[] = [];
  for (const [place, one] of (await apiCases(large)).entries()) {
    if (!one.name.includes('random')) continue;
    for (const url of urls) await made.warm(url);
    const sizes = [
      { service: ofSmall, one: few[place]! },
      { service: ofLarge, one },
    ] as const;
    found.push(shown(await compareSizes(...sizes, rounds)));
  }
  return found;
}

/** A network on which an evening takes place; it has a copy of its own, in which game servers write. */
function eveningWishes(): { database: string; matches: string } {
  if (values.database !== 'sqlite' || values.url !== undefined)
    throw new UsageError('The busy evening is measured on a SQLite file of the bench.');
  return { database: 'sqlite', matches: values.matches ?? '100000' };
}

function progress(run: EveningFigures, problems: readonly string[]): void {
  lines.write(textOf(run, problems));
}

async function busyEvenings(): Promise<EveningFigures[]> {
  const [rate, seconds] = [Number(values.rate), Number(values.seconds)];
  return await measureEvenings(await made.large(), { rate, seconds, rounds, progress });
}

function shown(result: Result): Result {
  const { name, ratio, requests_per_second, p99_ms, cpu_ratio, cpu_us, bytes } = result;
  const cells = [ratio.toFixed(2), `${requests_per_second}/s`, `p99 ${p99_ms.toFixed(p99_ms < 0.1 ? 3 : 1)} ms`];
  const cpu = `CPU ${cpu_us.toFixed(1)} µs, ratio ${cpu_ratio.toFixed(2)}`;
  const size = bytes === undefined ? '' : `${(bytes / 1000).toFixed(1)} KB`.padStart(10);
  lines.write(`${name.padEnd(32)}${cells.map((cell) => cell.padStart(14)).join('')}   ${cpu.padEnd(30)}${size}\n`);
  return result;
}
