import { columnOf, exists, type KeyedHash, type Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type Pseudonym, pseudonymsByHash } from '#store/accounts/pseudonyms.ts';
import type { Renamed } from '#store/game/own-teams.ts';
import { hasName, renamedJson, renamedText, uuidsIn } from '#store/game/renamed-json.ts';
import { type NameRemoval, withoutName } from '#store/accounts/removed-names.ts';
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
  uuidsIn(id).some((uuid) => renamed.has(uuid)) ? hashedId(keyedHash, id) : id;

export const hashedId = (keyedHash: KeyedHash, id: string): string => `erased:${keyedHash(id)}`;

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
): Promise<<Row extends NamingColumns & { type: EventName; time?: number }>(row: Row) => Row> {
  const jobs = await columnOf<string>(
    db,
    sql`select params from jobs where finished is null and kind = 'anonymisation' order by key`,
  );
  const params = jobs.map((json) => JSON.parse(json) as { hashes?: string[]; known?: string[]; removal?: NameRemoval });
  const removals = params.flatMap(({ removal }) => removal ?? []);
  const open = await db.all<Pseudonym & { uuid_hash: string; original: string }>(
    sql`select uuid_hash, uuid, name, original from pseudonyms where original is not null`,
  );
  const unnamed = <Row extends NamingColumns & { time?: number }>(row: Row): Row =>
    removals.reduce((one, removal) => withoutNameIn(db, one, removal) ?? one, row);
  if (open.length === 0 && removals.length === 0) return (row) => row;
  const pseudonyms = new Map(
    open.map(({ uuid_hash, original, ...pseudonym }) => {
      const names = params.flatMap(({ hashes, known = [] }) => (hashes?.includes(uuid_hash) ? known : []));
      return [original, { ...pseudonym, names }];
    }),
  );
  const punished = new Map<string, unknown>();
  return (row) =>
    typeOf(row.type).pseudonyms === 'never'
      ? row
      : withPunished(punished, row, (one) => renamedColumns(db, unnamed(one), pseudonyms));
}

/**
 * Renames players in an event; in a change of a punishment as if it named the punished player, whose names its reason may have.
 * @param issued the punished players of the events so far, by aggregate
 */
function withPunished<Row extends NamingColumns>(
  issued: Map<string, unknown>,
  row: Row,
  renamed: (row: Row) => Row,
): Row {
  const { aggregate, body } = row;
  const data = aggregate === null ? {} : (JSON.parse(body) as { punished?: unknown; reason?: unknown });
  if (data.punished !== undefined) issued.set(aggregate!, data.punished);
  if (data.punished !== undefined || !data.reason || !issued.has(aggregate!)) return renamed(row);
  const changed = renamed({ ...row, body: JSON.stringify({ ...data, punished: issued.get(aggregate!) }) });
  const { punished: _, ...without } = JSON.parse(changed.body) as typeof data;
  return { ...changed, body: JSON.stringify(without) };
}

/** Whether an event of the ledger has one of some UUIDs. */
export function mentions({ event_id, aggregate, body, envelope }: NamingColumns, uuids: readonly string[]): boolean {
  const text = [event_id, aggregate, body, envelope].join(' ').toLowerCase().replaceAll('-', '');
  return uuids.some((uuid) => text.includes(uuid.replaceAll('-', '')));
}

/**
 * Removes a name from an event of the ledger.
 * @param replaced gets the spellings of the name beside the UUID
 * @returns undefined if the event does not have the name
 */
export function withoutNameIn<Row extends NamingColumns & { time?: number }>(
  { keyedHash }: Pick<Queryable, 'keyedHash'>,
  row: Row,
  removal: NameRemoval,
  replaced?: Set<string>,
): Row | undefined {
  if ((row.time ?? 0) > removal.until) return undefined;
  if (!mentions(row, removal.uuids)) return undefined;
  const renamed = withoutName(removal);
  const [body, envelope] = [row.body, row.envelope].map((json) => {
    if (json === null) return json;
    const after = renamedJson(json, renamed, replaced);
    return after === JSON.stringify(JSON.parse(json)) ? json : after;
  }) as [string, string | null];
  if (body === row.body && envelope === row.envelope) return undefined;
  const event_id = hasName(row.event_id, [removal.name]) ? hashedId(keyedHash, row.event_id) : row.event_id;
  return { ...row, event_id, body, envelope };
}

interface Nameable {
  event: PreparedEvent;
  raw: string | undefined;
  hash?: string | null;
  envelope?: string;
}

/**
 * Replaces players who have a pseudonym in new events.
 * @returns `events` itself if no player has one
 */
export async function applyPseudonyms<E extends Nameable>(tx: Queryable, events: E[]): Promise<E[]> {
  if (!(await exists(tx, sql`select 1 as found from pseudonyms limit 1`))) return events;
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
function eventContent({ event, raw, envelope }: Nameable): unknown {
  if (raw === undefined || envelope === undefined) return [event.id, event.data];
  return [event.id, event.data, JSON.parse(raw), JSON.parse(envelope)];
}

function pseudonymiseEvent<E extends PreparedEvent>({ keyedHash }: Queryable, event: E, pseudonyms: Renamed): E {
  const { id, type, data } = event;
  return { ...event, id: anonymousId(keyedHash, id, pseudonyms), data: typeOf(type).prepared.rename(data, pseudonyms) };
}

/** Finds the pseudonyms of players, by UUID; players without one are left out. */
async function findPseudonyms(tx: Queryable, uuids: ReadonlySet<string>): Promise<Map<string, Pseudonym>> {
  const hashes = new Map([...uuids].map((uuid) => [tx.keyedHash(uuid), uuid]));
  const pseudonyms = new Map<string, Pseudonym>();
  for (const [hash, uuid, name] of await pseudonymsByHash(tx, [...hashes.keys()])) {
    pseudonyms.set(hashes.get(hash)!, { uuid, name });
  }
  return pseudonyms;
}

/** Collects the UUIDs in all strings of a value. */
export function uuidsWithin(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') {
    for (const uuid of uuidsIn(value)) found.add(uuid);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) uuidsWithin(part, found);
  }
  return found;
}
