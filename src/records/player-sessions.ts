import { sql } from '#db/sql.ts';
import type { Context, Taken } from './batch.ts';
import type { DataOf } from './events.ts';

/** Takes a login or logout: the player's name and newest moments, and the row that lets it be taken back. */
export function applySession(context: Context, { player }: DataOf<'player.login'>, login: boolean): Taken {
  const { batch, key, time, server } = context;
  const known = batch.players.see(player, time, () => batch.keys.following());
  if (login) batch.players.login(known, time, server!.name);
  else batch.players.logout(known, time);
  batch.rows.push(sql`
    insert into player_sessions (player_key, ledger_key, time, login, server_key, server, name)
    values (${known.key}, ${key}, ${time}, ${login ? 1 : 0}, ${server!.key}, ${server!.name}, ${player.name})`);
  return undefined;
}

/** Takes a name that a player bore at a moment, without a login. */
export function applyNamed({ batch, time }: Context, { player }: DataOf<'player.named'>): Taken {
  batch.players.see(player, time, () => batch.keys.following());
  return undefined;
}
