import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { uuidOf } from '#platform/text.ts';
import { type Pseudonym, type LedgerRow, ROWS_AT_ONCE, hashOf, rowsAmong } from '#store/accounts/pseudonyms.ts';
import { renamedMatch } from './match-summary.ts';
import type { ReadyEvent } from './validation.ts';

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
