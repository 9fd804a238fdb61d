import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { Keys } from '../sequence.ts';
import { HIDDEN, HIDES, privateInMatches } from './hidden-in-matches.ts';
import { recordChanges, type ResourceChange, type ResourceKind } from './changes.ts';
import { hasPseudonym, type Named } from './players.ts';

/**
 * The changes that follow from another name or UUID of a player: the player, the punishments, and the matches with merged
 * UUIDs, which show the present name. Punishments by the player follow it if a name was removed from them. And all
 * matches of a player whom they show under the present name alone, or not at all, or no longer so.
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
    const shown = (await privateInMatches(tx, [player.uuid])).get(player.uuid);
    const isPrivate = shown !== undefined && shown.uuid !== HIDDEN.uuid;
    // Cached matches have the former name.
    if (isPrivate) await tx.run(sql`update data_versions set value = value + 1 where name = 'matches'`);
    changes.push(...(await firstShown(tx, key, isPrivate ? 1 : 0)));
  }
  return changes;
}

/** The changes of the matches of players who are private now, or no longer. */
export async function changesByHiding(tx: Queryable, players: readonly number[]): Promise<ResourceChange[]> {
  const changes: ResourceChange[] = [];
  for (const key of players) changes.push(...(await firstShown(tx, key, 1)));
  return changes.filter(({ kind }) => kind === 'match');
}

/** The place of a player whose resources a job records: they are recorded up to the key `done`. */
interface Recorded {
  done: number;
  /** 1 for all matches of the player, 0 for those that follow the name. */
  played: 0 | 1;
}

/** The first resources that show a player; a job records the others. */
async function firstShown(tx: Queryable, player: number, played: 0 | 1): Promise<ResourceChange[]> {
  const shown = await shownAfter(tx, player, { done: 0, played });
  if (shown.length === MAX_SHOWN)
    await tx.run(sql`
      insert into renamed_players (player_key, done, played) values (${player}, ${shown.at(-1)!.key}, ${played})
      on conflict (player_key) do update set
        played = case when renamed_players.played = 1 then 1 else excluded.played end,
        done = case when renamed_players.played > excluded.played and renamed_players.done < excluded.done
          then renamed_players.done else excluded.done end`);
  return shown;
}

/** The next resources with keys above `after` that show a player, in the order of their keys. */
async function shownAfter(tx: Queryable, player: number, { done: after, played }: Recorded): Promise<ResourceChange[]> {
  // The feed must not tell in which matches a hidden player is.
  const merged = sql`
    select match_key from merged_in_matches where player_key = ${player} and match_key > ${after} and not (${HIDES}
      and exists (select 1 from private_players v join players p on p.uuid = v.uuid where p.key = ${player} and v.profile = 1))`;
  // An objective may name a player who is in no team.
  const all = sql`
    select match_key from player_matches where player_key = ${player} and match_key > ${after}
    union select ledger_key from name_observations where player_key = ${player} and ledger_key > ${after}`;
  const uuids = sql`
    select uuid from players where key = ${player}
    union all select uuid from player_aliases where into_uuid = (select uuid from players where key = ${player})`;
  const rows = await tx.tuples(sql`
    select key, kind from (
      select x.match_key as key, 'match' as kind from (${played === 1 ? all : merged}) x
      where exists (select 1 from match_details d where d.match_key = x.match_key)
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
    const next = await tx.get<Recorded & { player_key: number }>(sql`
      select player_key, done, played from renamed_players order by player_key limit 1`);
    if (next === undefined) return false;
    const { player_key: player } = next;
    const shown = await shownAfter(tx, player, next);
    await recordChanges(tx, shown, now);
    await tx.run(
      shown.length < MAX_SHOWN
        ? sql`delete from renamed_players where player_key = ${player}`
        : sql`update renamed_players set done = ${shown.at(-1)!.key} where player_key = ${player}`,
    );
    return true;
  });
}
