import type { Queryable } from '#db/db.ts';
import { issueClientToken } from '#store/applications/tokens.ts';
import type { BenchClient } from './client.ts';
import type { Result } from './compare.ts';
import { Measured } from './measured-process.ts';
import { median } from './statistics.ts';
import type { Checks, TokenCheck, TokenCheckOrder } from './token-check.ts';

export const TOKEN_CHECKS = ['token check, cached', 'token check, not cached'] as const;

/** The CPU time that the check of a token may take. */
const ALLOWED_US = 10;
const TOKENS = 5000;
const REPETITIONS = 200_000;
const HOUR_MS = 3_600_000;

/**
 * The cost of authenticating a token from the cache, and of one that has to be looked up in the database. There is no
 * baseline: `ratio` is the CPU time that a check may take, divided by the time that it takes.
 */
export async function tokenChecks({ context, clientId }: BenchClient, rounds: number): Promise<Result[]> {
  const { db, clock, config } = context;
  const issue = (tx: Queryable): Promise<string> => issueClientToken(tx, clock.now(), clientId, HOUR_MS);
  const tokens = await db.transaction((tx) => Promise.all(Array.from({ length: TOKENS }, () => issue(tx))));
  const order: TokenCheckOrder = { tokens, repetitions: REPETITIONS };
  await using measured = await Measured.start('./token-check.ts', { DATABASE_URL: config.DATABASE_URL });
  const results: TokenCheck[] = [];
  for (let round = 0; round <= rounds; round++) results.push(await measured.send<TokenCheck>(order));
  // The first round warms up.
  const checks = results.slice(1);
  const [cachedName, uncachedName] = TOKEN_CHECKS;
  return [
    toResult(
      cachedName,
      checks.map(({ cached }) => cached),
    ),
    toResult(
      uncachedName,
      checks.map(({ uncached }) => uncached),
    ),
  ];
}

function toResult(name: string, checks: Checks[]): Result {
  const cpu_us = median(checks.map(({ cpu, count }) => (cpu / count) * 1e6));
  return {
    name,
    hasBaseline: false,
    cpu_us,
    ratio: ALLOWED_US / cpu_us,
    cpu_ratio: ALLOWED_US / cpu_us,
    requests_per_second: Math.round(median(checks.map(({ count, seconds }) => count / seconds))),
    p99_ms: median(checks.map(({ p99 }) => p99)),
  };
}
