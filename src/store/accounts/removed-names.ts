import { exists, type Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { isUuidLabel, nameKey, playerNameKey, uuidLabel } from '#text/text.ts';
import { removeNameFromAudit } from '#store/audit/erasure.ts';
import { recordChanges } from '#store/game/changes.ts';
import { listByUuid } from '#store/game/hidden-lists.ts';
import { forgetNames } from '#store/game/hidden-players.ts';
import type { Renamed } from '#store/game/own-teams.ts';
import { hasPseudonym, namesOf, type Player, playerByUuid, readAliases } from '#store/game/players.ts';
import { changesByNames } from '#store/game/renamed-players.ts';
import { createJob } from '../jobs.ts';
import { Keys } from '../sequence.ts';

/**
 * Former names that their owner or staff removed. The player has them no longer immediately; a job replaces them in the stored
 * events and matches. Only the keyed hash of a name remains, by which reports up to the time of the removal are stored without
 * it.
 */

/** A name that was removed, until a job has replaced it everywhere: the parameters of the job. */
export interface NameRemoval {
  player: number;
  /** The UUIDs of the player, its own first. */
  uuids: string[];
  /** The key of the removed name. */
  name: string;
  /** The name that takes its place in texts. */
  shown: string;
  /** Reports with a later time keep the name. */
  until: number;
}

export type RemovalRefusal = 'no_player' | 'no_such_name' | 'present_name';

const hashOf = ({ keyedHash }: Pick<Queryable, 'keyedHash'>, key: string): string => keyedHash(`name ${key}`);

/** The former name of a player that a text means, in any case, or why it cannot be removed. */
export async function removableName(db: Queryable, uuid: string, text: string): Promise<Player | RemovalRefusal> {
  const player = await playerByUuid(db, uuid);
  if (player === undefined || hasPseudonym(player)) return 'no_player';
  if (nameKey(player.name) === nameKey(text)) return 'present_name';
  const names = await namesOf(db, player.key);
  return names.some(({ name }) => nameKey(name) === nameKey(text)) ? player : 'no_such_name';
}

/** Removes a former name of a player. @returns the key of the job that replaces it, or why the name is not removed */
export async function removeFormerName(
  tx: Queryable,
  now: number,
  uuid: string,
  text: string,
): Promise<{ job: number; player: Player } | { refusal: RemovalRefusal }> {
  // First, so that no report brings the name meanwhile.
  await Keys.lock(tx);
  const player = await removableName(tx, uuid, text);
  if (typeof player === 'string') return { refusal: player };
  return { job: await removeName(tx, now, player, { name: nameKey(text), until: now }), player };
}

/**
 * Removes a name of a player, even the present one, in whose place the newest other one comes. The caller has the lock of the
 * keys.
 * @returns the key of the job that replaces it
 */
async function removeName(
  tx: Queryable,
  now: number,
  { key, uuid }: Pick<Player, 'key' | 'uuid'>,
  { name, until: given }: { name: string; until: number },
): Promise<number> {
  const seen = (await namesOf(tx, key)).filter((one) => nameKey(one.name) === name);
  // Clocks of game servers may be fast.
  const until = Math.max(given, ...seen.map(({ last_seen }) => last_seen));
  await rememberRemoval(tx, key, hashOf(tx, name), until);
  await tx.run(sql`delete from player_names where player_key = ${key} and name_key = ${name}`);
  const shown = await presentName(tx, key, uuid, name);
  const uuids = [uuid, ...(await readAliases(tx, uuid, Number.MAX_SAFE_INTEGER))];
  await removeNameFromAudit(tx, { key, uuids }, name, shown);
  await listByUuid(tx, uuid, name);
  const changes = [...(await changesByNames(tx, [key])), ...(await forgetNames(tx, new Set([name])))];
  await recordChanges(tx, changes, now);
  const removal: NameRemoval = { player: key, uuids, name, shown, until };
  return await createJob(tx, now, { kind: 'anonymisation', label: '', params: { removal } });
}

/** The present name of a player, after a name was removed. */
async function presentName(tx: Queryable, key: number, uuid: string, removed: string): Promise<string> {
  const { name } = (await tx.get<{ name: string }>(sql`select name from players where key = ${key}`))!;
  if (playerNameKey(name) !== removed) return name;
  const newest = await tx.get<{ name: string; first: number; last: number }>(sql`
    select name, first_seen as first, last_seen as last from player_names
    where player_key = ${key} order by last_seen desc, name_key limit 1`);
  const present = newest ?? { name: uuidLabel(uuid), first: 0, last: 0 };
  const nameKey = playerNameKey(present.name);
  await tx.runAll([
    sql`
      update players set name = ${present.name}, name_key = ${nameKey}, name_since = ${present.first} where key = ${key}`,
    sql`update player_stats set name_seen = ${present.last} where player_key = ${key}`,
    sql`
      insert into player_names (name_key, player_key, name, first_seen, last_seen)
      values (${nameKey}, ${key}, ${present.name}, ${present.first}, ${present.last})
      on conflict (name_key, player_key) do nothing`,
  ]);
  return present.name;
}

const rememberRemoval = (tx: Queryable, player: number, hash: string, until: number): Promise<number> =>
  tx.run(sql`
    insert into removed_names (player_key, name_hash, until) values (${player}, ${hash}, ${until})
    on conflict (player_key, name_hash) do update set until = excluded.until where removed_names.until < excluded.until`);

/**
 * Removes a name that is known by its hash alone, from an export, a merge or a revocation log. A player who does not have it
 * yet does not get it by reports up to that time.
 * @returns whether the player had the name
 */
export async function removeHashedName(
  tx: Queryable,
  now: number,
  player: Pick<Player, 'key' | 'uuid'> | undefined,
  { key, hash, until }: { key: number; hash: string; until: number },
): Promise<boolean> {
  const names = player === undefined ? [] : await namesOf(tx, player.key);
  const found = names.find(({ name }) => hashOf(tx, nameKey(name)) === hash);
  await rememberRemoval(tx, player?.key ?? key, hash, until);
  if (player === undefined || found === undefined || found.first_seen > until) return false;
  await removeName(tx, now, player, { name: nameKey(found.name), until });
  return true;
}

/** The removed names of some players, by their keys: the hash of each, and until when reports leave it out. */
async function removalsOf(tx: Queryable, players: readonly number[]): Promise<Map<number, Map<string, number>>> {
  const rows = await tx.tuples(sql`
    select player_key, name_hash, until from removed_names where player_key in (${list([...players])})`);
  const removals = new Map<number, Map<string, number>>();
  for (const [player, hash, until] of rows as [number, string, number][])
    removals.set(player, (removals.get(player) ?? new Map<string, number>()).set(hash, until));
  return removals;
}

/** Returns a function that tells until when a name of a player is left out; undefined if no name of the player was removed. */
export async function removedUntil(
  tx: Queryable,
  player: number,
): Promise<((name: string) => number | undefined) | undefined> {
  const removals = (await removalsOf(tx, [player])).get(player);
  return removals && ((name) => (isUuidLabel(name) ? undefined : removals.get(hashOf(tx, nameKey(name)))));
}

/** Whether any player has a removed name: most networks have none. */
export const anyRemovedName = (tx: Queryable): Promise<boolean> =>
  exists(tx, sql`select 1 as found from removed_names limit 1`);

/**
 * Returns, for some UUIDs of players with removed names, a function that tells until when a name is left out and what takes its
 * place in texts.
 */
export async function removedNames(
  tx: Queryable,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, { shown: string; until: (name: string) => number | undefined }>> {
  const among = sql`
    select p.uuid as named, p.key, p.name from players p where p.uuid in (${list([...uuids])})
    union all
    select a.uuid, p.key, p.name from player_aliases a join players p on p.uuid = a.into_uuid
    where a.uuid in (${list([...uuids])})`;
  const players = await tx.all<{ named: string; key: number; name: string }>(sql`
    select named, key, name from (${among}) n where exists (select 1 from removed_names r where r.player_key = n.key)`);
  const removals = await removalsOf(
    tx,
    players.map(({ key }) => key),
  );
  return new Map(
    players.map(({ named, key, name }) => {
      const until = (text: string): number | undefined => removals.get(key)!.get(hashOf(tx, nameKey(text)));
      return [named, { shown: name, until }];
    }),
  );
}

/** Moves the removed names of a merged player to the surviving one, and removes them from the names of both. */
export async function mergeRemovedNames(tx: Queryable, now: number, merged: number, survivor: number): Promise<void> {
  for (const [hash, until] of (await removalsOf(tx, [merged])).get(merged) ?? [])
    await rememberRemoval(tx, survivor, hash, until);
  await tx.run(sql`delete from removed_names where player_key = ${merged}`);
  const removals = (await removalsOf(tx, [survivor])).get(survivor);
  if (removals === undefined) return;
  const player = (await tx.get<Pick<Player, 'key' | 'uuid'>>(
    sql`select key, uuid from players where key = ${survivor}`,
  ))!;
  for (const [hash, until] of removals) await removeHashedName(tx, now, player, { key: survivor, hash, until });
}

/** The players who get another name for a removed one in an event, by each of their UUIDs. */
export function withoutName({ uuids, name, shown }: NameRemoval): Renamed {
  const only = new Set([name]);
  return new Map(uuids.map((uuid) => [uuid, { uuid, name: uuidLabel(uuid), only, names: only, shown }]));
}
