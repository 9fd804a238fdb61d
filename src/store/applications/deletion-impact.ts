import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { Application } from './applications.ts';

/** What deleting an application would affect: the number of people who granted it access, and of its stored tokens. */
export async function readDeletionImpact(
  db: Queryable,
  { client_id }: Application,
): Promise<{ people: number; tokens: number }> {
  const people = await db.get<{ count: number }>(
    sql`select count(*) as count from consents where client_id = ${client_id}`,
  );
  const tokens = await db.get<{ count: number }>(sql`
    select count(*) as count from tokens
    where client_id = ${client_id} and kind in ('AccessToken', 'RefreshToken', 'ClientCredentials')`);
  return { people: people!.count, tokens: tokens!.count };
}
