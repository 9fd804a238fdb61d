import { secretHash } from '#platform/crypto/secrets.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/**
 * Uses a challenge: of concurrent requests, in any number of processes, one succeeds.
 * @param expires the time from which on the challenge is refused anyway, so that it need not be remembered
 */
export async function consumeChallenge(db: Queryable, challenge: string, expires: number): Promise<boolean> {
  const added = await db.run(sql`
    insert into used_challenges (hash, expires) values (${secretHash(challenge)}, ${expires})
    on conflict (hash) do nothing`);
  return added === 1;
}
