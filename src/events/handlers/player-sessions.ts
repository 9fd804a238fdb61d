import { type EventContext, findOrAddPlayer, observePlayer, type HandlerResult } from '../unit-of-work.ts';
import type { DataOf } from '../schema.ts';

/** Stores a login or logout: the player's name, the time of the last one, and a session row for a later retraction. */
export function applySession(context: EventContext, { player }: DataOf<'player.login'>, login: boolean): HandlerResult {
  const { batch, key, time, server } = context;
  const stored = findOrAddPlayer(context, player, time);
  if (login) batch.players.login(stored, time, server!.name);
  else batch.players.logout(stored, time);
  const row = [stored.key, key, time, login ? 1 : 0, server!.key, server!.name, player.name];
  batch.rows.add('player_sessions', row);
  return undefined;
}

/** Records that a player had a name at the event's time, without a login. */
export function applyNamed(context: EventContext, { player }: DataOf<'player.named'>): HandlerResult {
  observePlayer(context, player);
  return undefined;
}

/** Adds a player under the event's own key, to restore the id that the player had in an exported network. */
export function applyKnown(context: EventContext, { player }: DataOf<'player.known'>): HandlerResult {
  if (!context.isReplay) context.batch.players.observe(player, context.time, { following: () => context.key });
  observePlayer(context, player);
  return undefined;
}
