import { idOf } from '#platform/ids.ts';
import type { Queryable } from '#db/db.ts';
import { insertAll, list, sql } from '#db/sql.ts';
import type { Named } from '../players.ts';

/** The last reports of managed servers: players online and bans. */

/** A ban that the server listed, with the keyed hash of the player's UUID. */
export interface ListedBan {
  uuidHash: string;
  /** The reference of the punishment; empty if another reporter issued it. */
  reference: string;
  /** A hash of reason and expiry, to detect changes. */
  content: string;
  expires: number | null;
}

export const onlineOn = (db: Queryable, serverKey: number): Promise<Named[]> =>
  db.all(sql`
    select uuid, name from managed_players where server_key = ${serverKey} order by uuid`);

export async function addOnline(tx: Queryable, serverKey: number, players: readonly Named[]): Promise<void> {
  const rows = players.map(({ uuid, name }) => [serverKey, uuid, name]);
  await tx.runAll(insertAll('insert into managed_players (server_key, uuid, name) values', rows));
}

export async function removeOnline(tx: Queryable, serverKey: number, uuids: readonly string[]): Promise<void> {
  if (uuids.length === 0) return;
  await tx.run(sql`delete from managed_players where server_key = ${serverKey} and uuid in (${list(uuids)})`);
}

/** The listed bans of some players on a server. */
export async function listedBans(
  db: Queryable,
  serverKey: number,
  uuidHashes: readonly string[],
): Promise<Map<string, ListedBan>> {
  if (uuidHashes.length === 0) return new Map();
  const rows = await db.all<ListedBan>(sql`
    select uuid_hash as "uuidHash", reference, content, expires from managed_bans
    where server_key = ${serverKey} and uuid_hash in (${list(uuidHashes)})`);
  return new Map(rows.map((ban) => [ban.uuidHash, ban]));
}

/** The players of the listed bans of a server whose hashes follow `after`, in their order. */
export async function bansAfter(db: Queryable, serverKey: number, after: string, limit: number): Promise<string[]> {
  const rows = await db.tuples(sql`
    select uuid_hash from managed_bans where server_key = ${serverKey} and uuid_hash > ${after}
    order by uuid_hash limit ${limit}`);
  return rows.map(([uuidHash]) => String(uuidHash));
}

/** Replaces the listed bans of these players. */
export async function saveBans(tx: Queryable, serverKey: number, bans: readonly ListedBan[]): Promise<void> {
  await removeBans(
    tx,
    serverKey,
    bans.map(({ uuidHash }) => uuidHash),
  );
  const rows = bans.map((ban) => [serverKey, ban.uuidHash, ban.reference, ban.content, ban.expires]);
  await tx.runAll(
    insertAll('insert into managed_bans (server_key, uuid_hash, reference, content, expires) values', rows),
  );
}

export async function removeBans(tx: Queryable, serverKey: number, uuidHashes: readonly string[]): Promise<void> {
  if (uuidHashes.length === 0) return;
  await tx.run(sql`delete from managed_bans where server_key = ${serverKey} and uuid_hash in (${list(uuidHashes)})`);
}

/** The newest bans in force that a server issued, by the UUID of the player, also of a merged one. */
export async function issuedBans(
  db: Queryable,
  serverKey: number,
  uuids: readonly string[],
  now: number,
): Promise<Map<string, { reference: string; id: string }>> {
  if (uuids.length === 0) return new Map();
  const chosen = list(uuids);
  const isBan = sql`
    u.scope_key = ${serverKey} and lower(u.type) = 'ban' and u.revoked is null and (u.expires is null or u.expires > ${now})`;
  const rows = await db.tuples(sql`
    select p.uuid, u.reference, u.key from players p join punishments u on u.punished_key = p.key
    where p.uuid in (${chosen}) and ${isBan}
    union all
    select a.uuid, u.reference, u.key
    from player_aliases a join players p on p.uuid = a.into_uuid join punishments u on u.punished_key = p.key
    where a.uuid in (${chosen}) and ${isBan}
    order by 3`);
  return new Map(
    rows.map(([uuid, reference, key]) => [String(uuid), { reference: String(reference), id: idOf(Number(key)) }]),
  );
}

/** The number of unknown players among these. */
export async function countUnknown(db: Queryable, uuids: readonly string[]): Promise<number> {
  if (uuids.length === 0) return 0;
  const chosen = list(uuids);
  const known = await db.tuple(sql`
    select (select count(*) from players where uuid in (${chosen})) +
      (select count(*) from player_aliases where uuid in (${chosen}))`);
  return uuids.length - Number(known![0]);
}
