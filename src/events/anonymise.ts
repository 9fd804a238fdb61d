import type { Db, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { uuidOf } from '#platform/text.ts';
import {
  type Pseudonym,
  type LedgerRow,
  ROWS_PER_BATCH,
  uuidHashOf,
  pseudonymsByHash,
} from '#store/accounts/pseudonyms.ts';
import { pseudonymiseMatch } from './match-summary.ts';
import type { PreparedEvent } from './validation.ts';

/**
 * Rewrites what was kept as it was told, and the matches made of it, for every pseudonym that is not through with it.
 * Goes through the ledger once for each, in steps; a stop in between costs nothing, the next call goes on from there.
 */

export async function rewriteLedger(db: Db): Promise<void> {
  const open = await db.all<Pseudonym & { uuid_hash: string; original: string; ledger_done: number }>(
    sql`select uuid_hash, uuid, name, original, ledger_done from pseudonyms where original is not null`,
  );
  for (const { uuid_hash, original, ledger_done, ...pseudonym } of open) {
    const pseudonyms = new Map([[original, pseudonym]]);
    for (let done: number | undefined = ledger_done; done !== undefined;) {
      done = await rewriteSome(db, uuid_hash, done, original, pseudonyms);
    }
    await db.run(sql`update pseudonyms set original = null where uuid_hash = ${uuid_hash}`);
  }
}

/**
 * What was kept as it was told, as it will be when `rewriteLedger` is through: for whoever reads it before.
 * @returns the body of an event of a type, under pseudonyms
 */
export async function pseudonymisedBodies(db: Queryable): Promise<(type: string, body: string) => string> {
  const open = await db.all<Pseudonym & { original: string }>(
    sql`select uuid, name, original from pseudonyms where original is not null`,
  );
  if (open.length === 0) return (_, body) => body;
  const pseudonyms = new Map(open.map(({ original, ...pseudonym }) => [original, pseudonym]));
  return (type, body) => (type === MAPS ? body : renamed(body, pseudonyms));
}

async function rewriteSome(
  db: Db,
  hash: string,
  after: number,
  original: string,
  pseudonyms: ReadonlyMap<string, Pseudonym>,
): Promise<number | undefined> {
  const rows = await db.all<LedgerRow>(
    sql`select key, type, body from ledger where key > ${after} order by key limit ${ROWS_PER_BATCH}`,
  );
  const last = rows.at(-1)?.key;
  if (last === undefined) return undefined;
  const undashed = original.replaceAll('-', '');
  const concerned = rows.filter(
    ({ type, body }) => type !== MAPS && body.toLowerCase().replaceAll('-', '').includes(undashed),
  );
  await db.transaction(async (tx) => {
    for (const row of concerned) await rewriteOne(tx, row, original, pseudonyms);
    await tx.run(sql`update pseudonyms set ledger_done = ${last} where uuid_hash = ${hash}`);
  });
  return last;
}

async function rewriteOne(
  tx: Queryable,
  { key, type, body }: LedgerRow,
  original: string,
  pseudonyms: ReadonlyMap<string, Pseudonym>,
): Promise<void> {
  await tx.run(sql`update ledger set body = ${renamed(body, pseudonyms)} where key = ${key}`);
  if (type === 'punishment.issued') {
    const { uuid, name } = pseudonyms.get(original)!;
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
    update match_details set teams = ${renamed(details.teams, pseudonyms)}, objectives = ${renamed(details.objectives, pseudonyms)},
      revision = revision + 1
    where match_key = ${key}`);
}

/** What is told of players goes by their pseudonyms; who made a map is told by the map and stays. */
const MAPS = 'map.published';

/** By a link somebody comes back under their own name; what was kept of an earlier one goes by the pseudonym. */
const NOT_REWRITTEN: ReadonlySet<string> = new Set([MAPS, 'account.link']);

/** Brings events in under the pseudonyms of those of their players who have one. */
export async function applyPseudonyms<E extends { event: PreparedEvent; raw: string | undefined }>(
  tx: Queryable,
  events: E[],
): Promise<E[]> {
  if ((await tx.get(sql`select 1 as found from pseudonyms limit 1`)) === undefined) return events;
  const pseudonyms = await pseudonymsOf(tx, uuidsWithin(events.map(({ event }) => event.data)));
  if (pseudonyms.size === 0) return events;
  return events.map((checked) => {
    if (NOT_REWRITTEN.has(checked.event.type)) return checked;
    return {
      ...checked,
      event: pseudonymiseEvent(checked.event, pseudonyms),
      raw: checked.raw && renamed(checked.raw, pseudonyms),
    };
  });
}

function pseudonymiseEvent(event: PreparedEvent, pseudonyms: ReadonlyMap<string, Pseudonym>): PreparedEvent {
  const data =
    event.type === 'match.finished'
      ? pseudonymiseMatch(event.data, pseudonyms, (json) => renamed(json, pseudonyms))
      : rename(event.data, pseudonyms);
  return { ...event, data } as PreparedEvent;
}

/** The pseudonyms of those among the game accounts who have one, by UUID. */
async function pseudonymsOf(tx: Queryable, uuids: ReadonlySet<string>): Promise<Map<string, Pseudonym>> {
  const hashes = new Map([...uuids].map((uuid) => [uuidHashOf(tx.keyedHash, uuid), uuid]));
  const pseudonyms = new Map<string, Pseudonym>();
  for (const [hash, uuid, name] of await pseudonymsByHash(tx, [...hashes.keys()])) {
    const original = hashes.get(hash);
    if (original !== undefined) pseudonyms.set(original, { uuid, name });
  }
  return pseudonyms;
}

const MIN_UUID_LENGTH = 32;

/** Every UUID that stands anywhere in a value. */
function uuidsWithin(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') {
    const uuid = value.length < MIN_UUID_LENGTH ? undefined : uuidOf(value);
    if (uuid !== undefined) found.add(uuid);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) uuidsWithin(part, found);
  }
  return found;
}

const renamed = (json: string, pseudonyms: ReadonlyMap<string, Pseudonym>): string =>
  JSON.stringify(rename(JSON.parse(json), pseudonyms));

/** A copy of the value in which those of the book bear their pseudonyms, and everything else stands as it was. */
function rename(value: unknown, pseudonyms: ReadonlyMap<string, Pseudonym>): unknown {
  if (typeof value === 'string') return pseudonyms.get(uuidOf(value) ?? '')?.uuid ?? value;
  if (Array.isArray(value)) return value.map((part) => rename(part, pseudonyms));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rename(part, pseudonyms)]));
  const { uuid } = value as { uuid?: unknown };
  const pseudonym = typeof uuid === 'string' ? pseudonyms.get(uuidOf(uuid) ?? '') : undefined;
  return pseudonym === undefined ? copy : { ...copy, name: pseudonym.name };
}
