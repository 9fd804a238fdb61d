import type { Clock } from '#platform/clock.ts';
import { chunksOf } from '#platform/chunks.ts';
import { uuidOf } from '#platform/text.ts';
import type { Db, Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { unlinkPlayer } from '#store/accounts/account-changes.ts';
import { Batch } from './unit-of-work.ts';
import type { PreparedEvent } from './validation.ts';
import type { Event } from './schema.ts';
import { removeStatistics } from './handlers/player-statistics.ts';
import { removeFromLeaderboards } from '#store/game/leaderboard-projection.ts';
import { removeFinished } from './handlers/matches.ts';
import { removeOnlineSamples } from '#store/game/online-samples.ts';
import { IS_OPERATOR_ACT } from './operator-events.ts';
import { rebuildPlayerNames } from '#store/game/player-names.ts';
import { uuidsOf } from './match-summary.ts';
import { eventsOf, LEDGER, type LedgerRow, rebuild } from './rebuild.ts';
import { keysByServer } from './events-by-server.ts';
import { Keys } from '#store/sequence.ts';

/**
 * Retracts events on behalf of an operator. The derived tables are afterwards as if the events had never been sent. The
 * ledger marks the events as withdrawn, so that sending them again does not restore them. Events that were rejected
 * because of a retracted event stay rejected.
 */

export interface RetractResult {
  /** Events that were withdrawn, including the cascaded ones. */
  events: number;
  /** Events withdrawn because they depend on another withdrawn one: a change of a punishment, a rating of a map. */
  cascaded: number;
}

const BATCH_SIZE = 200;

/** Events of operators that are never retracted: an operator reverses them with another event. */
const NOT_RETRACTED: readonly Event['type'][] = ['server.configured', 'server.removed', 'player.merged'];

/**
 * Retracts events by their keys, in several transactions that each leave the derived tables consistent.
 * @param serverKey where given, events of other servers are ignored
 */
export async function retractEvents(
  db: Db,
  clock: Clock,
  keys: readonly number[],
  serverKey?: number,
): Promise<RetractResult> {
  const total = { events: 0, cascaded: 0 };
  for (const chunk of await chunksByAggregate(db, keys)) {
    const { events, cascaded } = await db.transaction((tx) => retractChunk(tx, clock.now(), chunk, serverKey));
    total.events += events;
    total.cascaded += cascaded;
  }
  return total;
}

/** Chunks of keys for one transaction each. The events of an aggregate share a chunk, so that it is rebuilt only once. */
async function chunksByAggregate(db: Queryable, keys: readonly number[]): Promise<number[][]> {
  const rows: [key: number, aggregate: string | null][] = [];
  for (const chunk of chunksOf(keys, BATCH_SIZE)) {
    const found = await db.tuples(sql`select key, aggregate from ledger where key in (${list(chunk)}) order by key`);
    rows.push(...(found as typeof rows));
  }
  const byAggregate = Map.groupBy(rows, ([, aggregate]) => aggregate);
  const withoutAggregate = byAggregate.get(null) ?? [];
  byAggregate.delete(null);
  const chunks = [...chunksOf(withoutAggregate, BATCH_SIZE)];
  for (const sharing of byAggregate.values()) {
    const last = chunks.at(-1);
    if (last !== undefined && last.length + sharing.length <= BATCH_SIZE) last.push(...sharing);
    else chunks.push(sharing);
  }
  return chunks.map((chunk) => chunk.map(([key]) => key));
}

/**
 * Retracts all events received from a server since a time, and removes its samples of players online. Events that
 * operators sent about the server stay.
 * @param since epoch milliseconds
 */
export async function retractSince(db: Db, clock: Clock, serverKey: number, since: number): Promise<RetractResult> {
  await db.transaction((tx) => removeOnlineSamples(tx, serverKey, since));
  const rows = await db.tuples(sql`
    select l.key from (${keysByServer(serverKey)}) s join ledger l on l.key = s.key
    where l.received >= ${since} and l.withdrawn is null and l.type not in (${list(NOT_RETRACTED)}) and not ${IS_OPERATOR_ACT}
    order by l.key desc`);
  return await retractEvents(
    db,
    clock,
    rows.map(([key]) => key as number),
  );
}

async function retractChunk(
  tx: Queryable,
  now: number,
  wanted: readonly number[],
  serverKey: number | undefined,
): Promise<RetractResult> {
  const keys = await Keys.lock(tx);
  const batch = new Batch(tx, keys, now);
  const ofServer = serverKey === undefined ? sql`` : sql`and l.scope_key = ${serverKey}`;
  const rows: LedgerRow[] = [];
  for (const chunk of chunksOf(wanted, BATCH_SIZE)) {
    const found = await tx.all<LedgerRow>(sql`
      ${LEDGER}
      where l.key in (${list(chunk)}) and l.withdrawn is null and l.type not in (${list(NOT_RETRACTED)}) ${ofServer}`);
    rows.push(...found);
  }
  const touchedPlayers = new Set<number>();
  await withdraw(batch, rows, touchedPlayers);
  let cascaded = 0;
  for (const aggregate of new Set(rows.flatMap((row) => row.aggregate ?? []))) {
    const dependent = await rebuild(batch, aggregate);
    await withdraw(batch, dependent, touchedPlayers);
    cascaded += dependent.length;
  }
  await batch.flush();
  await rebuildPlayerNames(tx, [...touchedPlayers]);
  return { events: rows.length + cascaded, cascaded };
}

/**
 * Marks events as withdrawn, deletes their own rows and subtracts them from sums.
 * @param touchedPlayers receives the keys of players whose names have to be rebuilt
 */
async function withdraw(batch: Batch, rows: LedgerRow[], touchedPlayers: Set<number>): Promise<void> {
  if (rows.length === 0) return;
  const events = await eventsOf(batch.tx, rows);
  const matches = events.flatMap(({ row, event }) => (event.type === 'match.finished' ? row.key : []));
  if (matches.length > 0) await removeFromLeaderboards(batch.tx, matches);
  await batch.load(events.flatMap(({ event }) => playersIn(event)));
  for (const { row, event } of events) {
    const { key } = row;
    if (event.type === 'match.finished') removeFinished(batch.players, event.data);
    if (event.type === 'player.statistics') removeStatistics(batch.players, event.data);
    for (const uuid of playersIn(event)) touchedPlayers.add(batch.players.find(uuid)!.key);
    if (row.type === 'account.link') await unlink(batch, row, playersIn(event)[0]!);
    await batch.tx.runAll([
      sql`update ledger set withdrawn = ${batch.now} where key = ${key}`,
      ...deletions(batch, key, event),
    ]);
  }
}

/**
 * Unlinks the game account from its account, unless a later event has linked the two again. Where the game account was
 * merged into another one since, the account is linked to that one; it is unlinked too, unless an event of its own linked
 * it.
 */
async function unlink({ tx, players }: Batch, { key }: LedgerRow, uuid: string): Promise<void> {
  const player = players.find(uuid)!;
  const rows = await tx.tuples(sql`
    select l.key, l.body from name_observations s join ledger l on l.key = s.ledger_key
    where s.player_key = ${player.key} and l.type = 'account.link' and l.withdrawn is null and l.key <> ${key}`);
  const otherLinks = (rows as [number, string][]).map(([link, body]) => ({ key: link, uuid: linkedUuid(body) }));
  if (otherLinks.some((link) => link.uuid === uuid && link.key > key)) return;
  const followsMerge = player.uuid !== uuid && !otherLinks.some((link) => link.uuid === player.uuid);
  for (const linked of followsMerge ? [uuid, player.uuid] : [uuid]) {
    const account = await tx.get<{ id: string }>(sql`select id from accounts where player_uuid = ${linked}`);
    if (account !== undefined) return void (await unlinkPlayer(tx, account.id));
  }
}

const linkedUuid = (body: string): string | undefined =>
  uuidOf((JSON.parse(body) as { player: { uuid: string } }).player.uuid);

/** The statements that delete the rows of an event outside its aggregate. */
function deletions({ players }: Batch, key: number, event: PreparedEvent) {
  if (event.type === 'match.finished') {
    const playerKeys = list([...new Set(playersIn(event).map((uuid) => players.find(uuid)!.key))]);
    return [
      sql`delete from matches where key = ${key}`,
      sql`delete from name_observations where player_key in (${playerKeys}) and ledger_key = ${key}`,
    ];
  }
  if (event.type === 'map.published') return pictureDeletions(key);
  const [uuid] = playersIn(event);
  if (uuid === undefined) return [];
  const player = players.find(uuid)!.key;
  if (event.type === 'player.login' || event.type === 'player.logout') {
    return [sql`delete from player_sessions where player_key = ${player} and ledger_key = ${key}`];
  }
  const observation = sql`delete from name_observations where player_key = ${player} and ledger_key = ${key}`;
  if (event.type !== 'player.statistics') return [observation];
  const report = sql`
    delete from faction_reports where player_key = ${player} and time = ${event.time} and ledger_key = ${key}`;
  return [observation, report];
}

/** Deletes the picture of a map with the last event that brought it. The map itself is rebuilt, see `rebuild`. */
function pictureDeletions(key: number) {
  return [
    sql`delete from map_images where hash in (select hash from map_pictures where ledger_key = ${key})
      and not exists (select 1 from map_pictures o where o.hash = map_images.hash and o.ledger_key <> ${key})`,
    sql`delete from map_pictures where ledger_key = ${key}`,
    sql`delete from pictures where not exists (select 1 from map_pictures p where p.hash = pictures.hash)
      and not exists (select 1 from map_images i where i.hash = pictures.hash)`,
  ];
}

/** The UUIDs of the players whose names an event recorded. */
function playersIn(event: PreparedEvent): string[] {
  switch (event.type) {
    case 'match.finished':
      return uuidsOf(event.data);
    case 'player.login':
    case 'player.logout':
    case 'player.named':
    case 'player.known':
    case 'player.statistics':
    case 'map.rated':
      return [event.data.player.uuid];
    case 'punishment.issued':
      return [event.data.punished.uuid];
    default:
      return [];
  }
}
