import { randomInt } from 'node:crypto';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { linkPlayer } from './account-changes.ts';
import { type Account, accountById } from './accounts.ts';
import { recordAudit } from '#store/audit/audit.ts';
import { type Context, Refused, sight, type Taken } from '#events/unit-of-work.ts';
import type { DataOf } from '#events/schema.ts';

/** No letter or digit that is easily taken for another. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 8;

export const LINK_CODE_MS = 15 * 60_000;

/** A code for the player to type in the game, like `K7QW-2MXR`; an older one of the account no longer works. */
export async function newLinkCode(db: Queryable, now: number, accountId: string): Promise<string> {
  const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]!).join('');
  await db.run(sql`
    insert into link_codes (account_id, code_hash, expires)
    values (${accountId}, ${db.keyedHash(code)}, ${now + LINK_CODE_MS})
    on conflict (account_id) do update set code_hash = excluded.code_hash, expires = excluded.expires`);
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** Whether a code shown earlier still stands: whoever looks at the page again sees the same one. */
export async function linkCodeStands(db: Queryable, now: number, accountId: string, code: string): Promise<boolean> {
  const row = await db.get(sql`
    select 1 as found from link_codes
    where account_id = ${accountId} and code_hash = ${db.keyedHash(plainCode(code))} and expires > ${now}`);
  return row !== undefined;
}

function plainCode(code: string): string {
  return code.toUpperCase().replace(/[^0-9A-Z]/g, '');
}

/** Takes the news that a player typed a code: game account and account are one person's from now on. */
export async function applyLink(context: Context, { player, code }: DataOf<'account.link'>): Promise<Taken> {
  const { batch } = context;
  const row = await batch.tx.get<{ account_id: string }>(
    sql`select account_id from link_codes where code_hash = ${batch.tx.keyedHash(plainCode(code))} and expires > ${batch.now}`,
  );
  if (row === undefined)
    throw new Refused('data.code', 'is unknown or no longer valid; get a new one on the account page');
  const refusal = await linkPlayer(batch.tx, row.account_id, player);
  if (refusal === 'player linked')
    throw new Refused('data.player', 'is linked to another account; unlink it there first');
  if (refusal === 'player leaving')
    throw new Refused('data.player', 'belonged to an account that was just deleted; try again in a few minutes', true);
  if (refusal !== undefined) throw new Refused('data.code', 'belongs to an account that is linked already');
  await batch.load([player.uuid]);
  sight(context, player);
  await batch.flush();
  const account = (await accountById(batch.tx, row.account_id))!;
  await recordLink(context, account);
  return { note: `linked to the account ${account.name}` };
}

/** Without the UUID, of which nothing is left once the account is deleted. */
async function recordLink({ batch, server }: Context, { id, name }: Account): Promise<void> {
  const actor = { via: 'game', account_id: id, name, address: server?.name ?? '' } as const;
  await recordAudit(batch.tx, batch.now, actor, { action: 'account.link', subject: id, label: name });
}
