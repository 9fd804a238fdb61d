import { sql } from '#db/sql.ts';
import { linkPlayer } from '#store/accounts/account-changes.ts';
import { accountById, type Account } from '#store/accounts/accounts.ts';
import { plainCode } from '#store/accounts/link-codes.ts';
import { returnPunishments } from './returning-players.ts';
import { recordAudit } from '#store/audit/audit.ts';
import type { DataOf } from '../schema.ts';
import { type EventContext, type HandlerResult, EventRejected, observePlayer } from '../unit-of-work.ts';

/** Links the game account of a player to the account that the typed code belongs to. */

export async function applyLink(
  context: EventContext,
  { player, code }: DataOf<'account.link'>,
): Promise<HandlerResult> {
  const { batch } = context;
  const row = await batch.tx.get<{ account_id: string }>(
    sql`select account_id from link_codes where code_hash = ${batch.tx.keyedHash(plainCode(code))} and expires > ${batch.now}`,
  );
  if (row === undefined)
    throw new EventRejected('data.code', 'is wrong or has expired; get a new code on the account page');
  const refusal = await linkPlayer(batch.tx, row.account_id, player);
  if (refusal === 'player linked')
    throw new EventRejected('data.player', 'is linked to another account; unlink it there first');
  if (refusal === 'player leaving')
    throw new EventRejected(
      'data.player',
      'belonged to an account that was just deleted; try again in a few minutes',
      true,
    );
  if (refusal !== undefined) throw new EventRejected('data.code', 'belongs to an account that is linked already');
  await batch.load([player.uuid]);
  observePlayer(context, player);
  await batch.flush();
  await returnPunishments(batch, player);
  const account = (await accountById(batch.tx, row.account_id))!;
  await recordLink(context, account);
  return { note: `linked to the account ${account.name}` };
}

/** The audit entry leaves out the UUID: deleting the account must leave no trace of it. */
async function recordLink({ batch, server }: EventContext, { id, name }: Account): Promise<void> {
  const actor = { via: 'game', account_id: id, name, address: server?.name ?? '' } as const;
  await recordAudit(batch.tx, batch.now, actor, { action: 'account.link', subject: id, label: name });
}
