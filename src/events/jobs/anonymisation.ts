import { nameKey, uuidOf } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import { identifier, list, sql } from '#db/sql.ts';
import type { Pseudonym } from '#store/accounts/pseudonyms.ts';
import type { NameRemoval } from '#store/accounts/removed-names.ts';
import type { DeletedPlayers } from '../handlers/event-effect.ts';
import { effectOf } from '../handlers/index.ts';
import { anonymiseMatch, renameInMatch } from '../handlers/match-anonymisation.ts';
import { storeRenamed } from '../handlers/renamed-events.ts';
import { anonymiseNames } from '../ledger/observations.ts';
import { anonymousId, mentions, renamedColumns } from '../ledger/pseudonyms.ts';
import { type DataOf, typeOf } from '../schema/index.ts';
import { forgetNames } from '#store/game/hidden-players.ts';
import { forgetPlayersOfLiveMatches } from '#store/game/live-matches.ts';
import type { Renamed, RenamedPlayer } from '#store/game/own-teams.ts';
import { hasPseudonym } from '#store/game/players.ts';
import { markStale } from '#store/jobs.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';
import { ROWS_PER_CHUNK, type ChunkRunner } from '../ledger/chunk.ts';
import { removeNameChunk } from './name-removal.ts';
import { readEvent, readLedger, type StoredEvent, withinBytes } from './stored-events.ts';

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
  /** All names that the players had, for their teams and for the reasons of their punishments. */
  known?: string[];
  /** Whether it renames the teams of pseudonyms, which an earlier version left as they were. */
  teams?: true;
  /** Set if it removes a name of a player instead. */
  removal?: NameRemoval;
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
  const { hashes, renamed = [], names = [], known = [], teams, removal } = JSON.parse(job.params) as Params;
  const cursor = { phase: 'matches', after: 0, ...(JSON.parse(job.cursor) as Partial<Cursor>) } as Cursor;
  if (removal !== undefined) return await removeNameChunk(work, removal, cursor);
  if (teams) {
    const [done, after] = await renameTeams(work, cursor);
    return { cursor: { ...cursor, after: after ?? cursor.after }, done, isComplete: after === undefined };
  }
  const players = await deletedPlayers(tx, hashes);
  if (players.length === 0) return { cursor, done: 0, isComplete: true };
  if (cursor.phase === 'matches' && cursor.after === 0) {
    const uuids = players.map(({ original }) => original);
    await forgetPlayersOfLiveMatches(tx, uuids);
    await renameRecords(tx, new Map(players.map((player) => [player.original, player])));
  }
  const all = [...players, ...(await renamedPlayers(tx, renamed))];
  const pseudonyms = new Map(all.map((player) => [player.original, { ...player, names: known }]));
  const scan = { pseudonyms, names: new Set(known), owner: await findOwner(tx, players) };
  const forgotten = new Set([...names, ...(cursor.names ?? [])]);
  const [done, last] =
    cursor.phase === 'matches'
      ? await scanMatches(work, scan, cursor)
      : await scanLedger(work, scan, cursor, forgotten);
  if (last !== undefined) {
    const further = [...forgotten.difference(new Set(names))];
    return { cursor: { ...cursor, after: last, names: further }, done, isComplete: false };
  }
  if (cursor.phase === 'matches') return { cursor: { phase: 'ledger', after: 0 }, done, isComplete: false };
  await tx.run(sql`delete from private_players where uuid in (${list(players.map(({ original }) => original))})`);
  await tx.run(
    sql`update pseudonyms set original = null where uuid_hash in (${list(players.map((one) => one.uuid_hash))})`,
  );
  // Events without a name, or with a removed one, have the pseudonym now, which may be the first observation.
  if (scan.owner !== undefined) await markStale(tx, 'player', [scan.owner.key]);
  // The cursor outlives the job, without names.
  const { phase, after } = cursor;
  return { cursor: { phase, after }, done, isComplete: true };
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

/** Replaces UUIDs in the ids of rejected events and of events with warnings, of which each server has few. */
async function renameRecords(tx: Queryable, renamed: Renamed): Promise<void> {
  for (const table of ['refusals', 'event_warnings'].map(identifier)) {
    for (const [uuid] of renamed) {
      const rows = await tx.tuples(sql`
        select key, event_id from ${table} where replace(lower(event_id), '-', '') like ${`%${uuid.replaceAll('-', '')}%`}`);
      for (const [key, id] of rows as [number, string][])
        await tx.run(sql`update ${table} set event_id = ${anonymousId(tx.keyedHash, id, renamed)} where key = ${key}`);
    }
  }
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

/** @param forgotten the keys of names that were taken out of heartbeats; gets those of this chunk */
async function scanLedger(
  work: UnitOfWork,
  scan: DeletedPlayers,
  { after }: Cursor,
  forgotten: Set<string>,
): Promise<Scanned> {
  const { tx } = work;
  const rows = await readLedger(tx, after);
  const last = rows.at(-1)?.key;
  if (last === undefined) return [0, undefined];
  const originals = [...scan.pseudonyms.keys()];
  const names = new Set<string>();
  let [done, reached] = [0, last];
  for (const row of rows) {
    done++;
    if (typeOf(row.type).pseudonyms === 'never' || !mentions(row, originals)) continue;
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

/** @param names gets the names that were replaced */
async function anonymiseEvent(
  work: UnitOfWork,
  event: StoredEvent,
  scan: DeletedPlayers,
  names: Set<string>,
): Promise<void> {
  const { tx } = work;
  const { owner } = scan;
  const { key, type } = event;
  // An earlier event of the chunk may have changed the reason of this one.
  const stored = await readEvent(tx, key);
  await storeRenamed(tx, stored, renamedColumns(tx, stored, scan.pseudonyms, names));
  await effectOf(type).anonymise?.(work, key, { ...scan, names: scan.names.union(names) });
  if (owner !== undefined) await anonymiseNames(tx, key, owner);
}

/** Renames the teams of a pseudonym in a match without a team of several players: their names were those of the person. */
async function renameTeams(work: UnitOfWork, { after }: Cursor): Promise<Scanned> {
  const rows = await readLedger(work.tx, after);
  let done = 0;
  for (const row of rows) {
    if (row.type !== 'match.finished' || !row.body.includes('"deleted-')) continue;
    const renamed = ownersOfTeams(row.body);
    const after = renamedColumns(work.tx, row, renamed);
    if (after.body === row.body) continue;
    await storeRenamed(work.tx, row, after);
    await renameInMatch(work, row.key, renamed);
    if (++done >= ROWS_PER_CHUNK) return [done, row.key];
  }
  return [done, rows.at(-1)?.key];
}

/** The pseudonyms that are the only players of teams, each with the names of its teams. */
function ownersOfTeams(body: string): Renamed {
  const { teams } = JSON.parse(body) as DataOf<'match.finished'>;
  const owners = new Map<string, RenamedPlayer & { names: string[] }>();
  if (teams.some(({ players }) => players.length > 1)) return owners;
  for (const { name: team, players } of teams) {
    for (const { uuid: sent, name } of players) {
      const uuid = uuidOf(sent)!;
      if (hasPseudonym({ uuid, name }))
        owners.set(uuid, { uuid, name, names: [...(owners.get(uuid)?.names ?? []), team] });
    }
  }
  return owners;
}
