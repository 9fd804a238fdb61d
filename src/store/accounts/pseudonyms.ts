import { randomInt, randomUUID } from 'node:crypto';
import { nameKey } from '#platform/text.ts';
import type { KeyedHash, Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { erasePlayerFromAudit } from '#store/audit/erasure.ts';
import { Keys } from '../sequence.ts';

/**
 * When somebody deletes the account, the matches of the linked game account stay, under a name and a UUID that are
 * nobody's. Everything that was kept is rewritten, and what the game servers tell later of the same game account comes
 * in under the same pseudonym, until that game account is linked again. Only the keyed hash of the UUID stays.
 */
export interface Pseudonym {
  uuid: string;
  name: string;
}

export const ROWS_PER_BATCH = 500;

/**
 * Replaces a game account, with all that were merged into one with it, by pseudonyms where they are looked up: each has a
 * UUID of its own, and all have one name. The rest is up to `rewriteLedger`.
 */
export async function pseudonymise(tx: Queryable, now: number, uuid: string): Promise<void> {
  // Nobody writes events of the player under the old UUID meanwhile.
  await Keys.lock(tx);
  const [own, ...merged] = await oneWith(tx, uuid);
  const player = await tx.get<{ key: number; uuid: string; name: string }>(sql`
    select key, uuid, name from players
    where uuid = coalesce((select into_uuid from player_aliases where uuid = ${own}), ${own})`);
  const settled = await pseudonymsAmong(tx, [own, ...merged]);
  const name = player !== undefined && settled.has(own) ? player.name : newName();
  for (const original of [own, ...merged]) {
    if (settled.has(original)) continue;
    const pseudonym = { uuid: randomUUID(), name };
    await tx.run(sql`
      insert into pseudonyms (uuid_hash, uuid, name, created, ledger_done, original)
      values (${tx.keyedHash(original)}, ${pseudonym.uuid}, ${name}, ${now}, 0, ${original})`);
    await tx.run(sql`update player_aliases set uuid = ${pseudonym.uuid} where uuid = ${original}`);
    if (player === undefined) continue;
    await renameVictim(tx, player.key, original, pseudonym);
    if (original === player.uuid) await renamePlayer(tx, player.key, original, pseudonym);
    await erasePlayerFromAudit(tx, player.key, { uuid: original, name: player.name }, pseudonym);
  }
}

/**
 * A game account and those that are one player with it, the player's own first. One that another account has stays what it
 * is: there goes a part of a player at most.
 */
async function oneWith(tx: Queryable, uuid: string): Promise<[own: string, ...merged: string[]]> {
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

const newName = (): string =>
  `deleted-${randomInt(36 ** 6)
    .toString(36)
    .padStart(6, '0')}`;

/** Which of them are nobody's already: a player may be what two accounts have left behind. */
async function pseudonymsAmong(tx: Queryable, uuids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.tuples(sql`select uuid from pseudonyms where uuid in (${list(uuids)})`);
  return new Set(rows.map(([uuid]) => String(uuid)));
}

async function renameVictim(tx: Queryable, key: number, original: string, { uuid, name }: Pseudonym): Promise<void> {
  await tx.run(sql`
    update kills set victim_uuid = ${uuid}, victim_name = ${name}
    where match_key in (select match_key from player_matches where player_key = ${key}) and victim_uuid = ${original}`);
}

async function renamePlayer(tx: Queryable, key: number, uuid: string, { uuid: other, name }: Pseudonym): Promise<void> {
  await tx.runAll([
    sql`update players set uuid = ${other}, name = ${name}, name_key = ${nameKey(name)} where key = ${key}`,
    sql`
      insert into player_names (name_key, player_key, name, first_seen, last_seen)
      select cast(${nameKey(name)} as text), player_key, cast(${name} as text), min(first_seen), max(last_seen)
      from player_names where player_key = ${key} group by player_key`,
    sql`delete from player_names where player_key = ${key} and name_key <> ${nameKey(name)}`,
    sql`update player_matches set name = ${name} where player_key = ${key}`,
    sql`update player_sessions set name = ${name} where player_key = ${key}`,
    // Of the names under which one event saw the player, one becomes the pseudonym.
    sql`
      delete from name_observations where player_key = ${key} and exists (
        select 1 from name_observations o where o.player_key = ${key}
          and o.ledger_key = name_observations.ledger_key and o.name < name_observations.name)`,
    sql`update name_observations set name = ${name} where player_key = ${key}`,
    sql`update player_aliases set into_uuid = ${other} where into_uuid = ${uuid}`,
    sql`update kills set killer_name = ${name} where killer_key = ${key}`,
  ]);
}

export interface LedgerRow {
  key: number;
  type: string;
  body: string;
}

/** Whether what was kept of a game account is still being rewritten: until then nothing new may come in under its own name. */
export async function isLeaving(tx: Queryable, uuid: string): Promise<boolean> {
  const row = await tx.get(
    sql`select 1 as found from pseudonyms where uuid_hash = ${tx.keyedHash(uuid)} and original is not null`,
  );
  return row !== undefined;
}

/** Forgets that a game account goes by a pseudonym: what comes from now on is its own again. */
export async function forgetPseudonym(tx: Queryable, uuid: string): Promise<void> {
  await tx.run(sql`delete from pseudonyms where uuid_hash = ${tx.keyedHash(uuid)} and original is null`);
}

type PseudonymRow = [hash: string, uuid: string, name: string];

/** The pseudonyms with these hashes, and maybe others: where there are fewer at all than are looked for, all of them. */
export async function rowsAmong(tx: Queryable, hashes: string[]): Promise<PseudonymRow[]> {
  const all = await tx.tuples(sql`select uuid_hash, uuid, name from pseudonyms limit ${hashes.length + 1}`);
  if (all.length <= hashes.length) return all as PseudonymRow[];
  const rows: PseudonymRow[] = [];
  for (let start = 0; start < hashes.length; start += ROWS_PER_BATCH) {
    const some = list(hashes.slice(start, start + ROWS_PER_BATCH));
    rows.push(
      ...((await tx.tuples(
        sql`select uuid_hash, uuid, name from pseudonyms where uuid_hash in (${some})`,
      )) as PseudonymRow[]),
    );
  }
  return rows;
}

const MAX_HASHES = 100_000;
const known = new WeakMap<KeyedHash, Map<string, string>>();

/** The hash of a game account. Those who play are told of again and again, and a keyed hash costs more than the rest. */
export function hashOf(keyedHash: KeyedHash, uuid: string): string {
  let hashes = known.get(keyedHash);
  if (hashes === undefined || hashes.size >= MAX_HASHES) known.set(keyedHash, (hashes = new Map()));
  let hash = hashes.get(uuid);
  if (hash === undefined) hashes.set(uuid, (hash = keyedHash(uuid)));
  return hash;
}
