import { randomInt, randomUUID } from 'node:crypto';
import { nameKey, uuidOf } from '#platform/text.ts';
import type { Db, KeyedHash, Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { forgetPlayerInAudit } from '#store/audit/erasure.ts';
import type { ReadyEvent } from '#events/validation.ts';
import { renamedMatch } from '#events/match-summary.ts';
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

const ROWS_AT_ONCE = 500;

/**
 * Replaces a game account, with all that were merged into one with it, by pseudonyms where they are looked up: each has a
 * UUID of its own, and all have one name. The rest is up to `finishPseudonyms`.
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
    await forgetPlayerInAudit(tx, player.key, { uuid: original, name: player.name }, pseudonym);
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

/**
 * Rewrites what was kept as it was told, and the matches made of it, for every pseudonym that is not through with it.
 * Goes through the ledger once for each, in steps; a stop in between costs nothing, the next call goes on from there.
 */
export async function finishPseudonyms(db: Db): Promise<void> {
  const open = await db.all<Pseudonym & { uuid_hash: string; original: string; ledger_done: number }>(
    sql`select uuid_hash, uuid, name, original, ledger_done from pseudonyms where original is not null`,
  );
  for (const { uuid_hash, original, ledger_done, ...pseudonym } of open) {
    const book = new Map([[original, pseudonym]]);
    for (let done: number | undefined = ledger_done; done !== undefined;) {
      done = await rewriteSome(db, uuid_hash, done, original, book);
    }
    await db.run(sql`update pseudonyms set original = null where uuid_hash = ${uuid_hash}`);
  }
}

/**
 * What was kept as it was told, as it will be when `finishPseudonyms` is through: for whoever reads it before.
 * @returns the body of an event of a type, under pseudonyms
 */
export async function finishedBodies(db: Queryable): Promise<(type: string, body: string) => string> {
  const open = await db.all<Pseudonym & { original: string }>(
    sql`select uuid, name, original from pseudonyms where original is not null`,
  );
  if (open.length === 0) return (_, body) => body;
  const book = new Map(open.map(({ original, ...pseudonym }) => [original, pseudonym]));
  return (type, body) => (type === MAPS ? body : renamed(body, book));
}

interface LedgerRow {
  key: number;
  type: string;
  body: string;
}

async function rewriteSome(
  db: Db,
  hash: string,
  after: number,
  original: string,
  book: ReadonlyMap<string, Pseudonym>,
): Promise<number | undefined> {
  const rows = await db.all<LedgerRow>(
    sql`select key, type, body from ledger where key > ${after} order by key limit ${ROWS_AT_ONCE}`,
  );
  const last = rows.at(-1)?.key;
  if (last === undefined) return undefined;
  const undashed = original.replaceAll('-', '');
  const concerned = rows.filter(
    ({ type, body }) => type !== MAPS && body.toLowerCase().replaceAll('-', '').includes(undashed),
  );
  await db.transaction(async (tx) => {
    for (const row of concerned) await rewriteOne(tx, row, original, book);
    await tx.run(sql`update pseudonyms set ledger_done = ${last} where uuid_hash = ${hash}`);
  });
  return last;
}

async function rewriteOne(
  tx: Queryable,
  { key, type, body }: LedgerRow,
  original: string,
  book: ReadonlyMap<string, Pseudonym>,
): Promise<void> {
  await tx.run(sql`update ledger set body = ${renamed(body, book)} where key = ${key}`);
  if (type === 'punishment.issued') {
    const { uuid, name } = book.get(original)!;
    await tx.run(sql`
      update punishments set punisher_uuid = ${uuid}, punisher_name = ${name}
      where key = ${key} and punisher_uuid = ${original}`);
  }
  if (type !== 'match.finished') return;
  const details = await tx.get<{ teams: string; objectives: string }>(
    sql`select teams, objectives from match_details where match_key = ${key}`,
  );
  if (details === undefined) return;
  await tx.run(sql`
    update match_details set teams = ${renamed(details.teams, book)}, objectives = ${renamed(details.objectives, book)},
      revision = revision + 1
    where match_key = ${key}`);
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

/** What is told of players goes by their pseudonyms; who made a map is told by the map and stays. */
const MAPS = 'map.published';
/** By a link somebody comes back under their own name; what was kept of an earlier one goes by the pseudonym. */
const COMES_AS_IT_IS: ReadonlySet<string> = new Set([MAPS, 'account.link']);

/** Brings events in under the pseudonyms of those of their players who have one. */
export async function underPseudonyms<E extends { event: ReadyEvent; told: string | undefined }>(
  tx: Queryable,
  events: E[],
): Promise<E[]> {
  if ((await tx.get(sql`select 1 as found from pseudonyms limit 1`)) === undefined) return events;
  const book = await pseudonymsOf(tx, uuidsWithin(events.map(({ event }) => event.data)));
  if (book.size === 0) return events;
  return events.map((checked) => {
    if (COMES_AS_IT_IS.has(checked.event.type)) return checked;
    return { ...checked, event: renamedEvent(checked.event, book), told: checked.told && renamed(checked.told, book) };
  });
}

function renamedEvent(event: ReadyEvent, book: ReadonlyMap<string, Pseudonym>): ReadyEvent {
  const data =
    event.type === 'match.finished'
      ? renamedMatch(event.data, book, (json) => renamed(json, book))
      : rename(event.data, book);
  return { ...event, data } as ReadyEvent;
}

/** The pseudonyms of those among the game accounts who have one, by UUID. */
async function pseudonymsOf(tx: Queryable, uuids: ReadonlySet<string>): Promise<Map<string, Pseudonym>> {
  const hashes = new Map([...uuids].map((uuid) => [hashOf(tx.keyedHash, uuid), uuid]));
  const book = new Map<string, Pseudonym>();
  for (const [hash, uuid, name] of await rowsAmong(tx, [...hashes.keys()])) {
    const original = hashes.get(hash);
    if (original !== undefined) book.set(original, { uuid, name });
  }
  return book;
}

type PseudonymRow = [hash: string, uuid: string, name: string];

/** The pseudonyms with these hashes, and maybe others: where there are fewer at all than are looked for, all of them. */
async function rowsAmong(tx: Queryable, hashes: string[]): Promise<PseudonymRow[]> {
  const all = await tx.tuples(sql`select uuid_hash, uuid, name from pseudonyms limit ${hashes.length + 1}`);
  if (all.length <= hashes.length) return all as PseudonymRow[];
  const rows: PseudonymRow[] = [];
  for (let start = 0; start < hashes.length; start += ROWS_AT_ONCE) {
    const some = list(hashes.slice(start, start + ROWS_AT_ONCE));
    rows.push(
      ...((await tx.tuples(
        sql`select uuid_hash, uuid, name from pseudonyms where uuid_hash in (${some})`,
      )) as PseudonymRow[]),
    );
  }
  return rows;
}

const MOST_HASHES = 100_000;
const known = new WeakMap<KeyedHash, Map<string, string>>();

/** The hash of a game account. Those who play are told of again and again, and a keyed hash costs more than the rest. */
function hashOf(keyedHash: KeyedHash, uuid: string): string {
  let hashes = known.get(keyedHash);
  if (hashes === undefined || hashes.size >= MOST_HASHES) known.set(keyedHash, (hashes = new Map()));
  let hash = hashes.get(uuid);
  if (hash === undefined) hashes.set(uuid, (hash = keyedHash(uuid)));
  return hash;
}

const SHORTEST_UUID = 32;

/** Every UUID that stands anywhere in a value. */
function uuidsWithin(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') {
    const uuid = value.length < SHORTEST_UUID ? undefined : uuidOf(value);
    if (uuid !== undefined) found.add(uuid);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) uuidsWithin(part, found);
  }
  return found;
}

const renamed = (json: string, book: ReadonlyMap<string, Pseudonym>): string =>
  JSON.stringify(rename(JSON.parse(json), book));

/** A copy of the value in which those of the book bear their pseudonyms, and everything else stands as it was. */
function rename(value: unknown, book: ReadonlyMap<string, Pseudonym>): unknown {
  if (typeof value === 'string') return book.get(uuidOf(value) ?? '')?.uuid ?? value;
  if (Array.isArray(value)) return value.map((part) => rename(part, book));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rename(part, book)]));
  const { uuid } = value as { uuid?: unknown };
  const pseudonym = typeof uuid === 'string' ? book.get(uuidOf(uuid) ?? '') : undefined;
  return pseudonym === undefined ? copy : { ...copy, name: pseudonym.name };
}
