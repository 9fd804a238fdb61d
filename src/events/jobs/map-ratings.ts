import { getValue, type Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import { nameKey } from '#text/text.ts';
import { markStale } from '#store/jobs.ts';
import { countVote, deleteVote, type Vote, writeVote } from '../handlers/map-ratings.ts';
import { MAPS } from '../handlers/maps.ts';
import { parseStoredEvents, LEDGER, type LedgerRow, parseLedgerRow } from '../ledger/ledger-rows.ts';
import { rebuild } from './rebuild.ts';
import { withdrawEvents } from './retract.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';
import { ROWS_PER_CHUNK } from '../ledger/chunk.ts';

/**
 * Derives the ratings of a map in chunks, because a map may have very many. After a withdrawn rating only the votes of its
 * player are derived, from the player's other ratings. After a withdrawn version the map is rebuilt, which would delete and
 * replay all ratings in one transaction: so the votes are deleted first, and derived after the rebuild.
 */

/** Maximum votes in one transaction; each reads the ratings of a player. */
const VOTES_PER_CHUNK = 16;

/** A reference for `markStale`: the ratings of an aggregate after a key. */
const ratingsAfter = (aggregate: string, key: number): string => `ratings ${key} ${aggregate}`;

/**
 * Derives the ratings that a reference names.
 * @returns the number of events that were withdrawn because their map is gone; undefined for another reference
 */
export async function deriveRatings(work: UnitOfWork, ref: string): Promise<number | undefined> {
  const [, kind, key, aggregate = ''] = /^(vote|ratings) (\d+) (map .*)$/s.exec(ref) ?? [];
  if (kind === 'ratings') return await deriveNextRatings(work, aggregate, Number(key));
  if (kind === undefined) return (await hasManyRatings(work.tx, ref)) ? await rebuildMap(work, ref) : undefined;
  await deriveVotes(work, aggregate, Number(key));
  // `!` follows the space in the order of the references.
  const others = await work.tx.tuples(sql`
    select ref from rederivations where kind = 'aggregate' and ref >= 'vote ' and ref < 'vote!' limit ${VOTES_PER_CHUNK}`);
  for (const [other] of others as [string][]) {
    const [, player, map = ''] = /^vote (\d+) (map .*)$/s.exec(other)!;
    await deriveVotes(work, map, Number(player));
    await work.tx.run(sql`delete from rederivations where kind = 'aggregate' and ref = ${other}`);
  }
  return 0;
}

async function hasManyRatings(tx: Queryable, aggregate: string): Promise<boolean> {
  if (!aggregate.startsWith(`${MAPS.prefix} `)) return false;
  const rows = await tx.tuples(sql`
    select 1 from ledger where aggregate = ${aggregate} and type = 'map.rated' and withdrawn is null
    limit ${ROWS_PER_CHUNK + 1}`);
  return rows.length > ROWS_PER_CHUNK;
}

const publishedIn = (aggregate: string): Sql => sql`
  ${LEDGER} where l.aggregate = ${aggregate} and l.type = 'map.published' and l.withdrawn is null order by l.key`;

/** Deletes the next votes of a map, or rebuilds the map if none is left. */
async function rebuildMap(work: UnitOfWork, aggregate: string): Promise<number> {
  const { tx } = work;
  const votes = await tx.all<Vote>(sql`
    select v.* from maps m join map_votes v on v.map_key = m.key
    where m.name_key = ${mapNameKey(aggregate)} limit ${ROWS_PER_CHUNK}`);
  for (const vote of votes) await deleteVote(tx, vote);
  if (votes.length > 0) {
    await markStale(tx, 'aggregate', [aggregate]);
    return 0;
  }
  const published = await tx.all<LedgerRow>(publishedIn(aggregate));
  const cascaded = await rebuild(work, aggregate, published);
  await withdrawEvents(work, await parseStoredEvents(tx, cascaded));
  await markStale(tx, 'aggregate', [ratingsAfter(aggregate, 0)]);
  return cascaded.length;
}

/** Derives the votes of the players of the next ratings, and withdraws ratings of maps that are no longer published. */
async function deriveNextRatings(work: UnitOfWork, aggregate: string, after: number): Promise<number> {
  const { tx, players } = work;
  const rows = await tx.all<LedgerRow>(sql`
    ${LEDGER} where l.aggregate = ${aggregate} and l.key > ${after} and l.type = 'map.rated' and l.withdrawn is null
    order by l.key limit ${VOTES_PER_CHUNK}`);
  const published = await Publications.read(tx, aggregate);
  const events = await parseStoredEvents<'map.rated'>(tx, rows);
  const lost: typeof events = [];
  const keys = new Set<number>();
  await work.load(events.map(({ event }) => event.data.player.uuid));
  for (const one of events) {
    if (published.findMap(one.event.data.map, one.row.key) === undefined) lost.push(one);
    else keys.add(players.find(one.event.data.player.uuid)!.key);
  }
  await withdrawEvents(work, lost);
  for (const key of keys) await deriveVotes(work, aggregate, key, published);
  if (rows.length === VOTES_PER_CHUNK) await markStale(tx, 'aggregate', [ratingsAfter(aggregate, rows.at(-1)!.key)]);
  return lost.length;
}

/** Compares the votes of a player with the player's ratings in the ledger, and writes the differences. */
async function deriveVotes(work: UnitOfWork, aggregate: string, key: number, published?: Publications): Promise<void> {
  const { tx } = work;
  const player = await presentKey(tx, key);
  if (player === undefined) return;
  const wanted = await votesIn(work, aggregate, player, published ?? (await Publications.read(tx, aggregate)));
  const votes = await tx.all<Vote>(sql`
    select v.* from map_votes v join maps m on m.key = v.map_key
    where v.player_key = ${player} and m.name_key = ${mapNameKey(aggregate)}`);
  for (const vote of votes) {
    const name = ratedVersion(vote);
    if (isSame(wanted.get(name), vote)) wanted.delete(name);
    else await deleteVote(tx, vote);
  }
  for (const vote of wanted.values()) {
    await writeVote(tx, vote);
    await countVote(tx, vote, 1);
  }
}

const ratedVersion = ({ map_key, version }: Vote): string => `${map_key} ${version}`;

const isSame = (one: Vote | undefined, other: Vote): boolean =>
  one !== undefined && one.rate === other.rate && one.time === other.time && one.server_key === other.server_key;

/** The newest rating of each version by a player; of two with the same time, the later in the ledger. */
async function votesIn(
  work: UnitOfWork,
  aggregate: string,
  player: number,
  published: Publications,
): Promise<Map<string, Vote>> {
  // A merge in progress has moved some observations to the surviving player, but not yet the votes.
  const rows = await work.tx.all<LedgerRow>(sql`
    ${LEDGER} where l.aggregate = ${aggregate} and l.type = 'map.rated' and l.withdrawn is null and l.key in (
      select ledger_key from name_observations where player_key in (${player}, coalesce((
        select s.key from players p join player_aliases a on a.uuid = p.uuid join players s on s.uuid = a.into_uuid
        where p.key = ${player}), 0)))
    order by l.key`);
  const events = await parseStoredEvents<'map.rated'>(work.tx, rows);
  await work.load(events.map(({ event }) => event.data.player.uuid));
  const votes = new Map<string, Vote>();
  for (const { row, event } of events) {
    if (work.players.find(event.data.player.uuid)?.key !== player) continue;
    const map = published.findMap(event.data.map, row.key);
    if (map === undefined) continue;
    const { rate, version = map.version } = event.data;
    const { time, scope_key: server_key } = row;
    const vote = { map_key: map.key, version, player_key: player, rate, time, server_key };
    if (time >= (votes.get(ratedVersion(vote))?.time ?? -Infinity)) votes.set(ratedVersion(vote), vote);
  }
  return votes;
}

/** The key of a player; for a merged one, of the surviving player. */
const presentKey = (tx: Queryable, key: number): Promise<number | undefined> =>
  getValue(
    tx,
    sql`
    select key from players where key = ${key} or uuid in (select into_uuid from player_aliases where key = ${key})
    order by case when key = ${key} then 0 else 1 end limit 1`,
  );

interface Published {
  /** Of the first event that published the map. */
  key: number;
  name: string;
  version: string;
  time: number;
}

/** The published versions of maps whose names differ in case only, by the event that published them. */
class Publications {
  /** In the order of the ledger; `map` is the key of the map. */
  readonly #events: readonly (Published & { map: number })[];

  private constructor(events: readonly (Published & { map: number })[]) {
    this.#events = events;
  }

  static async read(tx: Queryable, aggregate: string): Promise<Publications> {
    const rows = await tx.all<LedgerRow>(publishedIn(aggregate));
    const first = new Map<string, number>();
    const events = rows.map((row) => {
      const { name, version } = parseLedgerRow<'map.published'>(row).data;
      if (!first.has(name)) first.set(name, row.key);
      return { key: row.key, name, version, time: row.time, map: first.get(name)! };
    });
    return new Publications(events);
  }

  /** The map of that name, with its version, when an event was ingested; undefined if none was published. */
  findMap(name: string, event: number): { key: number; version: string } | undefined {
    const maps = new Map<string, Published>();
    for (const one of this.#events) {
      if (one.key > event) break;
      const known = maps.get(one.name);
      if (known === undefined || one.time > known.time) maps.set(one.name, { ...one, key: one.map });
    }
    const [newest] = [...maps.values()].sort((a, b) => b.key - a.key);
    return maps.get(name) ?? newest;
  }
}

const mapNameKey = (aggregate: string): string => nameKey(aggregate.slice(`${MAPS.prefix} `.length));
