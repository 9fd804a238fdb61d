import { Callers } from '#api/auth/callers.ts';
import { readConfig } from '#platform/config.ts';
import { openAppContext } from '#context/context.ts';
import { use } from './child.ts';

/** What a process that proves tokens as the data API does is told to prove. */
export interface TokenCheckOrder {
  /** Each is proven for the first time. */
  tokens: readonly string[];
  /** How often the last of them is proven again. */
  again: number;
}

export interface TokenCheck {
  first: Checks;
  again: Checks;
}

/** Seconds of CPU time, and of time, that all of them took; the slow end of their times in milliseconds. */
export interface Checks {
  count: number;
  cpu: number;
  seconds: number;
  p99: number;
}

const { db, clock } = await openAppContext(readConfig({ ...process.env, LOG_LEVEL: 'error' }));

async function runLoadTest(callers: Callers, count: number, tokenAt: (place: number) => string): Promise<Checks> {
  const times = new Float64Array(count);
  const [cpu, started] = [use().cpu, performance.now()];
  for (let place = 0; place < count; place++) {
    const started = performance.now();
    await callers.authenticate({ token: tokenAt(place), clientId: undefined }, db.versions().credentials);
    times[place] = performance.now() - started;
  }
  const seconds = (performance.now() - started) / 1000;
  return { count, cpu: use().cpu - cpu, seconds, p99: times.sort()[Math.floor(count * 0.99)]! };
}

async function answer({ tokens, again }: TokenCheckOrder): Promise<void> {
  const callers = new Callers(db, clock, 'bench');
  const first = await runLoadTest(callers, tokens.length, (place) => tokens[place]!);
  process.send!({ first, again: await runLoadTest(callers, again, () => tokens.at(-1)!) } satisfies TokenCheck);
}

process.on('message', (order: TokenCheckOrder) => void answer(order));
process.on('disconnect', () => process.exit());
process.send!({ port: 0 });
