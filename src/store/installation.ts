import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';

const NAME = 'secret key';

/**
 * Whether this process has the secret key that the database has been used with; the first one that asks sets it. With
 * another one, codes that are shown open nothing, and who deleted the account is no longer known when they play again.
 */
export async function secretKeyMatches(db: Db): Promise<boolean> {
  const own = db.keyedHash(NAME);
  const known = await db.get<{ value: string }>(sql`select value from installation where name = ${NAME}`);
  if (known !== undefined) return known.value === own;
  await db.run(sql`insert into installation (name, value) values (${NAME}, ${own}) on conflict (name) do nothing`);
  return await secretKeyMatches(db);
}
