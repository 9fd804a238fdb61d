import { type EventContext, findOrAddPlayer, observePlayer, type HandlerResult } from '../unit-of-work.ts';
import type { DataOf } from '../schema.ts';

/** Takes a login or logout: the player's name and newest moments, and the row that lets it be taken back. */
export function applySession(context: EventContext, { player }: DataOf<'player.login'>, login: boolean): HandlerResult {
  const { batch, key, time, server } = context;
  const known = findOrAddPlayer(context, player, time);
  if (login) batch.players.login(known, time, server!.name);
  else batch.players.logout(known, time);
  const row = [known.key, key, time, login ? 1 : 0, server!.key, server!.name, player.name];
  batch.rows.add('player_sessions', row);
  return undefined;
}

/** Takes a name that a player bore at a moment, without a login. */
export function applyNamed(context: EventContext, { player }: DataOf<'player.named'>): HandlerResult {
  observePlayer(context, player);
  return undefined;
}

/** Takes a player over under an id of before: the event's own. */
export function applyKnown(context: EventContext, { player }: DataOf<'player.known'>): HandlerResult {
  if (!context.again) context.batch.players.see(player, context.time, { following: () => context.key });
  observePlayer(context, player);
  return undefined;
}
