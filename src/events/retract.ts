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
 * Events that an operator takes back. The records are then as if they had never been sent; they stay in the ledger as
 * withdrawn, so that sending them again does not bring them back. What was refused because of them stays refused.
 */

export interface RetractResult {
  /** Events that were withdrawn, the fallen ones among them. */
  events: number;
  /** Events that had to go along, since they rest on withdrawn ones: a change of a punishment, a rating of a map. */
  cascaded: number;
}

const BATCH_SIZE = 200;

/** What an operator said is taken back by saying something else. */
const NOT_RETRACTED: readonly Event['type'][] = ['server.configured', 'server.removed', 'player.merged'];

/** Withdraws events by their keys, some in a transaction, each of which leaves the records whole; of one server. */
export async function retractEvents(
  db: Db,
  clock: Clock,
  keys: readonly number[],
  serverKey?: number,
): Promise<RetractResult> {
  const total = { events: 0, cascaded: 0 };
  for (const chunk of await chunksByAggregate(db, keys)) {
    const { events, cascaded: fallen } = await db.transaction((tx) => retractSome(tx, clock.now(), chunk, serverKey));
    total.events += events;
    total.cascaded += fallen;
  }
  return total;
}

/** What is withdrawn of one aggregate goes together, however much it is: the aggregate is worked out anew once. */
async function chunksByAggregate(db: Queryable, keys: readonly number[]): Promise<number[][]> {
  const rows: [key: number, aggregate: string | null][] = [];
  for (const some of chunksOf(keys, BATCH_SIZE)) {
    const found = await db.tuples(sql`select key, aggregate from ledger where key in (${list(some)}) order by key`);
    rows.push(...(found as typeof rows));
  }
  const byAggregate = Map.groupBy(rows, ([, aggregate]) => aggregate);
  const alone = byAggregate.get(null) ?? [];
  byAggregate.delete(null);
  const chunks = [...chunksOf(alone, BATCH_SIZE)];
  for (const own of byAggregate.values()) {
    const last = chunks.at(-1);
    if (last !== undefined && last.length + own.length <= BATCH_SIZE) last.push(...own);
    else chunks.push(own);
  }
  return chunks.map((some) => some.map(([key]) => key));
}

/** Withdraws everything that was taken of a server since a moment, its heartbeat too, but not what operators did about it. */
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

async function retractSome(
  tx: Queryable,
  now: number,
  wanted: readonly number[],
  serverKey: number | undefined,
): Promise<RetractResult> {
  const keys = await Keys.lock(tx);
  const batch = new Batch(tx, keys, now);
  const ofServer = serverKey === undefined ? sql`` : sql`and l.scope_key = ${serverKey}`;
  const rows: LedgerRow[] = [];
  for (const some of chunksOf(wanted, BATCH_SIZE)) {
    const found = await tx.all<LedgerRow>(sql`
      ${LEDGER}
      where l.key in (${list(some)}) and l.withdrawn is null and l.type not in (${list(NOT_RETRACTED)}) ${ofServer}`);
    rows.push(...found);
  }
  const touched = new Set<number>();
  await removeMatches(batch, rows, touched);
  let fallen = 0;
  for (const aggregate of new Set(rows.flatMap((row) => row.aggregate ?? []))) {
    const others = await rebuild(batch, aggregate);
    await removeMatches(batch, others, touched);
    fallen += others.length;
  }
  await batch.flush();
  await rebuildPlayerNames(tx, [...touched]);
  return { events: rows.length + fallen, cascaded: fallen };
}

/** Marks events as withdrawn and takes out what can be taken out by itself: rows of theirs, and sums. */
async function removeMatches(batch: Batch, rows: LedgerRow[], touched: Set<number>): Promise<void> {
  if (rows.length === 0) return;
  const events = await eventsOf(batch.tx, rows);
  const matches = events.flatMap(({ row, event }) => (event.type === 'match.finished' ? row.key : []));
  if (matches.length > 0) await removeFromLeaderboards(batch.tx, matches);
  await batch.load(events.flatMap(({ event }) => playersIn(event)));
  for (const { row, event } of events) {
    const { key } = row;
    if (event.type === 'match.finished') removeFinished(batch.players, event.data);
    if (event.type === 'player.statistics') removeStatistics(batch.players, event.data);
    for (const uuid of playersIn(event)) touched.add(batch.players.known(uuid)!.key);
    if (row.type === 'account.link') await unlink(batch, row, playersIn(event)[0]!);
    await batch.tx.runAll([
      sql`update ledger set withdrawn = ${batch.now} where key = ${key}`,
      ...deletions(batch, key, event),
    ]);
  }
}

/**
 * Parts the account from the game account again, unless a later event has said anew that they belong together. Where the
 * game account was merged into another since, the account has that one, if no event has linked it by itself.
 */
async function unlink({ tx, players }: Batch, { key }: LedgerRow, uuid: string): Promise<void> {
  const player = players.known(uuid)!;
  const rows = await tx.tuples(sql`
    select l.key, l.body from name_observations s join ledger l on l.key = s.ledger_key
    where s.player_key = ${player.key} and l.type = 'account.link' and l.withdrawn is null and l.key <> ${key}`);
  const links = (rows as [number, string][]).map(([link, body]) => ({ link, uuid: linkedIn(body) }));
  if (links.some((other) => other.uuid === uuid && other.link > key)) return;
  const merged = player.uuid !== uuid && !links.some((other) => other.uuid === player.uuid);
  for (const one of merged ? [uuid, player.uuid] : [uuid]) {
    const account = await tx.get<{ id: string }>(sql`select id from accounts where player_uuid = ${one}`);
    if (account !== undefined) return void (await unlinkPlayer(tx, account.id));
  }
}

const linkedIn = (body: string): string | undefined =>
  uuidOf((JSON.parse(body) as { player: { uuid: string } }).player.uuid);

function deletions({ players }: Batch, key: number, event: PreparedEvent) {
  if (event.type === 'match.finished') {
    const scorers = list([...new Set(playersIn(event).map((uuid) => players.known(uuid)!.key))]);
    return [
      sql`delete from matches where key = ${key}`,
      sql`delete from name_observations where player_key in (${scorers}) and ledger_key = ${key}`,
    ];
  }
  if (event.type === 'map.published') return pictureDeletions(key);
  const [uuid] = playersIn(event);
  if (uuid === undefined) return [];
  const player = players.known(uuid)!.key;
  if (event.type === 'player.login' || event.type === 'player.logout') {
    return [sql`delete from player_sessions where player_key = ${player} and ledger_key = ${key}`];
  }
  const sighting = sql`delete from name_observations where player_key = ${player} and ledger_key = ${key}`;
  if (event.type !== 'player.statistics') return [sighting];
  const report = sql`
    delete from faction_reports where player_key = ${player} and time = ${event.time} and ledger_key = ${key}`;
  return [sighting, report];
}

/** The picture goes with the last event that brought it; the map itself is worked out anew, see `replay`. */
function pictureDeletions(key: number) {
  return [
    sql`delete from map_images where hash in (select hash from map_pictures where ledger_key = ${key})
      and not exists (select 1 from map_pictures o where o.hash = map_images.hash and o.ledger_key <> ${key})`,
    sql`delete from map_pictures where ledger_key = ${key}`,
    sql`delete from pictures where not exists (select 1 from map_pictures p where p.hash = pictures.hash)
      and not exists (select 1 from map_images i where i.hash = pictures.hash)`,
  ];
}

/** Every player whose name an event tells. */
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
