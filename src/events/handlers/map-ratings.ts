import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { mapAggregate } from './maps.ts';
import {
  type EventContext,
  EventRejected,
  eventScope,
  observePlayer,
  type HandlerResult,
} from '../ledger/unit-of-work.ts';
import { type Effects, PLAIN_EFFECT } from './event-effect.ts';
import type { DataOf } from '../schema/index.ts';
import type { MAP_RATING_EVENTS } from '../schema/map-ratings.ts';
import { mapByName } from '#store/game/maps/maps.ts';

/** Stores a player's rating of a map version; it replaces an earlier rating by the same player. */
async function applyRated(context: EventContext, data: DataOf<'map.rated'>): Promise<HandlerResult> {
  const { work, time } = context;
  const map = await mapByName(work.tx, data.map);
  if (map === undefined) throw new EventRejected('data.map', 'names no published map; send map.published first', true);
  const version = data.version ?? map.version;
  if (version !== map.version) await checkVersions(work.tx, map.key, version);
  await work.load([data.player.uuid]);
  const player = observePlayer(context, data.player);
  await work.flush();
  const keys = { map_key: map.key, version, player_key: player.key, server_key: eventScope(context) };
  const vote = { ...keys, rate: data.rate, time };
  const before = await work.tx.get<{ rate: number; time: number }>(sql`
    select rate, time from map_votes where map_key = ${map.key} and version = ${version} and player_key = ${player.key}`);
  if (before !== undefined && before.time > time) return { note: 'a newer rating of this player is known' };
  await writeVote(work.tx, vote);
  if (before !== undefined) await countVote(work.tx, { ...vote, rate: before.rate }, -1);
  await countVote(work.tx, vote, 1);
  return undefined;
}

const MAX_VERSIONS = 200;

/**
 * Limits the rated versions of a map, since readers get all of them. The current version is exempt, so that ratings of
 * made-up versions cannot prevent ratings of it.
 */
async function checkVersions(tx: Queryable, mapKey: number, version: string): Promise<void> {
  const rows = await tx.tuples(sql`select version from map_rates where map_key = ${mapKey} limit ${MAX_VERSIONS}`);
  if (rows.length < MAX_VERSIONS || rows.some(([rated]) => rated === version)) return;
  throw new EventRejected(
    'data.version',
    `is not the current version, and ${MAX_VERSIONS} versions of this map have ratings already; leave it out`,
  );
}

/** A row of `map_votes`. */
export interface Vote {
  map_key: number;
  version: string;
  player_key: number;
  rate: number;
  time: number;
  server_key: number;
}

export async function writeVote(tx: Queryable, vote: Vote): Promise<void> {
  await tx.run(sql`
    insert into map_votes (map_key, version, player_key, rate, time, server_key)
    values (${vote.map_key}, ${vote.version}, ${vote.player_key}, ${vote.rate}, ${vote.time}, ${vote.server_key})
    on conflict (map_key, version, player_key) do update set
      rate = excluded.rate, time = excluded.time, server_key = excluded.server_key`);
}

/** Adds a vote to the sums of its map version; with `by` -1, subtracts it. */
export async function countVote(
  tx: Queryable,
  { map_key, version, rate }: Pick<Vote, 'map_key' | 'version' | 'rate'>,
  by: 1 | -1,
): Promise<void> {
  const counts = [1, 2, 3, 4, 5].map((value) => (value === rate ? by : 0)) as [number, number, number, number, number];
  await tx.run(sql`
    insert into map_rates (map_key, version, rate_1, rate_2, rate_3, rate_4, rate_5)
    values (${map_key}, ${version}, ${counts[0]}, ${counts[1]}, ${counts[2]}, ${counts[3]}, ${counts[4]})
    on conflict (map_key, version) do update set
      rate_1 = map_rates.rate_1 + excluded.rate_1, rate_2 = map_rates.rate_2 + excluded.rate_2,
      rate_3 = map_rates.rate_3 + excluded.rate_3, rate_4 = map_rates.rate_4 + excluded.rate_4,
      rate_5 = map_rates.rate_5 + excluded.rate_5`);
}

/** Deletes a vote and subtracts it, and the row of sums with the last vote. */
export async function deleteVote(tx: Queryable, vote: Omit<Vote, 'time' | 'server_key'>): Promise<void> {
  const { map_key, version, player_key } = vote;
  await tx.run(sql`
    delete from map_votes where map_key = ${map_key} and version = ${version} and player_key = ${player_key}`);
  await countVote(tx, vote, -1);
  await tx.run(sql`
    delete from map_rates where map_key = ${map_key} and version = ${version}
      and rate_1 = 0 and rate_2 = 0 and rate_3 = 0 and rate_4 = 0 and rate_5 = 0`);
}

/** A reference for `markStale`: the votes of a player for the maps of an aggregate (`jobs/map-ratings.ts`). */
export const votesReference = (aggregate: string, player: number): string => `vote ${player} ${aggregate}`;

export const MAP_RATING_EFFECTS: Effects<typeof MAP_RATING_EVENTS> = {
  'map.rated': {
    ...PLAIN_EFFECT,
    apply: applyRated,
    changes: NAMED_KINDS,
    aggregate: ({ map }) => mapAggregate(map),
    observes: ({ player }) => player,
    retract: {
      undo: ({ players }, { aggregate }, { player }) =>
        aggregate && votesReference(aggregate, players.find(player.uuid)!.key),
    },
  },
};
