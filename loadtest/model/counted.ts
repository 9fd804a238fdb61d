import { setTimeout as sleep } from 'node:timers/promises';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';

const TURNS = 300;
const TURN_MS = 100;

/** Waits until the leaderboards, the rivals and the ranks have counted all matches. @returns a sentence if they have not */
export async function waitUntilCounted(url: string): Promise<string[]> {
  await using db = await openDb(url, { keyedHash: secretHash });
  for (let turn = 0; turn < TURNS; turn++) {
    const behind = await db.tuples(sql`
      select name from projections where last < (select max(key) from matches)
      union all
      select 'ranks' from rank_changes`);
    if (behind.length === 0) return [];
    await sleep(TURN_MS);
  }
  return ['not all matches have been counted within 30 s'];
}
