import { newClientToken } from '#store/applications/tokens.ts';
import type { BenchClient } from './client.ts';
import type { Result } from './compare.ts';
import { Measured } from './measured-process.ts';
import { median } from './statistics.ts';
import type { Checks, TokenCheck, TokenCheckOrder } from './token-check.ts';

export const TOKEN_CHECKS = ['token check, kept', 'token check, not kept'] as const;

/** What proving a token may take of the CPU. */
const ALLOWED_US = 10;
const TOKENS = 5000;
const AGAIN = 200_000;
const HOUR_MS = 3_600_000;

/**
 * What it costs the data API to prove a token that it keeps, and one that it has to look up. There is nothing to compare
 * with: `ratio` is what a check may take of the CPU over what it takes.
 */
export async function tokenChecks({ context, clientId }: BenchClient, rounds: number): Promise<Result[]> {
  const { db, clock, config } = context;
  const made = Array.from({ length: TOKENS }, () => newClientToken(clock.now(), clientId, HOUR_MS));
  await db.runAll(made.map(({ insert }) => insert));
  const order: TokenCheckOrder = { tokens: made.map(({ token }) => token), again: AGAIN };
  await using measured = await Measured.start('./token-check.ts', { DATABASE_URL: config.DATABASE_URL });
  const found: TokenCheck[] = [];
  for (let round = 0; round <= rounds; round++) found.push(await measured.tell<TokenCheck>(order));
  // The first round warms up.
  const checks = found.slice(1);
  const [cached, notKept] = TOKEN_CHECKS;
  return [
    resultOf(
      cached,
      checks.map(({ again }) => again),
    ),
    resultOf(
      notKept,
      checks.map(({ first }) => first),
    ),
  ];
}

function resultOf(name: string, checks: Checks[]): Result {
  const cpu_us = median(checks.map(({ cpu, count }) => (cpu / count) * 1e6));
  return {
    ...{ name, cpu_us, ratio: ALLOWED_US / cpu_us, cpu_ratio: ALLOWED_US / cpu_us },
    requests_per_second: Math.round(median(checks.map(({ count, seconds }) => count / seconds))),
    p99_ms: median(checks.map(({ p99 }) => p99)),
  };
}
