import { Callers } from '#api/callers.ts';
import { readConfig } from '#platform/config/config.ts';
import { openAppContext } from '#context/context.ts';
import { processUsage } from './child.ts';

/** The message to a process that authenticates tokens in the same way as the data API. */
export interface TokenCheckOrder {
  /** Tokens that are not in the cache; each is checked once. */
  tokens: readonly string[];
  /** How often to check the last token again, which then comes from the cache. */
  repetitions: number;
}

export interface TokenCheck {
  uncached: Checks;
  cached: Checks;
}

/** The figures of many checks. */
export interface Checks {
  count: number;
  /** CPU time of all checks, in seconds. */
  cpu: number;
  /** Elapsed time of all checks. */
  seconds: number;
  /** The 99th percentile of a check, in milliseconds. */
  p99: number;
}

const { db, clock } = await openAppContext(readConfig({ ...process.env, LOG_LEVEL: 'error' }));

async function checkTokens(callers: Callers, count: number, tokenAt: (index: number) => string): Promise<Checks> {
  const times = new Float64Array(count);
  const [cpu, started] = [processUsage().cpu, performance.now()];
  for (let index = 0; index < count; index++) {
    const started = performance.now();
    await callers.authenticate({ token: tokenAt(index), clientId: undefined }, db.versions().credentials);
    times[index] = performance.now() - started;
  }
  const seconds = (performance.now() - started) / 1000;
  return { count, cpu: processUsage().cpu - cpu, seconds, p99: times.sort()[Math.floor(count * 0.99)]! };
}

async function runOrder({ tokens, repetitions }: TokenCheckOrder): Promise<void> {
  const callers = new Callers(db, clock, 'bench');
  const uncached = await checkTokens(callers, tokens.length, (index) => tokens[index]!);
  const cached = await checkTokens(callers, repetitions, () => tokens.at(-1)!);
  process.send!({ uncached, cached } satisfies TokenCheck);
}

process.on('message', (order: TokenCheckOrder) => void runOrder(order));
process.on('disconnect', () => process.exit());
process.send!({ port: 0 });
