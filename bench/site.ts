import { everyPage } from '#test/site/pages.ts';
import type { BenchClient } from './client.ts';
import type { Case } from './case.ts';

/** Every page is rendered in less than 20 ms, and is smaller than 100 KB, however large the network. */
const MAX = { cpu_us: 20_000, bytes: 100_000 };
/** There are many pages. */
const ROUND_MS = 400;
const MISSING = 'lost';

/** One page of every kind, as a browser opens it. */
export async function siteCases({ context }: BenchClient): Promise<Case[]> {
  return (await everyPage(context.db)).map(({ name, path }) => ({
    ...{ name: `site: ${name}`, ms: ROUND_MS, most: MAX },
    ask: () => ({ path }),
    status: name === MISSING ? 404 : 200,
  }));
}
