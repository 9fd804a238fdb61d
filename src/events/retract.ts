import { nameKey, shortUuid, uuidOf } from '#platform/text.ts';
import { NEVER_SEEN } from './player-accumulator.ts';
import { list, sql } from '#db/sql.ts';
import { unlinkPlayer } from '#store/accounts/account-changes.ts';
import type { KnownPlayer } from '#store/game/players.ts';
import { markStale } from '#store/jobs.ts';
import type { Batch } from './unit-of-work.ts';
import type { PreparedEvent } from './validation.ts';
import type { Event } from './schema.ts';
import { withdrawReports } from './counters/withdrawal.ts';
import { removeStatistics } from './handlers/player-statistics.ts';
import type { LedgerRow } from './rebuild.ts';

/**
 * Retracts single events on behalf of an operator; `jobs/withdrawal.ts` chooses them and `jobs/match-withdrawal.ts`
 * retracts matches. The derived tables are afterwards as if the events had never been sent. The ledger marks the events as
 * withdrawn, so that sending them again does not restore them. Events that were rejected because of a retracted event stay
 * rejected.
 */

/** Events of operators that are never retracted: an operator reverses them with another event. */
export const NOT_RETRACTED: readonly Event['type'][] = [
  'server.configured',
  'server.removed',
  'player.merged',
  'counter.declared',
  'counter.removed',
];

/** An event of the ledger. */
interface StoredEvent {
  row: LedgerRow;
  event: PreparedEvent;
}

/**
 * Marks events other than matches as withdrawn, deletes their own rows and subtracts them from sums. Their aggregates and
 * the names of their players are derived again later.
 */
export async function withdrawEvents(batch: Batch, events: readonly StoredEvent[]): Promise<void> {
  const players = events.flatMap(({ event }) => playerIn(event)?.uuid ?? []);
  await batch.load(players);
  const observed = events.flatMap(({ event }) => observedIn(batch, event) ?? []);
  await markObservedStale(batch, observed);
  for (const { row, event } of events) {
    if (event.type === 'player.statistics') {
      removeStatistics(batch.players, event.data);
      await withdrawReports(batch, row.key);
    }
    if (row.type === 'account.link') await unlink(batch, row, playerIn(event)!.uuid);
    await batch.tx.runAll([
      sql`update ledger set withdrawn = ${batch.now} where key = ${row.key}`,
      ...deletions(batch, row.key, event),
    ]);
  }
}

/** What an event other than a match observed; without a name the short UUID, before all other observations. */
function observedIn({ players }: Batch, event: PreparedEvent): Observed | undefined {
  const player = playerIn(event);
  if (player === undefined) return undefined;
  const { uuid, name } = player;
  if (name !== undefined) return { uuid, name, time: event.time, type: event.type };
  return { uuid, name: shortUuid(players.find(uuid)!.uuid), time: NEVER_SEEN };
}

interface Named {
  uuid: string;
  name?: string | undefined;
}

/** The name of a player in an event, and the time of the event. */
interface Observed {
  uuid: string;
  name: string;
  time: number;
  /** The type of an event that may be the last login or logout. */
  type?: Event['type'];
}

/**
 * Marks the players whose names or last sessions depend on a withdrawn event: it is the first or the last observation of a
 * name, or the last login or logout. The observations in between decide nothing.
 * @param observed loaded players
 */
export async function markObservedStale(batch: Batch, observed: readonly Observed[]): Promise<void> {
  const found = observed.map((one) => ({ ...one, player: batch.players.find(one.uuid)! }));
  const undecided = found.filter(({ player, name, time }) => !isWithinPresentName(player, name, time));
  const spans = await spansOf(batch, undecided);
  const ofNames = undecided.filter(({ player, name, time }) => {
    const span = nameKey(name) === nameKey(player.name) ? undefined : spans.get(`${player.key} ${nameKey(name)}`);
    return span === undefined || time <= span.first || time >= span.last;
  });
  const ofSessions = found.filter(
    ({ player, time, type }) =>
      (type === 'player.login' && player.lastLogin === time) ||
      (type === 'player.logout' && player.lastLogout === time),
  );
  await markStale(
    batch.tx,
    'player',
    [...ofNames, ...ofSessions].map(({ player }) => player.key),
  );
}

function isWithinPresentName(player: KnownPlayer, name: string, time: number): boolean {
  return name === player.name && time > player.nameSince && time < player.nameSeen;
}

async function spansOf(
  { tx }: Batch,
  observed: readonly { player: KnownPlayer }[],
): Promise<Map<string, { first: number; last: number }>> {
  if (observed.length === 0) return new Map();
  const keys = [...new Set(observed.map(({ player }) => player.key))];
  const rows = await tx.tuples(sql`
    select player_key, name_key, first_seen, last_seen from player_names where player_key in (${list(keys)})`);
  return new Map(
    (rows as [number, string, number, number][]).map(([key, name, first, last]) => [`${key} ${name}`, { first, last }]),
  );
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
  if (event.type === 'map.published') return pictureDeletions(key);
  const named = playerIn(event);
  if (named === undefined) return [];
  const player = players.find(named.uuid)!.key;
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

/** The player whose name an event other than a match recorded. */
function playerIn(event: PreparedEvent): Named | undefined {
  switch (event.type) {
    case 'player.login':
    case 'player.logout':
    case 'player.named':
    case 'player.known':
    case 'player.statistics':
    case 'map.rated':
      return event.data.player;
    case 'punishment.issued':
      return event.data.punished;
    default:
      return undefined;
  }
}
