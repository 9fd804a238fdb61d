import { z } from 'zod';
import { reportAsOperator } from '#events/ingest/operator-events.ts';
import { erasePlayer as replaceByPseudonym, punishmentsKeepingName } from '#store/accounts/player-erasure.ts';
import { findPlayer, type Player } from '#store/game/players.ts';
import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { withoutFields } from './fields.ts';
import { operation, refuse, rejection } from './operation.ts';

/** Gives all records of one UUID to another, now and in the future. */
export const mergePlayers = operation({
  name: 'player.merge',
  subject: ({ from, into }: { from: string; into: string }) => ({ subject: from, label: into }),
  fields: z.strictObject({}),
  who: 'operator',
  loss: 'permanent',
  reauthenticate: 'always',
  changes: NAMED_KINDS,
  impact: async ({ db }, { from, into }: { from: string; into: string }) => ({
    merged: (await findPlayer(db, from))?.name ?? null,
    survivor: (await findPlayer(db, into))?.name ?? null,
  }),
  run: async ({ db, clock }, { from, into }) =>
    rejection(await reportAsOperator(db, clock, { type: 'player.merged', data: { from, into } })),
  detail: (_, __, { from, into }) => ({ from, into }),
});

/** Replaces a player without an account by a pseudonym. The audit log must not hold the UUID of the erased player. */
export const erasePlayer = operation({
  name: 'player.erase',
  subject: (_: Pick<Player, 'uuid'>, { uuid }: { uuid: string }) => ({ subject: uuid, label: '' }),
  ...withoutFields,
  who: 'operator',
  loss: 'permanent',
  reauthenticate: 'always',
  changes: NAMED_KINDS,
  impact: async ({ db }, { uuid }) => await punishmentsKeepingName(db, uuid),
  run: async ({ db, clock }, { uuid }) => {
    const erased = await replaceByPseudonym(db, clock.now(), uuid);
    return 'refusal' in erased ? refuse(erased.refusal) : erased;
  },
});
