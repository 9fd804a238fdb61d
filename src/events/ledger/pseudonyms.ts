import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { uuidOf } from '#platform/text/text.ts';
import { type Pseudonym, hashUuid, pseudonymsByHash } from '#store/accounts/pseudonyms.ts';
import { renamedJson } from '#store/game/renamed-json.ts';
import { type EventName, type PreparedEvent, typeOf } from '../schema/index.ts';

/**
 * Replaces deleted players by their pseudonyms: in new events, and in events read from the ledger while
 * `jobs/anonymisation.ts` is still replacing them in the stored ones.
 */

/**
 * Returns a function that applies the pseudonyms of unfinished anonymisations to the body of a ledger row, so that readers
 * never see the original players.
 */
export async function pseudonymisedBodies(db: Queryable): Promise<(type: EventName, body: string) => string> {
  const open = await db.all<Pseudonym & { original: string }>(
    sql`select uuid, name, original from pseudonyms where original is not null`,
  );
  if (open.length === 0) return (_, body) => body;
  const pseudonyms = new Map(open.map(({ original, ...pseudonym }) => [original, pseudonym]));
  return (type, body) => (typeOf(type).pseudonyms === 'never' ? body : renamedJson(body, pseudonyms));
}

/**
 * Replaces players who have a pseudonym in new events.
 * @returns `events` itself if no player has one
 */
export async function applyPseudonyms<
  E extends { event: PreparedEvent; raw: string | undefined; hash?: string | null; envelope?: string },
>(tx: Queryable, events: E[]): Promise<E[]> {
  if ((await tx.get(sql`select 1 as found from pseudonyms limit 1`)) === undefined) return events;
  const pseudonyms = await findPseudonyms(tx, uuidsWithin(events.map(eventContent)));
  if (pseudonyms.size === 0) return events;
  return events.map((checked) => {
    if (typeOf(checked.event.type).pseudonyms !== 'always') return checked;
    const raw = checked.raw && renamedJson(checked.raw, pseudonyms);
    const envelope = checked.envelope && { envelope: renamedJson(checked.envelope, pseudonyms) };
    // The hash would prove that the event was about the original player.
    const hash = raw === checked.raw ? {} : { hash: null };
    return { ...checked, event: pseudonymiseEvent(checked.event, pseudonyms), raw, ...hash, ...envelope };
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
  if (raw === undefined || envelope === undefined) return event.data;
  return [event.data, JSON.parse(raw), JSON.parse(envelope)];
}

function pseudonymiseEvent<E extends PreparedEvent>(event: E, pseudonyms: ReadonlyMap<string, Pseudonym>): E {
  return { ...event, data: typeOf(event.type).prepared.rename(event.data, pseudonyms) };
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
