import type { Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import { playerNameKey } from '#text/text.ts';
import { NEVER_SEEN } from '#store/game/player-names.ts';
import type { KnownPlayer } from '#store/game/players.ts';
import { markStale } from '#store/jobs.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Names and sessions of players, as events observed them: their withdrawal and anonymisation. */

/** The member of a player that a session event may have set. */
export type Session = 'lastLogin' | 'lastLogout';

/** The name of a player in an event, and the time of the event. */
export interface Observed {
  uuid: string;
  name: string;
  time: number;
  session?: Session | undefined;
}

/**
 * Marks the players whose names or last sessions depend on a withdrawn event: it is the first or the last observation of a
 * name, or the last login or logout. Observations in between have no effect.
 * @param observed loaded players
 */
export async function markObservedStale(work: UnitOfWork, observed: readonly Observed[]): Promise<void> {
  const found = observed.map((one) => ({ ...one, player: work.players.find(one.uuid)! }));
  const undecided = found.filter(
    ({ player, name, time }) => name !== player.name || time <= player.nameSince || time >= player.nameSeen,
  );
  const spans = await readSpans(work, undecided);
  const ofNames = undecided.filter(({ player, name, time }) => {
    const span =
      playerNameKey(name) === playerNameKey(player.name)
        ? undefined
        : spans.get(`${player.key} ${playerNameKey(name)}`);
    return span === undefined || time <= span.first || time >= span.last;
  });
  const ofSessions = found.filter(({ player, time, session }) => session !== undefined && player[session] === time);
  await markStale(
    work.tx,
    'player',
    [...ofNames, ...ofSessions].map(({ player }) => player.key),
  );
}

async function readSpans(
  { tx }: UnitOfWork,
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

/** Deletes the name that an event observed of a loaded player. */
export async function deleteObservation({ tx, players }: UnitOfWork, event: number, uuid: string): Promise<void> {
  const { key } = players.find(uuid)!;
  await tx.run(sql`delete from name_observations where player_key = ${key} and ledger_key = ${event}`);
}

/** Removes a name that an event observed of a player, so that the event observed none. */
export async function removeObservedName(
  tx: Queryable,
  event: number,
  { key, name }: { key: number; name: string },
  spellings: readonly string[],
): Promise<void> {
  const observed = sql`player_key = ${key} and ledger_key = ${event} and name in (${list([...spellings])})`;
  await tx.runAll([
    sql`update player_sessions set name = ${name} where ${observed}`,
    sql`
      insert into name_observations (player_key, ledger_key, time, name)
      select distinct player_key, ledger_key, cast(${NEVER_SEEN} as bigint), '' from name_observations where ${observed}
      on conflict (player_key, ledger_key, name) do nothing`,
    sql`delete from name_observations where ${observed}`,
  ]);
}

/** Replaces the names that an event observed of a player by the pseudonym, in one row even if it observed several names. */
export async function anonymiseNames(
  tx: Queryable,
  event: number,
  { key, name }: { key: number; name: string },
): Promise<void> {
  await tx.runAll([
    sql`update player_sessions set name = ${name} where player_key = ${key} and ledger_key = ${event}`,
    sql`
      delete from name_observations where player_key = ${key} and ledger_key = ${event} and exists (
        select 1 from name_observations o where o.player_key = ${key}
          and o.ledger_key = ${event} and o.name < name_observations.name)`,
    // An observation without a name has no time, the pseudonym does.
    sql`
      update name_observations set name = ${name}, time = case when time <> ${NEVER_SEEN} then time
        else coalesce((select finished from matches where key = ${event}), (select time from ledger where key = ${event})) end
      where player_key = ${key} and ledger_key = ${event}`,
  ]);
}
