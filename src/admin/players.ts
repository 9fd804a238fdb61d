import { z } from 'zod';
import type { Queryable } from '#db/db.ts';
import { reportAsOperator } from '#events/ingest/operator-events.ts';
import {
  isErased,
  isOfPseudonym,
  erasePlayer as replaceByPseudonym,
  isNamedAnywhere,
  punishmentsKeepingName,
} from '#store/accounts/deleted-players.ts';
import { removableName, removeFormerName } from '#store/accounts/removed-names.ts';
import { findPlayer, type Player } from '#store/game/players.ts';
import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { Keys } from '#store/sequence.ts';
import { withoutFields } from './fields.ts';
import { ofOperators, operation, refuse, rejection } from './operation.ts';

interface Merge {
  from: string;
  into: string;
}

/** An erased player is not merged: the pseudonym would become the name of the other player, or lead to it. */
async function mergeRefusal(db: Queryable, { from, into }: Merge) {
  if ((await isErased(db, from)) || (await isOfPseudonym(db, from))) return refuse('from_erased');
  if ((await isErased(db, into)) || (await isOfPseudonym(db, into))) return refuse('into_erased');
  return undefined;
}

const mergedErased = (option: string, uuid: string): string =>
  `--${option}: ${uuid} is an erased player or the pseudonym of one, which is never merged: the pseudonym would become the ` +
  'name of the other player, or lead to it.';

export const mergePlayers = operation({
  ...ofOperators,
  name: 'player.merge',
  summary: 'Merge one UUID into another, for past and future events; this cannot be undone',
  subject: ({ from, into }: Merge) => ({ subject: from, label: into }),
  fields: z.strictObject({}),
  options: {},
  loss: 'permanent',
  reauthenticate: 'always',
  changes: NAMED_KINDS,
  impact: async ({ db }, { from, into }: Merge) =>
    (await mergeRefusal(db, { from, into })) ?? {
      merged: (await findPlayer(db, from))?.name ?? null,
      survivor: (await findPlayer(db, into))?.name ?? null,
    },
  run: async ({ tx, clock }, { from, into }) => {
    // A player may be erased after the question. The event would name the pseudonym then.
    await Keys.lock(tx);
    const refused = await mergeRefusal(tx, { from, into });
    if (refused !== undefined) return refused;
    return rejection(await reportAsOperator(tx, clock, { type: 'player.merged', data: { from, into } }));
  },
  refused: {
    from_erased: ({ from }) => mergedErased('from', from),
    into_erased: ({ into }) => mergedErased('into', into),
  },
  detail: (_, __, { from, into }) => ({ from, into }),
});

/** The audit log must not hold the UUID of the erased player. */
export const erasePlayer = operation({
  ...ofOperators,
  name: 'player.erase',
  summary: 'Erase a player without an account: the matches stay, under a random name and UUID; this cannot be undone',
  subject: (_: Pick<Player, 'uuid'>, { uuid }: { uuid: string }) => ({ subject: uuid, label: '' }),
  ...withoutFields,
  loss: 'permanent',
  reauthenticate: 'always',
  changes: NAMED_KINDS,
  impact: async ({ db }, { uuid }) => ({
    keeping: await punishmentsKeepingName(db, uuid),
    isNamed: await isNamedAnywhere(db, uuid),
  }),
  run: async ({ tx, clock }, { uuid }, _, { isNamed }) => {
    const erased = await replaceByPseudonym(tx, clock.now(), uuid, isNamed);
    return 'refusal' in erased ? refuse(erased.refusal) : erased;
  },
  refused: {
    'no player': () => 'No player has this UUID, and no withdrawn event names it.',
    'has an account': () =>
      'The player has an account; delete it, which erases the player as well: scorehall account delete',
    'erased already': () => 'This player was erased already.',
  },
});

/** The audit log must not hold the removed name. */
export const removePlayerName = operation({
  ...ofOperators,
  name: 'player.name.remove',
  summary: 'Remove a former name of a player everywhere; this cannot be undone',
  subject: ({ uuid }: Pick<Player, 'uuid'>, { player }: { player: Player }) => ({ subject: uuid, label: player.name }),
  fields: z.strictObject({
    name: z.string().trim().min(1, 'must not be empty').max(64, 'must have at most 64 characters'),
  }),
  options: { name: 'The former name, in any case' },
  loss: 'permanent',
  reauthenticate: 'always',
  changes: NAMED_KINDS,
  impact: async ({ db }, { uuid }, { name }) => {
    const player = await removableName(db, uuid, name);
    return typeof player === 'string' ? refuse(player) : player;
  },
  run: async ({ tx, clock }, { uuid }, { name }) => {
    const removed = await removeFormerName(tx, clock.now(), uuid, name);
    return 'refusal' in removed ? refuse(removed.refusal) : removed;
  },
  refused: {
    no_player: () => 'No player has this UUID.',
    no_such_name: () => 'The player has no such former name.',
    present_name: () => 'This is the present name of the player; only former names can be removed.',
  },
  detail: () => ({}),
});
