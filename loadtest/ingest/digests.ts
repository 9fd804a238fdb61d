import { hash } from 'node:crypto';
import { openDb } from '#db/open.ts';
import { identifier, sql } from '#db/sql.ts';
import { listTables } from '#db/transfer/schema.ts';

/** Tables that background jobs and requests without events write, whatever the game servers send. */
const VOLATILE: ReadonlySet<string> = new Set([
  ...[
    'boards',
    'map_results',
    'projections',
    'map_ranks',
    'ranked_players',
    'rank_changes',
    'place_counts',
    'unranked_players',
  ],
  ...['job_runs', 'online_samples', 'online_by_server', 'sitemap_files', 'operator_mails', 'rate_limits', 'usage'],
  'throttles',
]);

/** A hash of each table; the order of rows does not matter. */
export async function digestsOf(url: string): Promise<ReadonlyMap<string, string>> {
  await using db = await openDb(url);
  const digests = new Map<string, string>();
  for (const { name } of await listTables(db)) {
    if (VOLATILE.has(name)) continue;
    const rows = (await db.tuples(sql`select * from ${identifier(name)}`)).map((row) => JSON.stringify(row)).sort();
    digests.set(name, hash('sha256', rows.join('\n')));
  }
  return digests;
}

/** The names of the tables that differ; empty if none does. */
export const differing = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string =>
  [...before].flatMap(([table, digest]) => (after.get(table) === digest ? [] : table)).join(', ');
