import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** Counts of the accounts and credentials in a restored database, some of which were perhaps revoked since the backup. */
export async function restoredCounts(db: Queryable, now: number): Promise<Record<string, number>> {
  const count = async (query: ReturnType<typeof sql>): Promise<number> => Number((await db.tuple(query))![0]);
  return {
    accounts: await count(sql`select count(*) from accounts`),
    applications: await count(sql`select count(*) from applications`),
    server_keys: await count(sql`select count(*) from server_keys where expires is null or expires > ${now}`),
    access_tokens: await count(sql`
      select count(*) from tokens where kind in ('AccessToken', 'ClientCredentials') and expires > ${now}`),
    sessions: await count(sql`select count(*) from tokens where kind = 'Session' and expires > ${now}`),
    erased_players: await count(sql`select count(*) from pseudonyms`),
  };
}
