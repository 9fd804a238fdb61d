import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { sql } from '#db/sql.ts';
import type { LedgerRow } from '../ledger/ledger-rows.ts';
import { type UnitOfWork, type EventContext, findOrAddPlayer, observePlayer } from '../ledger/unit-of-work.ts';
import { AGGREGATE_ONLY, type Effects, PLAIN_EFFECT } from './event-effect.ts';
import type { DataOf } from '../schema/index.ts';
import type { SESSION_EVENTS } from '../schema/player-sessions.ts';

/** Stores a login or logout: the player's name, the time of the last one, and a session row for a later retraction. */
function applySession(context: EventContext, { player }: DataOf<'player.login'>, login: boolean): undefined {
  const { work, key, time, server } = context;
  const stored = findOrAddPlayer(context, player, time);
  if (login) work.players.login(stored, time, server!.name);
  else work.players.logout(stored, time);
  const row = [stored.key, key, time, login ? 1 : 0, server!.key, server!.name, player.name];
  work.rows.add('player_sessions', row);
}

/** Adds a player under the event's own key, to restore the id that the player had in an exported network. */
function applyKnown(context: EventContext, { player }: DataOf<'player.known'>): undefined {
  if (!context.isReplay) context.work.players.observe(player, context.time, { following: () => context.key });
  observePlayer(context, player);
}

async function undoSession(
  { tx, players }: UnitOfWork,
  { key }: LedgerRow,
  data: DataOf<'player.login'>,
): Promise<null> {
  const player = players.find(data.player.uuid)!;
  await tx.run(sql`delete from player_sessions where player_key = ${player.key} and ledger_key = ${key}`);
  return null;
}

export const SESSION_EFFECTS: Effects<typeof SESSION_EVENTS> = {
  'player.login': {
    ...PLAIN_EFFECT,
    apply: (context, data) => applySession(context, data, true),
    changes: NAMED_KINDS,
    observes: ({ player }) => ({ ...player, session: 'lastLogin' }),
    retract: { undo: undoSession },
  },
  'player.named': {
    ...PLAIN_EFFECT,
    apply: (context, { player }) => void observePlayer(context, player),
    changes: NAMED_KINDS,
    observes: ({ player }) => player,
    retract: AGGREGATE_ONLY,
  },
  'player.logout': {
    ...PLAIN_EFFECT,
    apply: (context, data) => applySession(context, data, false),
    changes: NAMED_KINDS,
    observes: ({ player }) => ({ ...player, session: 'lastLogout' }),
    retract: { undo: undoSession },
  },
  'player.known': {
    ...PLAIN_EFFECT,
    apply: applyKnown,
    changes: NAMED_KINDS,
    observes: ({ player }) => player,
    retract: AGGREGATE_ONLY,
  },
};
