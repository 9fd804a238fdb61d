import { everyPage } from '#test/site/pages.ts';
import type { BenchClient } from './client.ts';
import type { Case } from './case.ts';

/** The limits of every page, at any size of the database. */
const MAX = { cpu_us: 20_000, bytes: 100_000 };
/** Shorter than for other cases, because there are many pages. */
const ROUND_MS = 400;
/** The page that does not exist. */
const MISSING = 'lost';

/** One page of every kind, as a browser opens it. */
export async function siteCases({ context }: BenchClient): Promise<Case[]> {
  return (await everyPage(context.db)).map(({ name, path }) => ({
    name: `site: ${name}`,
    ms: ROUND_MS,
    max: MAX,
    nextRequest: () => ({ path }),
    status: name === MISSING ? 404 : 200,
  }));
}
