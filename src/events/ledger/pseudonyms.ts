import type { KeyedHash, Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type Pseudonym, hashUuid, pseudonymsByHash } from '#store/accounts/pseudonyms.ts';
import type { Renamed } from '#store/game/own-teams.ts';
import { renamedJson, renamedText, uuidsIn } from '#store/game/renamed-json.ts';
import { type EventName, type PreparedEvent, typeOf } from '../schema/index.ts';

/**
 * Replaces deleted players by their pseudonyms: in new events, and in events read from the ledger while
 * `jobs/anonymisation.ts` is still replacing them in the stored ones.
 */

/** The columns of an event in the ledger that may name players. */
export interface NamingColumns {
  event_id: string;
  aggregate: string | null;
  body: string;
  envelope: string | null;
}

/**
 * The sender's id of an event, by a keyed hash if it has the UUID of a deleted player: importers make ids of UUIDs and names,
 * and the same id must be recognised again.
 */
export const anonymousId = (keyedHash: KeyedHash, id: string, renamed: Renamed): string =>
  uuidsIn(id).some((uuid) => renamed.has(uuid)) ? `erased:${keyedHash(id)}` : id;

/** Renames players in an event of the ledger. */
export function renamedColumns<Row extends NamingColumns>(
  { keyedHash }: Pick<Queryable, 'keyedHash'>,
  row: Row,
  renamed: Renamed,
  replaced?: Set<string>,
): Row {
  const { event_id, aggregate, body, envelope } = row;
  return {
    ...row,
    event_id: anonymousId(keyedHash, event_id, renamed),
    aggregate: aggregate && renamedText(aggregate, renamed),
    body: renamedJson(body, renamed, replaced),
    envelope: envelope && renamedJson(envelope, renamed, replaced),
  };
}

/**
 * Returns a function that applies the pseudonyms of unfinished anonymisations to an event of the ledger, so that readers
 * never see the original players.
 */
export async function pseudonymisedEvents(
  db: Queryable,
): Promise<<Row extends NamingColumns & { type: EventName }>(row: Row) => Row> {
  const open = await db.all<Pseudonym & { uuid_hash: string; original: string }>(
    sql`select uuid_hash, uuid, name, original from pseudonyms where original is not null`,
  );
  if (open.length === 0) return (row) => row;
  const jobs = await db.tuples(
    sql`select params from jobs where finished is null and kind = 'anonymisation' order by key`,
  );
  const params = jobs.map(([json]) => JSON.parse(json as string) as { hashes?: string[]; known?: string[] });
  const pseudonyms = new Map(
    open.map(({ uuid_hash, original, ...pseudonym }) => {
      const names = params.flatMap(({ hashes, known = [] }) => (hashes?.includes(uuid_hash) ? known : []));
      return [original, { ...pseudonym, names }];
    }),
  );
  return (row) => (typeOf(row.type).pseudonyms === 'never' ? row : renamedColumns(db, row, pseudonyms));
}

/**
 * Replaces players who have a pseudonym in new events.
 * @returns `events` itself if no player has one
 */
export async function applyPseudonyms<
  E extends { event: PreparedEvent; raw: string | undefined; hash?: string | null; envelope?: string },
>(tx: Queryable, events: E[]): Promise<E[]> {
  if ((await tx.get(sql`select 1 as found from pseudonyms limit 1`)) === undefined) return events;
  const replaced = events.filter(({ event }) => typeOf(event.type).pseudonyms === 'always');
  const pseudonyms = await findPseudonyms(tx, uuidsWithin(replaced.map(eventContent)));
  if (pseudonyms.size === 0) return events;
  return events.map((checked) => {
    if (typeOf(checked.event.type).pseudonyms !== 'always') return checked;
    const raw = checked.raw && renamedJson(checked.raw, pseudonyms);
    const envelope = checked.envelope && { envelope: renamedJson(checked.envelope, pseudonyms) };
    // The hash would prove that the event was about the original player.
    const hash = raw === checked.raw ? {} : { hash: null };
    return { ...checked, event: pseudonymiseEvent(tx, checked.event, pseudonyms), raw, ...hash, ...envelope };
  });
}

/** All members that may name players: an event of a newer version has some that its parsed data lacks. */
function eventContent({
  event,
  raw,
  envelope,
}: {
  event: PreparedEvent;
  raw: string | undefined;
  envelope?: string;
}): unknown {
  if (raw === undefined || envelope === undefined) return [event.id, event.data];
  return [event.id, event.data, JSON.parse(raw), JSON.parse(envelope)];
}

function pseudonymiseEvent<E extends PreparedEvent>({ keyedHash }: Queryable, event: E, pseudonyms: Renamed): E {
  const { id, type, data } = event;
  return { ...event, id: anonymousId(keyedHash, id, pseudonyms), data: typeOf(type).prepared.rename(data, pseudonyms) };
}

/** Finds the pseudonyms of players, by UUID; players without one are left out. */
async function findPseudonyms(tx: Queryable, uuids: ReadonlySet<string>): Promise<Map<string, Pseudonym>> {
  const hashes = new Map([...uuids].map((uuid) => [hashUuid(tx.keyedHash, uuid), uuid]));
  const pseudonyms = new Map<string, Pseudonym>();
  for (const [hash, uuid, name] of await pseudonymsByHash(tx, [...hashes.keys()])) {
    pseudonyms.set(hashes.get(hash)!, { uuid, name });
  }
  return pseudonyms;
}

/** Collects the UUIDs in all strings of a value. */
function uuidsWithin(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') {
    for (const uuid of uuidsIn(value)) found.add(uuid);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) uuidsWithin(part, found);
  }
  return found;
}
