import { columnOf, getValue, type Queryable } from '#db/db.ts';
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
  const uuid = (await findAlias(work.tx, player)) ?? player;
  const before = await privacyOf(work.tx, uuid);
  const uuids = await storePrivacy(work.tx, uuid, privacy);
  await followPrivacy(work, uuids, privacy, before);
}

/** The UUID into which another one was merged. */
export const findAlias = (tx: Queryable, uuid: string): Promise<string | undefined> =>
  getValue(tx, sql`select into_uuid from player_aliases where uuid = ${uuid}`);

/** Takes players whose privacy has changed out of what is counted and reported, in the transaction of the change. */
export async function followPrivacy(
  work: UnitOfWork,
  uuids: readonly string[],
  privacy: Privacy,
  before?: Privacy,
): Promise<void> {
  const { tx, now, changes } = work;
  const players = await tx.all<Named & { key: number }>(sql`
    select key, uuid, name from players where uuid in (${list(uuids)})`);
  const keys = players.map(({ key }) => key);
  await followRanked(tx, now, keys);
  for (const player of players) if (!hasPseudonym(player)) changes.add('player', player.key, 'changed');
  const isHidden = await hidesPrivate(tx);
  const shown = ({ profile, names }: Privacy): string =>
    profile && isHidden ? 'hidden' : profile || names ? 'present name' : 'as reported';
  const [was, is] = [before && shown(before), shown(privacy)];
  if (was !== is) {
    const moved = was === 'hidden' || is === 'hidden' ? keys : await withFormerNames(tx, keys);
    for (const { kind, key, type } of await changesByHiding(tx, moved)) changes.add(kind, key, type);
  }
  if (privacy.online || is === 'hidden') await work.hidePlayers();
}

const withFormerNames = (tx: Queryable, players: readonly number[]): Promise<number[]> =>
  columnOf(
    tx,
    sql`
    select p.key from players p where p.key in (${list(players)}) and exists (
      select 1 from player_names n where n.player_key = p.key and n.name_key <> p.name_key)`,
  );

export const PRIVACY_EFFECTS: Effects<typeof PRIVACY_EVENTS> = {
  'player.privacy': {
    ...PLAIN_EFFECT,
    apply: applyPrivacy,
    changes: ['player', 'match', 'server'],
    retract: { reversedBy: 'player.privacy' },
  },
};
