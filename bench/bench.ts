import type { ServiceName } from '#platform/config/config.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { apiCases } from './api.ts';
import type { Case } from './case.ts';
import { CASES } from './cases.ts';
import { openBenchClient } from './client.ts';
import { compare, compareSizes, type Result, type Served } from './compare.ts';
import type { Databases } from './databases.ts';
import { measureEvenings } from './evening/evening.ts';
import { type EveningFigures, textOf } from './evening/figures.ts';
import { Measured } from './measured-process.ts';
import { TOKEN_CHECKS, tokenChecks } from './token-checks.ts';

const NAMES: Partial<Record<ServiceName, string>> = { API: 'the data API', AUTH: 'the sign-in', SITE: 'the site' };

export interface BenchOptions {
  /** Only the cases with this text in their name. */
  only: string;
  rounds: number;
  /** Of the evening's arrivals, in parts of the full rates. */
  rate: number;
  seconds: number;
}

/** The measurements of `npm run bench`, which print each figure as soon as it is there. */
export class Bench {
  readonly #options: BenchOptions;
  readonly #databases: Databases;
  readonly #lines: NodeJS.WritableStream;

  constructor(options: BenchOptions, databases: Databases, lines: NodeJS.WritableStream) {
    this.#options = options;
    this.#databases = databases;
    this.#lines = lines;
  }

  /** Every case on one database. */
  async measureAll(url: string): Promise<Result[]> {
    await using client = await openBenchClient(url);
    await runJobsOnce(client.context);
    await using baseline: Served = await Measured.start('./baseline.ts');
    const found: Result[] = [];
    for (const [service, casesOf] of CASES) {
      const cases = (await casesOf(client)).filter(({ name }) => this.#isWanted(name));
      if (cases.length > 0) found.push(...(await this.#measureService(service, url, baseline, cases)));
      if (service === 'API' && TOKEN_CHECKS.some((name) => this.#isWanted(name))) {
        const checks = await tokenChecks(client, this.#options.rounds);
        found.push(...checks.filter(({ name }) => this.#isWanted(name)).map((check) => this.#shown(check)));
      }
    }
    return found;
  }

  async #measureService(service: ServiceName, url: string, baseline: Served, cases: Case[]): Promise<Result[]> {
    await using served: Served = await Measured.start('./service.ts', { DATABASE_URL: url, BENCH_SERVICE: service });
    const found: Result[] = [];
    for (const one of cases) {
      if (service === 'API') await this.#databases.warm(url);
      const result = this.#shown(await compare(served, baseline, one, this.#options.rounds));
      found.push(result);
      if (one.max !== undefined) this.#checkLimits(result, one.max);
    }
    this.#lines.write(`memory of ${NAMES[service]}: ${Math.round((await served.usage()).rss)} MB\n`);
    return found;
  }

  /** A case over its limits makes the run fail; the other cases are measured all the same. */
  #checkLimits({ name, cpu_us, bytes = 0 }: Result, max: NonNullable<Case['max']>): void {
    if (cpu_us <= max.cpu_us && bytes <= max.bytes) return;
    process.exitCode = 1;
    process.stderr.write(
      `${name} takes ${cpu_us} µs and ${bytes} bytes; the limits are ${max.cpu_us} and ${max.bytes}\n`,
    );
  }

  /** How the cost of the same reads grows with a database a hundred times as large. */
  async growth(): Promise<Result[]> {
    const urls = [await this.#databases.small(), await this.#databases.large()] as const;
    await using small = await openBenchClient(urls[0]);
    await using large = await openBenchClient(urls[1]);
    for (const { context } of [small, large]) await runJobsOnce(context);
    await using ofSmall: Served = await Measured.start('./service.ts', { DATABASE_URL: urls[0], BENCH_SERVICE: 'API' });
    await using ofLarge: Served = await Measured.start('./service.ts', { DATABASE_URL: urls[1], BENCH_SERVICE: 'API' });
    const smallCases = await apiCases(small);
    const found: Result[] = [];
    for (const [index, one] of (await apiCases(large)).entries()) {
      if (!one.name.includes('random')) continue;
      for (const url of urls) await this.#databases.warm(url);
      const sizes = [
        { service: ofSmall, one: smallCases[index]! },
        { service: ofLarge, one },
      ] as const;
      found.push(this.#shown(await compareSizes(...sizes, this.#options.rounds)));
    }
    return found;
  }

  /** The figures of each evening, and at last their medians. */
  async evenings(): Promise<EveningFigures[]> {
    const { rate, seconds, rounds } = this.#options;
    return await measureEvenings(await this.#databases.large(), {
      rate,
      seconds,
      rounds,
      progress: (run, problems) => this.#lines.write(textOf(run, problems)),
    });
  }

  #isWanted(name: string): boolean {
    return name.includes(this.#options.only);
  }

  #shown(result: Result): Result {
    const { name, ratio, requests_per_second, p99_ms, cpu_ratio, cpu_us, bytes } = result;
    const cells = [ratio.toFixed(2), `${requests_per_second}/s`, `p99 ${p99_ms.toFixed(p99_ms < 0.1 ? 3 : 1)} ms`];
    const cpu = `CPU ${cpu_us.toFixed(1)} µs, ratio ${cpu_ratio.toFixed(2)}`;
    const size = bytes === undefined ? '' : `${(bytes / 1000).toFixed(1)} KB`.padStart(10);
    this.#lines.write(
      `${name.padEnd(32)}${cells.map((cell) => cell.padStart(14)).join('')}   ${cpu.padEnd(30)}${size}\n`,
    );
    return result;
  }
}
