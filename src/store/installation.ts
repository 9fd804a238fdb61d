import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';

const NAME = 'secret key';

/**
 * Whether this process has the secret key of the installation. The first call stores the fingerprint of its key. Under a
 * different key, link codes do not work, and players with a deleted account are not recognised when they play again.
 */
export async function secretKeyMatches(db: Db): Promise<boolean> {
  const fingerprint = db.keyedHash(NAME);
  const stored = await db.get<{ value: string }>(sql`select value from installation where name = ${NAME}`);
  if (stored !== undefined) return stored.value === fingerprint;
  await db.run(
    sql`insert into installation (name, value) values (${NAME}, ${fingerprint}) on conflict (name) do nothing`,
  );
  return await secretKeyMatches(db);
}

/** Whether a database was used with another secret key than the one of this process. Unlike `secretKeyMatches` it stores nothing. */
export async function hasOtherSecretKey(db: Db): Promise<boolean> {
  const stored = await db.get<{ value: string }>(sql`select value from installation where name = ${NAME}`);
  return stored !== undefined && stored.value !== db.keyedHash(NAME);
}
