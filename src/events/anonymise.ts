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
import { punishmentOfAggregate } from './punishments/aggregate.ts';
import { pseudonymiseMatch } from './match-summary.ts';
import type { PreparedEvent } from './validation.ts';

/**
 * Replaces deleted players by their pseudonyms in the ledger and in stored matches, for every pseudonym whose rewrite is
 * not complete. Each scans the ledger once, in batches; after an interruption the next call continues with the next batch.
 */

export async function rewriteLedger(db: Db): Promise<void> {
  const open = await db.all<Pseudonym & { uuid_hash: string; original: string; ledger_done: number }>(
    sql`select uuid_hash, uuid, name, original, ledger_done from pseudonyms where original is not null`,
  );
  for (const { uuid_hash, original, ledger_done, ...pseudonym } of open) {
    const pseudonyms = new Map([[original, pseudonym]]);
    for (let done: number | undefined = ledger_done; done !== undefined;) {
      done = await rewriteBatch(db, uuid_hash, done, original, pseudonyms);
    }
    await db.run(sql`update pseudonyms set original = null where uuid_hash = ${uuid_hash}`);
  }
}

/**
 * Returns a function that applies the pseudonyms to the body of a ledger row while `rewriteLedger` is not complete, so
 * that its readers never see the original players.
 */
export async function pseudonymisedBodies(db: Queryable): Promise<(type: string, body: string) => string> {
  const open = await db.all<Pseudonym & { original: string }>(
    sql`select uuid, name, original from pseudonyms where original is not null`,
  );
  if (open.length === 0) return (_, body) => body;
  const pseudonyms = new Map(open.map(({ original, ...pseudonym }) => [original, pseudonym]));
  return (type, body) => (type === MAPS ? body : renamedJson(body, pseudonyms));
}

/** Rewrites the batch of ledger rows after a key. Returns its last key, or undefined at the end of the ledger. */
async function rewriteBatch(
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
  const affected = rows.filter(
    ({ type, body }) => type !== MAPS && body.toLowerCase().replaceAll('-', '').includes(undashed),
  );
  await db.transaction(async (tx) => {
    for (const row of affected) await rewriteRow(tx, row, original, pseudonyms);
    await tx.run(sql`update pseudonyms set ledger_done = ${last} where uuid_hash = ${hash}`);
  });
  return last;
}

async function rewriteRow(
  tx: Queryable,
  { key, type, body }: LedgerRow,
  original: string,
  pseudonyms: ReadonlyMap<string, Pseudonym>,
): Promise<void> {
  await tx.run(sql`
    update ledger set body = ${renamedJson(body, pseudonyms)}, content_hash = null where key = ${key}`);
  if (type === 'punishment.issued') {
    const { uuid, name } = pseudonyms.get(original)!;
    await tx.run(sql`
      update punishments set punisher_uuid = ${uuid}, punisher_name = ${name}
      where key = ${key} and punisher_uuid = ${original}`);
  }
  if (type === 'punishment.revoked') await rewriteRevoker(tx, key, original, pseudonyms.get(original)!);
  if (type !== 'match.finished') return;
  const details = await tx.get<{ teams: string; objectives: string }>(
    sql`select teams, objectives from match_details where match_key = ${key}`,
  );
  if (details === undefined) return;
  const [teams, objectives] = [renamedJson(details.teams, pseudonyms), renamedJson(details.objectives, pseudonyms)];
  await tx.run(sql`
    update match_details set teams = ${teams}, objectives = ${objectives}, revision = revision + 1
    where match_key = ${key}`);
}

async function rewriteRevoker(tx: Queryable, key: number, original: string, { uuid, name }: Pseudonym): Promise<void> {
  const row = await tx.get<{ aggregate: string | null }>(sql`select aggregate from ledger where key = ${key}`);
  const revoked = punishmentOfAggregate(row?.aggregate ?? null);
  if (revoked === undefined) return;
  await tx.run(sql`
    update punishments set revoker_uuid = ${uuid}, revoker_name = ${name}
    where scope_key = ${revoked.scope} and reference = ${revoked.reference} and revoker_uuid = ${original}`);
}

/** Published maps keep the names of their authors: authorship stays public after an account is deleted. */
const MAPS = 'map.published';

/** A new `account.link` keeps the real player, who returns with it. One in the ledger is rewritten like other events. */
const NOT_REWRITTEN: ReadonlySet<string> = new Set([MAPS, 'account.link']);

/**
 * Replaces players who have a pseudonym in new events.
 * @returns `events` itself where no player has one
 */
export async function applyPseudonyms<
  E extends { event: PreparedEvent; raw: string | undefined; hash?: string | null },
>(tx: Queryable, events: E[]): Promise<E[]> {
  if ((await tx.get(sql`select 1 as found from pseudonyms limit 1`)) === undefined) return events;
  const pseudonyms = await pseudonymsOf(tx, uuidsWithin(events.map(({ event }) => event.data)));
  if (pseudonyms.size === 0) return events;
  return events.map((checked) => {
    if (NOT_REWRITTEN.has(checked.event.type)) return checked;
    const raw = checked.raw && renamedJson(checked.raw, pseudonyms);
    // Without a hash: it would prove that the event was about the original player.
    const hash = raw === checked.raw ? {} : { hash: null };
    return { ...checked, event: pseudonymiseEvent(checked.event, pseudonyms), raw, ...hash };
  });
}

function pseudonymiseEvent(event: PreparedEvent, pseudonyms: ReadonlyMap<string, Pseudonym>): PreparedEvent {
  const data =
    event.type === 'match.finished'
      ? pseudonymiseMatch(event.data, pseudonyms, (json) => renamedJson(json, pseudonyms))
      : rename(event.data, pseudonyms);
  return { ...event, data } as PreparedEvent;
}

/** Finds the pseudonyms of players, by UUID; players without one are left out. */
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

/** Collects the UUIDs in all strings of a value. */
function uuidsWithin(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') {
    const uuid = value.length < MIN_UUID_LENGTH ? undefined : uuidOf(value);
    if (uuid !== undefined) found.add(uuid);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) uuidsWithin(part, found);
  }
  return found;
}

const renamedJson = (json: string, pseudonyms: ReadonlyMap<string, Pseudonym>): string =>
  JSON.stringify(rename(JSON.parse(json), pseudonyms));

/** Copies a value and replaces every UUID that has a pseudonym, and the `name` beside a member `uuid`. */
function rename(value: unknown, pseudonyms: ReadonlyMap<string, Pseudonym>): unknown {
  if (typeof value === 'string') return pseudonyms.get(uuidOf(value) ?? '')?.uuid ?? value;
  if (Array.isArray(value)) return value.map((part) => rename(part, pseudonyms));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rename(part, pseudonyms)]));
  const { uuid } = value as { uuid?: unknown };
  const pseudonym = typeof uuid === 'string' ? pseudonyms.get(uuidOf(uuid) ?? '') : undefined;
  return pseudonym === undefined ? copy : { ...copy, name: pseudonym.name };
}
