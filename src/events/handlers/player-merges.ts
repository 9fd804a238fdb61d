import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { exists, type Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { isLinked } from '#store/accounts/account-changes.ts';
import { mergeHidden } from '#store/game/hidden-lists.ts';
import { followRanked } from '#store/game/leaderboards/leaderboard-projection.ts';
import { mergePrivacy } from '#store/game/private-players.ts';
import { hasPseudonym, type Named } from '#store/game/players.ts';
import { uuidLabel } from '#text/text.ts';
import { mergeOrCreateJob } from './merge-records.ts';
import { findAlias, followPrivacy } from './player-privacy.ts';
import { type EventContext, EventRejected } from '../ledger/unit-of-work.ts';
import { type Effects, PLAIN_EFFECT } from './event-effect.ts';
import type { DataOf } from '../schema/index.ts';
import type { MERGE_EVENTS } from '../schema/player-merges.ts';

/**
 * Merges the player `from` into `into`: all stored and all later events of `from` count for `into`. This is for people
 * who played in offline mode or on Bedrock before they had their present game account. Neither player needs to exist yet.
 */
async function applyMerged({ work }: EventContext, { from, into }: DataOf<'player.merged'>): Promise<undefined> {
  const { tx } = work;
  await work.flush();
  const target = (await findAlias(tx, into)) ?? into;
  if (target === from) throw new EventRejected('data.into', 'is already merged into the player in data.from');
  if ((await findAlias(tx, from)) !== undefined)
    throw new EventRejected('data.from', 'is already merged into another player');
  if ((await isLinked(tx, from)) && (await isLinked(tx, target)))
    throw new EventRejected(
      'data.from',
      'is linked to an account, and data.into to another one; unlink one of them first',
    );
  await tx.run(sql`update player_aliases set into_uuid = ${target} where into_uuid = ${from}`);
  const isHidden = await mergeHidden(tx, from, target);
  await tx.run(sql`update accounts set player_uuid = ${target} where player_uuid = ${from}`);
  work.players.clear();
  const merged = (await findPlayer(tx, from))?.key;
  const surviving = await findPlayer(tx, target);
  const survivor = surviving?.key;
  if (isHidden && surviving !== undefined && !hasPseudonym(surviving))
    work.changes.add('player', surviving.key, 'changed');
  // A merged player with rows to move exists until the last row is moved; its alias gets the key then.
  const key = survivor === undefined ? await ownKey(tx, target, merged) : undefined;
  await tx.run(sql`insert into player_aliases (uuid, into_uuid, key) values (${from}, ${target}, ${key ?? null})`);
  if (merged !== undefined && survivor === undefined) {
    await tx.run(sql`update players set uuid = ${target} where key = ${merged}`);
    await renameUnnamed(tx, merged, target);
    await work.addRenamed([merged]);
  }
  const privacy = await mergePrivacy(tx, from, target);
  if (privacy !== undefined) await followPrivacy(work, [from, target], privacy);
  if (isHidden) await work.hidePlayers();
  const known = [merged, survivor].filter((player) => player !== undefined);
  await followRanked(tx, work.now, known);
  if (merged !== undefined) await mergeOrCreateJob(work, { from, merged, survivor: survivor ?? merged });
}

/**
 * The key to store with the alias of a merged player; undefined if the player inherited its key from another alias, which
 * stores it already.
 */
async function ownKey(tx: Queryable, target: string, merged: number | undefined): Promise<number | undefined> {
  if (merged === undefined) return undefined;
  const inherited = sql`select 1 as found from player_aliases where into_uuid = ${target} and key = ${merged}`;
  return (await exists(tx, inherited)) ? undefined : merged;
}

async function findPlayer(tx: Queryable, uuid: string): Promise<(Named & { key: number }) | undefined> {
  return await tx.get(sql`select key, uuid, name from players where uuid = ${uuid}`);
}

/** Gives a player whose UUID has changed the label of the new one, in the place of a name that is not known. */
async function renameUnnamed(tx: Queryable, key: number, uuid: string): Promise<void> {
  const label = uuidLabel(uuid);
  await tx.runAll([
    sql`update players set name = ${label} where key = ${key} and name_key = ''`,
    sql`update player_names set name = ${label} where player_key = ${key} and name_key = ''`,
  ]);
}

export const MERGE_EFFECTS: Effects<typeof MERGE_EVENTS> = {
  'player.merged': {
    ...PLAIN_EFFECT,
    apply: applyMerged,
    changes: NAMED_KINDS,
    changesPlayers: true,
    retract: { reversedBy: 'nothing' },
  },
};
