import type { Queryable } from '#db/db.ts';
import { identifier, sql } from '#db/sql.ts';
import { asPrivate, HIDDEN, privateInMatches } from './hidden-in-matches.ts';
import { factsOf } from './matches.ts';
import { shownName } from './merged-players.ts';
import type { Named } from './players.ts';
import type { Audience } from './private-players.ts';

/** Where a victim died. */
export interface KillLocation {
  world: string;
  x: number;
  y: number;
  z: number;
}

/** A kill, or a death without a killer. Names are those at the time, but for merged players: see `merged-players.ts`. */
export interface Death {
  killer: Named | null;
  victim: Named;
  match: number;
  /** The place among the kills of the match. */
  number: number;
  map: string;
  location: KillLocation | null;
  time: number;
}

export type Kill = Death & { killer: Named };

/** A kill as the page of its match needs it. */
export interface MatchKill {
  /** UUIDs. */
  killer: string;
  victim: string;
  time: number;
}

/** The kills of a match in the order of their times, without deaths that have no killer. */
export async function killsOfMatch(db: Queryable, match: number): Promise<MatchKill[]> {
  const rows = await db.tuples(sql`
    select p.uuid, v.uuid, k.time
    from kills k join players p on p.key = k.killer_key join players v on v.key = k.victim_key
    where k.match_key = ${match} order by k.number`);
  const found = rows as [string, string, number][];
  const others = await privateInMatches(db, [...new Set(found.flatMap(([killer, victim]) => [killer, victim]))]);
  const shown = (uuid: string): string => others.get(uuid)?.uuid ?? uuid;
  const kills = found.map(([killer, victim, time]) => ({ killer: shown(killer), victim: shown(victim), time }));
  return kills.sort((a, b) => a.time - b.time);
}

/** Bounds a page to the kills before it: of older matches, or with smaller numbers in the same match. */
export type KillPosition = Pick<Death, 'match' | 'number'>;

const NEWEST: KillPosition = { match: Number.MAX_SAFE_INTEGER, number: 0 };

/** Which kills of a player are read, and for whom: insiders see players whom matches do not show. */
interface KillPage {
  before: KillPosition | undefined;
  limit: number;
  audience: Audience;
}

/** A player's newest kills, or those before a position, by match and by their number within it. */
export const killsBelow = (db: Queryable, playerKey: number, page: KillPage): Promise<Kill[]> =>
  read(db, 'killer_key', playerKey, page) as Promise<Kill[]>;

/** A player's deaths in the same way. */
export const deathsBelow = (db: Queryable, playerKey: number, page: KillPage): Promise<Death[]> =>
  read(db, 'victim_key', playerKey, page);

interface KillRow extends Pick<Death, 'match' | 'number' | 'time'> {
  killer_uuid: string | null;
  killer_name: string;
  victim_uuid: string;
  victim_name: string;
  head: string;
  location: string | null;
}

/**
 * Reads a page by the index of the role. The condition compares the columns of the index as one row value, because
 * otherwise PostgreSQL may scan the primary key, with the kills of all other players.
 */
async function read(
  db: Queryable,
  role: 'killer_key' | 'victim_key',
  playerKey: number,
  { before: { match, number } = NEWEST, limit, audience }: KillPage,
): Promise<Death[]> {
  const column = sql`k.${identifier(role)}`;
  const killer = shownName(sql`k.match_key`, sql`k.killer_key`, sql`p.name`, sql`k.killer_name`);
  const victim = shownName(sql`k.match_key`, sql`k.victim_key`, sql`v.name`, sql`k.victim_name`);
  const rows = await db.all<KillRow>(sql`
    select p.uuid as killer_uuid, ${killer} as killer_name, v.uuid as victim_uuid, ${victim} as victim_name,
      k.match_key as "match", k.number, m.head, k.location, k.time
    from kills k join matches m on m.key = k.match_key join players v on v.key = k.victim_key
      left join players p on p.key = k.killer_key
    where (${column}, k.match_key, k.number) < (${playerKey}, ${match}, ${number}) and ${column} >= ${playerKey}
    order by ${column} desc, k.match_key desc, k.number desc limit ${limit}`);
  const kills = rows.map(toDeath);
  return audience === 'public' ? await withPrivate(db, kills, role === 'killer_key' ? 'victim' : 'killer') : kills;
}

/** The kills of a hidden player are not public: only the player gets them, with the own name. */
async function withPrivate(db: Queryable, kills: Death[], other: 'killer' | 'victim'): Promise<Death[]> {
  const uuids = kills.flatMap(({ killer, victim }) => [killer?.uuid ?? [], victim.uuid].flat());
  const others = await privateInMatches(db, [...new Set(uuids)]);
  if (others.size === 0) return kills;
  const shown = (kill: Death, role: 'killer' | 'victim'): Named | null => {
    const player = kill[role] && asPrivate(kill[role], others);
    return role !== other && player?.uuid === HIDDEN.uuid ? kill[role] : player;
  };
  return kills.map((kill) => ({ ...kill, killer: shown(kill, 'killer'), victim: shown(kill, 'victim')! }));
}

function toDeath({ killer_uuid, killer_name, victim_uuid, victim_name, head, location, ...row }: KillRow): Death {
  return {
    ...row,
    killer: killer_uuid === null ? null : { uuid: killer_uuid, name: killer_name },
    victim: { uuid: victim_uuid, name: victim_name },
    map: factsOf(head).map,
    location: location === null ? null : (JSON.parse(location) as KillLocation),
  };
}
