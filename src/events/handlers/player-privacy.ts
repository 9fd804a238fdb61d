import type { Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { followRanked } from '#store/game/leaderboards/leaderboard-projection.ts';
import { hidesPrivate } from '#store/game/hidden-in-matches.ts';
import { hasPseudonym, type Named } from '#store/game/players.ts';
import { type Privacy, privacyOf, storePrivacy } from '#store/game/private-players.ts';
import { changesByHiding } from '#store/game/renamed-players.ts';
import type { DataOf } from '../schema/index.ts';
import type { PRIVACY_EVENTS } from '../schema/player-privacy.ts';
import type { EventContext, UnitOfWork } from '../ledger/unit-of-work.ts';
import { type Effects, PLAIN_EFFECT } from './event-effect.ts';

async function applyPrivacy(
  { work }: EventContext,
  { player, ...privacy }: DataOf<'player.privacy'>,
): Promise<undefined> {
  await work.flush();
  const uuid = (await aliasTarget(work.tx, player)) ?? player;
  const before = await privacyOf(work.tx, uuid);
  const uuids = await storePrivacy(work.tx, uuid, privacy);
  await followPrivacy(work, uuids, privacy, before);
}

async function aliasTarget(tx: Queryable, uuid: string): Promise<string | undefined> {
  const alias = await tx.get<{ uuid: string }>(sql`select into_uuid as uuid from player_aliases where uuid = ${uuid}`);
  return alias?.uuid;
}

/** Takes players whose privacy has changed out of what is counted and reported, in the transaction of the change. */
export async function followPrivacy(
  work: UnitOfWork,
  uuids: readonly string[],
  { online, profile }: Privacy,
  before?: Privacy,
): Promise<void> {
  const { tx, now, changes } = work;
  const players = await tx.all<Named & { key: number }>(sql`
    select key, uuid, name from players where uuid in (${list(uuids)})`);
  const keys = players.map(({ key }) => key);
  await followRanked(tx, now, keys);
  for (const player of players) if (!hasPseudonym(player)) changes.add('player', player.key, 'changed');
  const isHidden = await hidesPrivate(tx);
  if (isHidden && before?.profile !== profile)
    for (const { kind, key, type } of await changesByHiding(tx, keys)) changes.add(kind, key, type);
  if (online || (profile && isHidden)) await work.hidePlayers();
}

export const PRIVACY_EFFECTS: Effects<typeof PRIVACY_EVENTS> = {
  'player.privacy': {
    ...PLAIN_EFFECT,
    apply: applyPrivacy,
    changes: ['player', 'match', 'server'],
    retract: { reversedBy: 'player.privacy' },
  },
};
