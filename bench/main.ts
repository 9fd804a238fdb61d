/**
 * Measures the data API, the sign-in and the site in turns with a baseline, a bare `node:http` server that sends the same
 * bytes and headers. The measured process runs on one core, the load on the other.
 *
 *   npm run bench                            SQLite, a million matches (generated once, under data/bench)
 *   npm run bench -- --only site             only the cases with this text in their name
 *   npm run bench -- --growth                the same reads with ten thousand and with a million matches
 *   npm run bench -- --matches 10000         another number of matches
 *   npm run bench -- --database postgres     a temporary PostgreSQL
 *   npm run bench -- --url postgres://…      another database, filled by `npm run generate`
 *   npm run bench -- --rounds 2 --json       two rounds instead of five; the figures as JSON
 *   npm run bench -- --markdown              the figures as a Markdown table, with commit and machine
 *   npm run bench -- --evening               a busy evening at fixed rates against the whole service, see bench/evening/plan.ts:
 *                                            --rate 0.5 halves them, --seconds 20 shortens it; 100,000 matches, three runs
 *
 * `ratio` is requests per second, divided by those of the baseline; `cpu_ratio` is the same per second of CPU time, which
 * other work on the machine affects less. For `growth of …` both are the CPU time of a read with the large database,
 * divided by that with the small one; for `token check, …` the 10 µs that a check may take, divided by the time it takes.
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
import { type Databases, openDatabases } from './databases.ts';
import { type EveningFigures, conclusionOf, meetsTargets, textOf } from './evening/figures.ts';
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
/** Progress goes to standard error if standard output is a document. */
const lines = values.json || values.markdown ? process.stderr : process.stdout;
const NAMES: Partial<Record<ServiceName, string>> = { API: 'the data API', AUTH: 'the sign-in', SITE: 'the site' };

await using databases: Databases = await openDatabases(values.evening ? eveningDatabase() : values);
if (values.evening) {
  const evenings = await busyEvenings();
  if (!meetsTargets(evenings.at(-1)!)) process.exitCode = 1;
  lines.write(conclusionOf(evenings.at(-1)!));
  print(evenings, () => eveningTable(evenings));
} else {
  const results = values.growth ? await growth() : await measureAll(await databases.large());
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
  await using served: Served = await Measured.start('./service.ts', { DATABASE_URL: url, BENCH_SERVICE: service });
  const found: Result[] = [];
  for (const one of cases) {
    if (service === 'API') await databases.warm(url);
    const result = shown(await compare(served, baseline, one, rounds));
    found.push(result);
    if (one.max !== undefined) checkLimits(result, one.max);
  }
  lines.write(`memory of ${NAMES[service]}: ${Math.round((await served.usage()).rss)} MB\n`);
  return found;
}

/** A case over its limits makes the run fail; the other cases are measured all the same. */
function checkLimits({ name, cpu_us, bytes = 0 }: Result, max: NonNullable<Case['max']>): void {
  if (cpu_us <= max.cpu_us && bytes <= max.bytes) return;
  process.exitCode = 1;
  process.stderr.write(
    `${name} takes ${cpu_us} µs and ${bytes} bytes; the limits are ${max.cpu_us} and ${max.bytes}\n`,
  );
}

/** How the cost of the same reads grows with a database a hundred times as large. */
async function growth(): Promise<Result[]> {
  const urls = [await databases.small(), await databases.large()] as const;
  await using small = await openBenchClient(urls[0]);
  await using large = await openBenchClient(urls[1]);
  for (const { context } of [small, large]) await runJobsOnce(context);
  await using ofSmall: Served = await Measured.start('./service.ts', { DATABASE_URL: urls[0], BENCH_SERVICE: 'API' });
  await using ofLarge: Served = await Measured.start('./service.ts', { DATABASE_URL: urls[1], BENCH_SERVICE: 'API' });
  const smallCases = await apiCases(small);
  const found: Result[] = [];
  for (const [index, one] of (await apiCases(large)).entries()) {
    if (!one.name.includes('random')) continue;
    for (const url of urls) await databases.warm(url);
    const sizes = [
      { service: ofSmall, one: smallCases[index]! },
      { service: ofLarge, one },
    ] as const;
    found.push(shown(await compareSizes(...sizes, rounds)));
  }
  return found;
}

/** The database of an evening. The evening works on a copy, because its game servers write. */
function eveningDatabase(): { database: string; matches: string } {
  if (values.database !== 'sqlite' || values.url !== undefined)
    throw new UsageError('--evening always uses a generated SQLite file: leave out --database and --url.');
  return { database: 'sqlite', matches: values.matches ?? '100000' };
}

function progress(run: EveningFigures, problems: readonly string[]): void {
  lines.write(textOf(run, problems));
}

async function busyEvenings(): Promise<EveningFigures[]> {
  const [rate, seconds] = [Number(values.rate), Number(values.seconds)];
  return await measureEvenings(await databases.large(), { rate, seconds, rounds, progress });
}

function shown(result: Result): Result {
  const { name, ratio, requests_per_second, p99_ms, cpu_ratio, cpu_us, bytes } = result;
  const cells = [ratio.toFixed(2), `${requests_per_second}/s`, `p99 ${p99_ms.toFixed(p99_ms < 0.1 ? 3 : 1)} ms`];
  const cpu = `CPU ${cpu_us.toFixed(1)} µs, ratio ${cpu_ratio.toFixed(2)}`;
  const size = bytes === undefined ? '' : `${(bytes / 1000).toFixed(1)} KB`.padStart(10);
  lines.write(`${name.padEnd(32)}${cells.map((cell) => cell.padStart(14)).join('')}   ${cpu.padEnd(30)}${size}\n`);
  return result;
}
