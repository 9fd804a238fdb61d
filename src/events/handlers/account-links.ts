import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { uuidOf } from '#text/text.ts';
import { getValue } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type LinkFailure, linkPlayer, unlinkPlayer } from '#store/accounts/account-changes.ts';
import { accountById, type Account } from '#store/accounts/accounts.ts';
import { noteForOwner } from '#store/accounts/account-notices.ts';
import { plainCode } from '#store/accounts/link-codes.ts';
import { returnPunishments } from './returning-players.ts';
import { returningPunishments } from '#store/accounts/deleted-players.ts';
import { recordAudit } from '#store/audit/audit.ts';
import type { LedgerRow } from '../ledger/ledger-rows.ts';
import { type Effects, PLAIN_EFFECT } from './event-effect.ts';
import type { DataOf } from '../schema/index.ts';
import type { LINK_EVENTS } from '../schema/account-links.ts';
import {
  type UnitOfWork,
  type EventContext,
  type HandlerResult,
  EventRejected,
  observePlayer,
} from '../ledger/unit-of-work.ts';

type Link = DataOf<'account.link'>;

const REFUSALS: Readonly<Record<LinkFailure, ConstructorParameters<typeof EventRejected>>> = {
  'account linked': ['data.code', 'belongs to an account that is linked already'],
  'player linked': ['data.player', 'is linked to another account; unlink it there first'],
  'player leaving': ['data.player', 'belonged to an account that was just deleted; try again in a few minutes', true],
  pseudonym: ['data.player', 'is the pseudonym of an erased player'],
};

/** Links the game account of a player to the account of the link code. */
async function applyLink(context: EventContext, { player, code }: Link): Promise<HandlerResult> {
  const { work } = context;
  const accountId = await getValue<string>(
    work.tx,
    sql`select account_id from link_codes where code_hash = ${work.tx.keyedHash(plainCode(code))} and expires > ${work.now}`,
  );
  if (accountId === undefined)
    throw new EventRejected('data.code', 'is wrong or has expired; get a new code on the account page');
  // Events before it in the batch may have punished the player under the pseudonym.
  await work.flush();
  const returning = await returningPunishments(work.tx, player.uuid);
  const refusal = await linkPlayer(work.tx, accountId, player);
  if (refusal !== undefined) throw new EventRejected(...REFUSALS[refusal]);
  await work.load([player.uuid]);
  observePlayer(context, player);
  await work.flush();
  await returnPunishments(work, player, returning);
  const account = (await accountById(work.tx, accountId))!;
  await noteForOwner(work.tx, work.now, account.id, { kind: 'linked', label: player.name });
  await recordLink(context, account);
  return { note: `linked to the account ${account.name}` };
}

/** The audit entry leaves out the UUID: deleting the account must leave no trace of it. */
async function recordLink({ work, server }: EventContext, { id, name }: Account): Promise<void> {
  const actor = { via: 'game', account_id: id, name, address: server?.name ?? '' } as const;
  await recordAudit(work.tx, work.now, actor, { action: 'account.link', subject: id, label: name });
}

/**
 * Unlinks the game account from its account, unless a later event has linked the two again. If the game account was
 * merged into another one since, the account is linked to that one; it is unlinked too, unless a separate event linked
 * it.
 */
async function undoLink(
  { tx, players }: UnitOfWork,
  { key }: LedgerRow,
  { player: { uuid } }: Pick<Link, 'player'>,
): Promise<null> {
  const player = players.find(uuid)!;
  const rows = await tx.tuples(sql`
    select l.key, l.body from name_observations s join ledger l on l.key = s.ledger_key
    where s.player_key = ${player.key} and l.type = 'account.link' and l.withdrawn is null and l.key <> ${key}`);
  const otherLinks = (rows as [number, string][]).map(([link, body]) => ({ key: link, uuid: linkedUuid(body) }));
  if (otherLinks.some((link) => link.uuid === uuid && link.key > key)) return null;
  const followsMerge = player.uuid !== uuid && !otherLinks.some((link) => link.uuid === player.uuid);
  for (const linked of followsMerge ? [uuid, player.uuid] : [uuid]) {
    const account = await getValue<string>(tx, sql`select id from accounts where player_uuid = ${linked}`);
    if (account === undefined) continue;
    await unlinkPlayer(tx, account);
    break;
  }
  return null;
}

const linkedUuid = (body: string): string | undefined =>
  uuidOf((JSON.parse(body) as { player: { uuid: string } }).player.uuid);

export const LINK_EFFECTS: Effects<typeof LINK_EVENTS> = {
  'account.link': {
    ...PLAIN_EFFECT,
    apply: applyLink,
    // Linking brings a deleted player back: later events of the transaction keep the real UUID.
    changes: NAMED_KINDS,
    changesPlayers: true,
    observes: ({ player }) => player,
    retract: { undo: undoLink },
  },
};
