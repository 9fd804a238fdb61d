import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { Keys } from '../sequence.ts';
import { recordChanges, type ResourceChange, type ResourceKind } from './changes.ts';
import { hasPseudonym, type Named } from './players.ts';

/**
 * The changes that follow from another name or UUID of a player: the player, the punishments, and the matches with merged
 * UUIDs, which show the present name. Punishments by the player follow it if a name was removed from them.
 */

/** The resources that show a player's name, servers the present ones: what declares a change of names declares these kinds. */
export const NAMED_KINDS: readonly ResourceKind[] = ['player', 'match', 'punishment', 'server'];

/** Maximum resources that the transaction of the new name moves to the end of the feed, which costs 50 µs each. */
const MAX_SHOWN = 500;

/**
 * The changes by new names or UUIDs of players that exist. If very many resources show one, a job records the others
 * (`recordNextShown`). A player with a pseudonym is erased and stays so.
 */
export async function changesByNames(tx: Queryable, players: readonly number[]): Promise<ResourceChange[]> {
  const changes: ResourceChange[] = [];
  for (const key of players) {
    const player = (await tx.get<Named>(sql`select uuid, name from players where key = ${key}`))!;
    changes.push({ kind: 'player', key, type: hasPseudonym(player) ? 'erased' : 'changed' });
    const shown = await shownAfter(tx, key, 0);
    changes.push(...shown);
    if (shown.length < MAX_SHOWN) continue;
    await tx.run(sql`
      insert into renamed_players (player_key, done) values (${key}, ${shown.at(-1)!.key})
      on conflict (player_key) do update set done = excluded.done`);
  }
  return changes;
}

/** The next resources with keys above `after` that show a player, in the order of their keys. */
async function shownAfter(tx: Queryable, player: number, after: number): Promise<ResourceChange[]> {
  const uuids = sql`
    select uuid from players where key = ${player}
    union all select uuid from player_aliases where into_uuid = (select uuid from players where key = ${player})`;
  const rows = await tx.tuples(sql`
    select key, kind from (
      select x.match_key as key, 'match' as kind from merged_in_matches x
      where x.player_key = ${player} and x.match_key > ${after}
        and exists (select 1 from match_details d where d.match_key = x.match_key)
      order by x.match_key limit ${MAX_SHOWN}) shown_matches
    union all
    select key, kind from (
      select u.key, 'punishment' as kind from punishments u where u.punished_key = ${player} and u.key > ${after}
      order by u.key limit ${MAX_SHOWN}) suffered
    union
    select key, kind from (
      select u.key, 'punishment' as kind from punishments u
      where u.punisher_uuid in (${uuids}) and u.punisher_name = substr(u.punisher_uuid, 1, 9) || substr(u.punisher_uuid, 25)
        and u.key > ${after} order by u.key limit ${MAX_SHOWN}) issued
    union
    select key, kind from (
      select u.key, 'punishment' as kind from punishments u
      where u.revoker_uuid in (${uuids}) and u.revoker_name = substr(u.revoker_uuid, 1, 9) || substr(u.revoker_uuid, 25)
        and u.key > ${after} order by u.key limit ${MAX_SHOWN}) revoked
    order by key limit ${MAX_SHOWN}`);
  return (rows as [number, 'match' | 'punishment'][]).map(([key, kind]) => ({ kind, key, type: 'changed' }));
}

/** Records the next resources that show a renamed player. @returns false if there are none */
export async function recordNextShown(db: Db, now: number): Promise<boolean> {
  if ((await db.get(sql`select 1 as found from renamed_players limit 1`)) === undefined) return false;
  return await db.transaction(async (tx) => {
    await Keys.lock(tx);
    const next = await tx.get<{ player_key: number; done: number }>(sql`
      select player_key, done from renamed_players order by player_key limit 1`);
    if (next === undefined) return false;
    const { player_key: player, done } = next;
    const shown = await shownAfter(tx, player, done);
    await recordChanges(tx, shown, now);
    await tx.run(
      shown.length < MAX_SHOWN
        ? sql`delete from renamed_players where player_key = ${player}`
        : sql`update renamed_players set done = ${shown.at(-1)!.key} where player_key = ${player}`,
    );
    return true;
  });
}
