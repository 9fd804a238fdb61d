import { nameKey } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** The names that people may choose while no game account is linked: the format of game account names. */
const SHAPE = /^[A-Za-z0-9_]{3,16}$/;

export function isNameShape(name: string): boolean {
  return SHAPE.test(name);
}

/** The name of an account whose requested name is not available. No name of a game account contains `-`. */
export function provisionalName(name: string, id: string): string {
  return `${name}-${id}`;
}

export function isProvisionalName(name: string): boolean {
  return name.includes('-');
}

/**
 * Checks a chosen name. The name of a player on the network is `taken`, like an account's: its owner gets it by linking the
 * game account. One result for both cases does not reveal which names have accounts.
 */
export async function nameProblem(db: Queryable, name: string): Promise<'shape' | 'taken' | undefined> {
  if (!isNameShape(name)) return 'shape';
  const key = nameKey(name);
  const holder = await db.get(sql`
    select 1 as taken from accounts where name_key = ${key}
    union all select 1 from players where name_key = ${key} limit 1`);
  return holder === undefined ? undefined : 'taken';
}
