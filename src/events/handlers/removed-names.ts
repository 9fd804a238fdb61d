import { removeHashedName } from '#store/accounts/removed-names.ts';
import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import type { DataOf } from '../schema/index.ts';
import type { REMOVED_NAME_EVENTS } from '../schema/removed-names.ts';
import type { EventContext, HandlerResult } from '../ledger/unit-of-work.ts';
import { type Effects, PLAIN_EFFECT } from './event-effect.ts';

/** Removes a name as the exported network did, so that older reports do not bring it back here either. */
async function applyRemoved(
  { work }: EventContext,
  { player, hash, until }: DataOf<'player.name_removed'>,
): Promise<HandlerResult> {
  await work.flush();
  const known = work.players.find(player.uuid);
  if (known === undefined) return { note: 'nothing changed: the network does not know the player' };
  await removeHashedName(work.tx, work.now, known, { hash, until });
  work.players.clear();
  return undefined;
}

export const REMOVED_NAME_EFFECTS: Effects<typeof REMOVED_NAME_EVENTS> = {
  'player.name_removed': {
    ...PLAIN_EFFECT,
    apply: applyRemoved,
    changes: NAMED_KINDS,
    changesPlayers: true,
    retract: 'not stored',
  },
};
