import { nameKey } from '#platform/text/text.ts';
import type { Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import type { Pseudonym } from '#store/accounts/pseudonyms.ts';
import type { DeletedPlayers } from '../handlers/event-effect.ts';
import { effectOf } from '../handlers/index.ts';
import { anonymiseMatch } from '../handlers/match-anonymisation.ts';
import { anonymiseNames } from '../ledger/observations.ts';
import { type EventName, typeOf } from '../schema/index.ts';
import { forgetNames } from '#store/game/hidden-players.ts';
import { forgetPlayersOfLiveMatches } from '#store/game/live-matches.ts';
import { renamedJson } from '#store/game/renamed-json.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';
import { BYTES_PER_CHUNK, ROWS_PER_CHUNK, type ChunkRunner } from '../ledger/chunk.ts';

/**
 * Replaces deleted players by their pseudonyms in the stored events and in the rows with their names. First in the matches
 * of the player, found by index, because an earlier version wrote the surviving UUID of a merge into matches whose events
 * have the merged one; then in the whole ledger, once for all UUIDs of the job: no index finds all events that mention a
 * UUID.
 */

interface Params {
  /** The keyed hashes of the UUIDs; by default those of all pseudonyms that are not complete. */
  hashes?: string[];
  /** The UUIDs of older pseudonyms that get the name of the new ones. */
  renamed?: string[];
  /** The keys of the names that were taken out of heartbeats with the creation of the job. */
  names?: string[];
}

interface Cursor {
  phase: 'matches' | 'ledger';
  /** Rows up to this key are done. */
  after: number;
  /** The keys of further names that were taken out of heartbeats. */
  names?: string[];
}

export const anonymiseChunk: ChunkRunner = async (work, job) => {
  const { tx } = work;
  const { hashes, renamed = [], names = [] } = JSON.parse(job.params) as Params;
  const cursor = { phase: 'matches', after: 0, ...(JSON.parse(job.cursor) as Partial<Cursor>) } as Cursor;
  const players = await deletedPlayers(tx, hashes);
  if (players.length === 0) return { cursor, done: 0, isComplete: true, mayPause: true };
  if (cursor.phase === 'matches' && cursor.after === 0) {
    const uuids = players.map(({ original }) => original);
    await forgetPlayersOfLiveMatches(tx, uuids);
  }
  const scan = {
    pseudonyms: new Map(
      [...players, ...(await renamedPlayers(tx, renamed))].map((player) => [player.original, player]),
    ),
    owner: await findOwner(tx, players),
  };
  const forgotten = new Set([...names, ...(cursor.names ?? [])]);
  const [done, last] =
    cursor.phase === 'matches'
      ? await scanMatches(work, scan, cursor)
      : await scanLedger(work, scan, cursor, forgotten);
  if (last !== undefined) {
    const further = [...forgotten.difference(new Set(names))];
    return { cursor: { ...cursor, after: last, names: further }, done, isComplete: false, mayPause: true };
  }
  if (cursor.phase === 'matches') {
    return { cursor: { phase: 'ledger', after: 0 }, done, isComplete: false, mayPause: true };
  }
  await tx.run(
    sql`update pseudonyms set original = null where uuid_hash in (${list(players.map((one) => one.uuid_hash))})`,
  );
  // The cursor outlives the job, without names.
  const { phase, after } = cursor;
  return { cursor: { phase, after }, done, isComplete: true, mayPause: true };
};

type Anonymised = Pseudonym & { uuid_hash: string; original: string };

async function deletedPlayers(tx: Queryable, hashes: string[] | undefined): Promise<Anonymised[]> {
  if (hashes?.length === 0) return [];
  const chosen = hashes === undefined ? sql`` : sql`and uuid_hash in (${list(hashes)})`;
  return await tx.all<Anonymised>(sql`
    select uuid_hash, uuid, name, original from pseudonyms where original is not null ${chosen}`);
}

async function renamedPlayers(tx: Queryable, uuids: string[]): Promise<Anonymised[]> {
  if (uuids.length === 0) return [];
  return await tx.all<Anonymised>(sql`
    select uuid_hash, uuid, name, uuid as original from pseudonyms where uuid in (${list(uuids)})`);
}

async function findOwner(tx: Queryable, players: readonly Anonymised[]): Promise<DeletedPlayers['owner']> {
  const uuids = list(players.map(({ uuid }) => uuid));
  return await tx.get(sql`
    select p.key, o.name from players p join pseudonyms o on o.uuid = p.uuid
    where p.uuid in (${uuids}) or p.uuid in (select into_uuid from player_aliases where uuid in (${uuids}))
    limit 1`);
}

type Scanned = [done: number, last: number | undefined];

async function scanMatches(work: UnitOfWork, scan: DeletedPlayers, { after }: Cursor): Promise<Scanned> {
  const { owner } = scan;
  if (owner === undefined) return [0, undefined];
  const rows = await work.tx.tuples(sql`
    select p.match_key, coalesce(octet_length(d.teams) + octet_length(d.objectives), 0)
    from player_matches p left join match_details d on d.match_key = p.match_key
    where (p.player_key, p.match_key) > (${owner.key}, ${after}) and p.player_key <= ${owner.key}
    order by p.player_key, p.match_key limit ${ROWS_PER_CHUNK}`);
  const keys = withinBytes(rows as [number, number][]);
  for (const key of keys) await anonymiseMatch(work, key, scan);
  return [keys.length, keys.at(-1)];
}

/** More than `ROWS_PER_CHUNK`, because most events do not mention a deleted player and are only read. */
const EVENTS_PER_CHUNK = 500;

/** @param forgotten the keys of names that were taken out of heartbeats; gets those of this chunk */
async function scanLedger(
  work: UnitOfWork,
  scan: DeletedPlayers,
  { after }: Cursor,
  forgotten: Set<string>,
): Promise<Scanned> {
  const { tx } = work;
  const sizes = await tx.tuples(sql`
    select key, octet_length(body) from ledger where key > ${after} order by key limit ${EVENTS_PER_CHUNK}`);
  const last = withinBytes(sizes as [number, number][]).at(-1);
  if (last === undefined) return [0, undefined];
  const rows = await tx.all<StoredEvent>(sql`
    select key, type, body, envelope from ledger where key > ${after} and key <= ${last} order by key`);
  const originals = [...scan.pseudonyms.keys()].map((uuid) => uuid.replaceAll('-', ''));
  const names = new Set<string>();
  let [done, reached] = [0, last];
  for (const row of rows) {
    const text = `${row.body} ${row.envelope ?? ''}`.toLowerCase().replaceAll('-', '');
    done++;
    if (typeOf(row.type).pseudonyms === 'never' || !originals.some((uuid) => text.includes(uuid))) continue;
    await anonymiseEvent(work, row, scan, names);
    if (done >= ROWS_PER_CHUNK) {
      reached = row.key;
      break;
    }
  }
  // Names that only withdrawn events have were unknown when the player got the pseudonym.
  const found = new Set([...names].map(nameKey)).difference(forgotten);
  for (const { kind, key, type } of await forgetNames(tx, found)) work.changes.add(kind, key, type);
  for (const key of found) forgotten.add(key);
  return [done, reached];
}

/** The first keys whose rows together have at most `BYTES_PER_CHUNK`, but at least one. */
function withinBytes(rows: readonly [key: number, bytes: number][]): number[] {
  let bytes = 0;
  return rows.filter(([, size], place) => (bytes += size) <= BYTES_PER_CHUNK || place === 0).map(([key]) => key);
}

interface StoredEvent {
  key: number;
  type: EventName;
  body: string;
  envelope: string | null;
}

/** @param names gets the names that were replaced */
async function anonymiseEvent(
  work: UnitOfWork,
  event: StoredEvent,
  scan: DeletedPlayers,
  names: Set<string>,
): Promise<void> {
  const { tx } = work;
  const { pseudonyms, owner } = scan;
  const { key, type } = event;
  const [body, envelope] = [
    renamedJson(event.body, pseudonyms, names),
    event.envelope && renamedJson(event.envelope, pseudonyms, names),
  ];
  await tx.run(sql`
    update ledger set body = ${body}, envelope = ${envelope}, content_hash = null where key = ${key}`);
  await effectOf(type).anonymise?.(work, key, scan);
  if (owner !== undefined) await anonymiseNames(tx, key, owner);
}
