import { randomInt } from 'node:crypto';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** Without 0, 1, I and O, which are easily confused. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 8;

export const LINK_CODE_MS = 15 * 60_000;

/** A new code that a person types, like `K7QW-2MXR`. @returns it as shown, and as `plainCode` reads it */
export function newTypedCode(): { shown: string; plain: string } {
  const plain = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]!).join('');
  return { shown: `${plain.slice(0, 4)}-${plain.slice(4)}`, plain };
}

/** Creates a code that the player types in the game. It replaces an older code of the account. */
export async function newLinkCode(db: Queryable, now: number, accountId: string): Promise<string> {
  const { shown, plain } = newTypedCode();
  await db.run(sql`
    insert into link_codes (account_id, code_hash, expires)
    values (${accountId}, ${db.keyedHash(plain)}, ${now + LINK_CODE_MS})
    on conflict (account_id) do update set code_hash = excluded.code_hash, expires = excluded.expires`);
  return shown;
}

/** Whether a code shown earlier is still valid; then the page shows the same code again. */
export async function isLinkCodeValid(db: Queryable, now: number, accountId: string, code: string): Promise<boolean> {
  const row = await db.get(sql`
    select 1 as found from link_codes
    where account_id = ${accountId} and code_hash = ${db.keyedHash(plainCode(code))} and expires > ${now}`);
  return row !== undefined;
}

/** Normalises a typed code: upper case, without separators. */
export function plainCode(code: string): string {
  return code.toUpperCase().replace(/[^0-9A-Z]/g, '');
}
