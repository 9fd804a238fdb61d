import { exists, type Queryable, tuplesAmong } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import { isUuidLabel, nameKey, playerNameKey, uuidLabel } from '#text/text.ts';
import { removeNameFromAudit } from '#store/audit/erasure.ts';
import { recordChanges } from '#store/game/changes.ts';
import { listByUuid } from '#store/game/hidden-lists.ts';
import { forgetNames } from '#store/game/hidden-players.ts';
import type { Renamed } from '#store/game/own-teams.ts';
import { hasPseudonym, namesByUuid, namesOf, type Player, playerByUuid, readAliases } from '#store/game/players.ts';
import { changesByNames } from '#store/game/renamed-players.ts';
import { createJob } from '../jobs.ts';
import { Keys } from '../sequence.ts';

/**
 * Former names that their owner or staff removed. The player has them no longer immediately; a job puts the label of the UUID
 * in their place in the stored events and matches. Only the keyed hash of a name remains, by which reports up to the time of
 * the removal are stored without it. It is bound to the UUIDs of the player, so that it holds after an erasure and the return.
 */

/** A name that was removed, until a job has replaced it everywhere: the parameters of the job. */
export interface NameRemoval {
  /** The UUIDs of the player, its own first. */
  uuids: string[];
  /** The key of the removed name. */
  name: string;
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
  { key, uuid }: PlayerUuid,
  { name, until: given }: { name: string; until: number },
): Promise<number> {
  const seen = (await namesOf(tx, key)).filter((one) => nameKey(one.name) === name);
  // Clocks of game servers may be fast.
  const until = Math.max(given, ...seen.map(({ last_seen }) => last_seen));
  await rememberRemoval(tx, { key, uuid }, hashOf(tx, name), until);
  await tx.run(sql`delete from player_names where player_key = ${key} and name_key = ${name}`);
  await replacePresentName(tx, { key, uuid }, name);
  const uuids = await uuidsOf(tx, uuid);
  await removeNameFromAudit(tx, { key, uuids }, name);
  await listByUuid(tx, uuid, name);
  const changes = [...(await changesByNames(tx, [key])), ...(await forgetNames(tx, new Set([name])))];
  await recordChanges(tx, changes, now);
  const removal: NameRemoval = { uuids, name, until };
  return await createJob(tx, now, { kind: 'anonymisation', label: '', params: { removal } });
}

type PlayerUuid = Pick<Player, 'key' | 'uuid'>;

/** The UUIDs of a player, its own first. */
const uuidsOf = async (tx: Queryable, uuid: string): Promise<string[]> => [
  uuid,
  ...(await readAliases(tx, uuid, Number.MAX_SAFE_INTEGER)),
];

/** Gives a player another present name if that is the removed one. */
async function replacePresentName(tx: Queryable, { key, uuid }: PlayerUuid, removed: string): Promise<void> {
  const { name } = (await tx.get<{ name: string }>(sql`select name from players where key = ${key}`))!;
  if (playerNameKey(name) !== removed) return;
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
}

async function rememberRemoval(tx: Queryable, { key, uuid }: PlayerUuid, hash: string, until: number): Promise<void> {
  for (const one of await uuidsOf(tx, uuid))
    await rememberHash(tx, { player: key, uuidHash: tx.keyedHash(one), hash, until });
}

/** A removed name by keyed hashes, with the key that the player has; null if it was erased. */
interface HashedRemoval {
  player: number | null;
  uuidHash: string;
  hash: string;
  until: number;
}

/** Stores a removal of a player who may be missing: a restored backup may be older than the player. */
export const rememberHash = (tx: Queryable, { player, uuidHash, hash, until }: HashedRemoval): Promise<number> =>
  tx.run(sql`
    insert into removed_names (uuid_hash, name_hash, until, player_key)
    values (${uuidHash}, ${hash}, ${until}, ${player})
    on conflict (uuid_hash, name_hash) do update set player_key = excluded.player_key,
      until = case when excluded.until > removed_names.until then excluded.until else removed_names.until end`);

/**
 * Removes a name that is known by its hash alone, from an export, a merge or a revocation log. A player who does not have it
 * yet does not get it by reports up to that time.
 * @returns whether the player had the name
 */
export async function removeHashedName(
  tx: Queryable,
  now: number,
  player: PlayerUuid,
  { hash, until }: Pick<HashedRemoval, 'hash' | 'until'>,
): Promise<boolean> {
  const found = (await namesOf(tx, player.key)).find(({ name }) => hashOf(tx, nameKey(name)) === hash);
  await rememberRemoval(tx, player, hash, until);
  if (found === undefined || found.first_seen > until) return false;
  await removeName(tx, now, player, { name: nameKey(found.name), until });
  return true;
}

const removalsAmong = (some: Sql): Sql => sql`
  select uuid_hash, name_hash, until from removed_names where uuid_hash in (${some})`;

/** The removed names of some UUIDs: the hash of each, and until when reports leave it out. */
async function removalsOf(tx: Queryable, uuids: readonly string[]): Promise<Map<string, Map<string, number>>> {
  const removals = new Map<string, Map<string, number>>();
  const hashed = new Map(uuids.map((uuid) => [tx.keyedHash(uuid), uuid]));
  const rows = await tuplesAmong<[string, string, number]>(tx, [...hashed.keys()], removalsAmong);
  for (const [uuidHash, hash, until] of rows) {
    const uuid = hashed.get(uuidHash)!;
    removals.set(uuid, (removals.get(uuid) ?? new Map<string, number>()).set(hash, until));
  }
  return removals;
}

/** Returns a function that tells until when a name of a player is left out; undefined if no name of the player was removed. */
export async function removedUntil(
  tx: Queryable,
  uuid: string,
): Promise<((name: string) => number | undefined) | undefined> {
  const removals = (await removalsOf(tx, [uuid])).get(uuid);
  return removals && ((name) => (isUuidLabel(name) ? undefined : removals.get(hashOf(tx, nameKey(name)))));
}

/** Whether any player has a removed name: most networks have none. */
export const anyRemovedName = (tx: Queryable): Promise<boolean> =>
  exists(tx, sql`select 1 as found from removed_names limit 1`);

/**
 * Returns, for some UUIDs of players with removed names, a function that tells until when a name is left out, and the present
 * name.
 */
export async function removedNames(
  tx: Queryable,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, { present: string; until: (name: string) => number | undefined }>> {
  const removals = await removalsOf(tx, uuids);
  const present = await namesByUuid(tx, [...removals.keys()]);
  for (const uuid of present.keys()) await rebindRemovedNames(tx, uuid);
  return new Map(
    [...removals].map(([uuid, hashes]) => {
      const until = (name: string): number | undefined => hashes.get(hashOf(tx, nameKey(name)));
      return [uuid, { present: present.get(uuid) ?? uuidLabel(uuid), until }];
    }),
  );
}

/** Lets the names that were removed of one of two merged players be removed of both. */
export async function mergeRemovedNames(tx: Queryable, now: number, survivor: number): Promise<void> {
  if (!(await anyRemovedName(tx))) return;
  const player = (await tx.get<PlayerUuid>(sql`select key, uuid from players where key = ${survivor}`))!;
  const removals = await removalsOf(tx, await uuidsOf(tx, player.uuid));
  for (const hashes of removals.values())
    for (const [hash, until] of hashes) await removeHashedName(tx, now, player, { hash, until });
}

/** Unbinds the removed names of a game account that is erased from the player, who has a pseudonym from now on. */
export async function unbindRemovedNames(tx: Queryable, uuid: string): Promise<void> {
  const uuidHash = tx.keyedHash(uuid);
  await tx.run(sql`update removed_names set player_key = null where uuid_hash = ${uuidHash}`);
}

/** Binds the removed names of a game account that came back after an erasure to its new player. */
async function rebindRemovedNames(tx: Queryable, uuid: string): Promise<void> {
  await tx.run(sql`
    update removed_names set player_key = (select key from players where uuid = ${uuid})
    where uuid_hash = ${tx.keyedHash(uuid)} and player_key is null`);
}

/** The players who get the labels of their UUIDs for a removed name in an event, by each of their UUIDs. */
export function withoutName({ uuids, name }: NameRemoval): Renamed {
  const only = new Set([name]);
  return new Map(uuids.map((uuid) => [uuid, { uuid, name: uuidLabel(uuid), only, names: only }]));
}
