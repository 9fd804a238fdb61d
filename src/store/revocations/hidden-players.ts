import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { hiddenOn, NETWORK } from '#store/game/hidden-lists.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import { hasPseudonym, playerByKey } from '#store/game/players.ts';
import type { Revocations } from './log-reader.ts';

/** Adds the players who were hidden since the backup to its lists. @returns their number */
export async function hideAgain(db: Db, now: number, states: Revocations['hidden player']): Promise<number> {
  const hidden = [...states]
    .filter(([, state]) => state === 'hidden')
    .map(([subject]) => subject.split(' ').map(Number));
  let added = 0;
  for (const [scope, listed] of Map.groupBy(hidden, ([scope = NETWORK]) => scope)) {
    const server = await db.get(sql`select 1 as found from servers where key = ${scope}`);
    if (scope !== NETWORK && server === undefined) continue;
    const players = await Promise.all(listed.map(([, key = 0]) => playerByKey(db, key)));
    const uuids = new Set(players.flatMap((player) => (player && !hasPseudonym(player) ? player.uuid : [])));
    const known = await db.tuples(sql`select uuid from hidden_players where scope_key = ${scope} and uuid is not null`);
    const missing = uuids.difference(new Set(known.flat()));
    if (missing.size > 0) await setHidden(db, now, scope, [...(await hiddenOn(db, scope)), ...missing]);
    added += missing.size;
  }
  return added;
}
