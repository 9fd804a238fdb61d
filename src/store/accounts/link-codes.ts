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
  return { shown: withHyphen(plain), plain };
}

/** An account gets at most one new code in this time, so that a page that is loaded again and again fills no table or log. */
export const NEW_LINK_CODE_MS = 60_000;

/**
 * The code that the player types in the game, like `K7QW-2MXR`. It replaces an older code of the account; a code that is
 * younger than `NEW_LINK_CODE_MS` is returned again. The database has only hashes, so the code follows from its time.
 */
export async function newLinkCode(db: Queryable, now: number, accountId: string): Promise<string> {
  const [code, expires] = [codeAt(db, accountId, now), now + LINK_CODE_MS];
  const changed = await db.run(sql`
    insert into link_codes (account_id, code_hash, expires) values (${accountId}, ${db.keyedHash(code)}, ${expires})
    on conflict (account_id) do update set code_hash = excluded.code_hash, expires = excluded.expires
    where link_codes.expires <= ${expires - NEW_LINK_CODE_MS}`);
  if (changed > 0) return withHyphen(code);
  const row = await db.get<{ expires: number }>(sql`select expires from link_codes where account_id = ${accountId}`);
  return withHyphen(row === undefined ? code : codeAt(db, accountId, row.expires - LINK_CODE_MS));
}

/** The secret key makes the code unpredictable. The alphabet has 32 characters, so that all are equally likely. */
function codeAt(db: Queryable, accountId: string, now: number): string {
  const bytes = Buffer.from(db.keyedHash(`link code ${accountId} ${now}`), 'base64url').subarray(0, LENGTH);
  return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]!).join('');
}

const withHyphen = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** Whether a code shown earlier is still valid; then the page shows the same code again. */
export const isLinkCodeValid = async (db: Queryable, now: number, accountId: string, code: string): Promise<boolean> =>
  (await db.get(sql`
    select 1 as found from link_codes where account_id = ${accountId}
      and code_hash = ${db.keyedHash(plainCode(code))} and expires > ${now}`)) !== undefined;

/** Normalises a typed code: upper case, without separators. */
export function plainCode(code: string): string {
  return code.toUpperCase().replace(/[^0-9A-Z]/g, '');
}
