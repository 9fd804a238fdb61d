import { randomInt, randomUUID } from 'node:crypto';
import { nameKey, uuidLabel } from '#text/text.ts';
import { exists, type Queryable, tuplesAmong } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { erasePlayerFromAudit } from '#store/audit/erasure.ts';
import { ChangeSet, recordChanges } from '#store/game/changes.ts';
import { forgetHidden } from '#store/game/hidden-lists.ts';
import { changesOfReported, hideReported } from '#store/game/hidden-players.ts';
import { followRanked } from '#store/game/leaderboards/leaderboard-projection.ts';
import type { Named } from '#store/game/players.ts';
import { pseudonymisePrivacy } from '#store/game/private-players.ts';
import { changesByNames } from '#store/game/renamed-players.ts';
import { createJob } from '../jobs.ts';
import { Keys } from '../sequence.ts';
import { unbindRemovedNames } from './removed-names.ts';

/**
 * The replacement of a game account after its owner deletes the linked account: its matches stay, under a random UUID and
 * name. Stored records are rewritten, and later events of the game account get the same pseudonym, until the game account
 * is linked again. Only the keyed hash of the real UUID remains.
 */
export type Pseudonym = Named;

/**
 * Replaces a game account, and the game accounts merged with it, by pseudonyms. Each gets its own UUID, and all get the
 * same name, also those that have a pseudonym already. The player has the pseudonym immediately; a job replaces the
 * game accounts in the stored events.
 * @param known pseudonyms from before a backup was restored, by the keyed hash of the UUID
 * @returns the key of the job; undefined if all of them have pseudonyms already
 */
export async function pseudonymise(
  tx: Queryable,
  now: number,
  uuid: string,
  known: ReadonlyMap<string, Pseudonym> = new Map(),
): Promise<number | undefined> {
  // The lock keeps other transactions from writing events of the player under the old UUID. It is taken first, see Keys.
  await Keys.lock(tx);
  const hashes: string[] = [];
  const erased: number[] = [];
  const [own, ...merged] = await mergedWith(tx, uuid);
  const player = await tx.get<{ key: number; uuid: string; name: string }>(sql`
    select key, uuid, name from players
    where uuid = coalesce((select into_uuid from player_aliases where uuid = ${own}), ${own})`);
  const existing = await pseudonymsAmong(tx, [own, ...merged]);
  const names = await namesOf(tx, [own, ...merged, player?.uuid ?? own]);
  // Texts have them in the place of removed names.
  names.all.push(...[own, ...merged].map(uuidLabel));
  const reported = { uuids: new Set([own, ...merged]), names: names.only };
  const name = existing.get(own) ?? known.get(tx.keyedHash(own))?.name ?? existing.values().next().value ?? newName();
  for (const original of [own, ...merged]) {
    if (existing.has(original)) continue;
    const hash = tx.keyedHash(original);
    const pseudonym = { uuid: known.get(hash)?.uuid ?? randomUUID(), name };
    await tx.run(sql`
      insert into pseudonyms (uuid_hash, uuid, name, created, ledger_done, original)
      values (${hash}, ${pseudonym.uuid}, ${name}, ${now}, 0, ${original})`);
    hashes.push(hash);
    await tx.run(sql`delete from managed_players where uuid = ${original}`);
    await forgetHidden(tx, original);
    await pseudonymisePrivacy(tx, original, pseudonym.uuid);
    await unbindRemovedNames(tx, original);
    await tx.run(sql`update player_aliases set uuid = ${pseudonym.uuid} where uuid = ${original}`);
    erased.push(...(await renamePlayer(tx, original, pseudonym)));
    if (player === undefined) continue;
    await erasePlayerFromAudit(tx, player.key, { uuid: original, names: names.all }, pseudonym);
  }
  if (hashes.length === 0) return undefined;
  await hideReported(tx, { on: () => reported });
  // The present name may be that of a game account that was merged into an older pseudonym.
  for (const [other] of existing) erased.push(...(await renamePlayer(tx, other, { uuid: other, name })));
  await followRanked(tx, now, erased);
  const changes = new ChangeSet();
  const following = [...(await changesByNames(tx, erased)), ...(await changesOfReported(tx))];
  for (const { kind, key, type } of following) changes.add(kind, key, type);
  await recordChanges(tx, changes.take(), now);
  const renamed = [...existing].filter(([, other]) => other !== name).map(([other]) => other);
  await tx.run(sql`update pseudonyms set name = ${name} where uuid in (${list(renamed)})`);
  const params = { hashes, renamed, names: [...names.only], known: names.all };
  return await createJob(tx, now, { kind: 'anonymisation', label: name, params });
}

/**
 * A game account and the game accounts merged with it, the surviving one first. Without those that are linked to another
 * account, which keep their UUIDs.
 */
async function mergedWith(tx: Queryable, uuid: string): Promise<[own: string, ...merged: string[]]> {
  const target = await tx.get<{ uuid: string }>(sql`
    select into_uuid as uuid from player_aliases
    where uuid = ${uuid} and not exists (select 1 from accounts a where a.player_uuid = into_uuid)`);
  const own = target?.uuid ?? uuid;
  const others = await tx.tuples(sql`
    select uuid from player_aliases
    where into_uuid = ${own} and not exists (select 1 from accounts a where a.player_uuid = player_aliases.uuid)
    order by uuid`);
  return [own, ...others.map(([other]) => String(other))];
}

/**
 * All names of game accounts, present ones first, and the keys of those that no other player has now. A merged one still has
 * a player until the last of its records is moved.
 */
async function namesOf(tx: Queryable, uuids: readonly string[]): Promise<{ all: string[]; only: Set<string> }> {
  const players = await tx.all<{ key: number; name: string }>(sql`
    select key, name from players where uuid in (${list(uuids)})`);
  if (players.length === 0) return { all: [], only: new Set() };
  const keys = list(players.map(({ key }) => key));
  const former = await tx.tuples(sql`
    select n.name, case when exists (
      select 1 from players o where o.name_key = n.name_key and o.key not in (${keys})) then 1 else 0 end
    from player_names n where n.player_key in (${keys})`);
  const present = players.map(({ name }) => name);
  const only = former.flatMap(([name, isShared]) => (isShared === 1 ? [] : [name as string]));
  return {
    all: [...new Set([...present, ...former.map(([name]) => name as string)])],
    only: new Set([...present, ...only].map(nameKey)),
  };
}

/** See `hasPseudonym`. */
const newName = (): string =>
  `deleted-${randomInt(36 ** 6)
    .toString(36)
    .padStart(6, '0')}`;

/** The UUIDs that are already pseudonyms, with their names: a merged player may belong to several deleted accounts. */
async function pseudonymsAmong(tx: Queryable, uuids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.tuples(
    sql`select uuid, name from pseudonyms where uuid in (${list(uuids)}) order by created, uuid`,
  );
  return new Map(rows as [string, string][]);
}

/**
 * Gives a player its pseudonym: also one that is still being merged into another.
 * @returns the keys of the player, if there is one
 */
async function renamePlayer(tx: Queryable, uuid: string, { uuid: other, name }: Pseudonym): Promise<number[]> {
  await tx.run(sql`update player_aliases set into_uuid = ${other} where into_uuid = ${uuid}`);
  const player = await tx.get<{ key: number }>(sql`
    update players set uuid = ${other}, name = ${name}, name_key = ${nameKey(name)} where uuid = ${uuid} returning key`);
  if (player === undefined) return [];
  const { key } = player;
  await tx.runAll([
    sql`
      insert into player_names (name_key, player_key, name, first_seen, last_seen)
      select cast(${nameKey(name)} as text), player_key, cast(${name} as text), min(first_seen), max(last_seen)
      from player_names where player_key = ${key} group by player_key
      on conflict (name_key, player_key) do update set first_seen = excluded.first_seen, last_seen = excluded.last_seen`,
    sql`delete from player_names where player_key = ${key} and name_key <> ${nameKey(name)}`,
  ]);
  return [key];
}

/**
 * Whether the stored events of a game account are still being anonymised. Until that is done, the game account cannot be
 * linked again, which would record new events under its own name.
 */
export const isBeingAnonymised = (tx: Queryable, uuid: string): Promise<boolean> =>
  exists(tx, sql`select 1 as found from pseudonyms where uuid_hash = ${tx.keyedHash(uuid)} and original is not null`);

export const pseudonymOf = (db: Queryable, uuid: string): Promise<(Pseudonym & { created: number }) | undefined> =>
  db.get(sql`select uuid, name, created from pseudonyms where uuid_hash = ${db.keyedHash(uuid)}`);

/** Deletes the pseudonym of a game account, so that later events are recorded under its own name. */
export async function deletePseudonym(tx: Queryable, uuid: string): Promise<void> {
  await tx.run(sql`delete from pseudonyms where uuid_hash = ${tx.keyedHash(uuid)} and original is null`);
}

type PseudonymRow = [hash: string, uuid: string, name: string];

/** The pseudonyms with these hashes. */
export const pseudonymsByHash = (tx: Queryable, hashes: readonly string[]): Promise<PseudonymRow[]> =>
  tuplesAmong(tx, hashes, (some) => sql`select uuid_hash, uuid, name from pseudonyms where uuid_hash in (${some})`);
