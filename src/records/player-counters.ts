import { type Queryable, safeNumber } from '#db/db.ts';
import { code, join, type Sql, sql, withRows } from '#db/sql.ts';
import {
  additions,
  type Added,
  columnsOf,
  type Counts,
  type Group,
  GROUP_NAMES,
  groupOf,
  GROUPS,
  type Stats,
  type Sums,
  sumsOf,
} from './player-stats.ts';

/**
 * The counters of players where matches wait to be counted: while much is told, SQLite gets what many matches add to a
 * player in one statement, see `PlayerBook.takePressing`. A player's row of `player_stats` then lags behind, whole matches
 * of the player's, the newest. They stand in `waiting_matches`, lie behind `sequence.counted` and behind the row's own
 * `last_match`, and their rows say what they add. There are a thousand at most, see `PlayerBook.hasRoom`; whoever locks the
 * keys to do anything else counts them first.
 */

/**
 * The columns of `waiting_matches` for those who played: a player's bit in each is a remainder by the number of bits, which a
 * number holds exactly. Of those who are not among twenty players, one in thirty shares all three bits with them.
 */
export function sieveOf(playerKeys: Iterable<number>): [a: number, b: number, c: number] {
  const [low, high] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (const key of playerKeys) {
    const rest = ((key % PRIME) * SPREAD) % PRIME;
    for (let column = 0; column < 3; column++) {
      const bit = rest % BITS[column]!;
      if (bit < HALF) low[column]! |= 1 << bit;
      else high[column]! |= 1 << (bit - HALF);
    }
  }
  const whole = (column: number): number => high[column]! * 2 ** HALF + low[column]!;
  return [whole(0), whole(1), whole(2)];
}

const PRIME = 2_147_483_629;
/** Keys that follow each other at equal distances would share their bits. */
const SPREAD = 48_271;
const BITS = [52, 51, 49] as const;
const HALF = 26;

/** A player's key and its bits in the three columns. */
interface Sought {
  key: Sql;
  bits: readonly Sql[];
}

const seek = (playerKey: number): Sought => ({
  key: sql`${playerKey}`,
  bits: sieveOf([playerKey]).map((bit) => sql`${bit}`),
});

/** Of a row of `namesakes`. */
const OF_ROW: Sought = { key: sql`p.key`, bits: [sql`p.bit_a`, sql`p.bit_b`, sql`p.bit_c`] };
const SPREAD_KEY = sql`key % ${PRIME} * ${SPREAD} % ${PRIME}`;

/** The players who bear a name now, as a statement; `nameSeen` finds them by bits that are worked out once for each. */
export function namesakes({ remote }: Pick<Queryable, 'remote'>, nameKey: string): Sql {
  if (remote) return sql`select * from players where name_key = ${nameKey}`;
  return sql`
    select *, 1 << (${SPREAD_KEY} % ${BITS[0]}) as bit_a, 1 << (${SPREAD_KEY} % ${BITS[1]}) as bit_b,
      1 << (${SPREAD_KEY} % ${BITS[2]}) as bit_c
    from players where name_key = ${nameKey}`;
}

/** What follows `from`: the matches of a player that wait, and the player's rows of them. On PostgreSQL none ever waits. */
const waitingOf = ({ key, bits: [a, b, c] }: Sought): Sql => sql`
  waiting_matches w cross join player_matches r cross join matches m
  where w.a & (${a!}) and w.b & (${b!}) and w.c & (${c!})
    and r.match_key = w.match_key and r.player_key = ${key} and m.key = w.match_key`;

/** Where a player's history begins, as `match_key`. */
export function newestOf({ remote }: Pick<Queryable, 'remote'>, playerKey: number): Sql {
  if (remote) return sql`select last_match as match_key from player_stats where player_key = ${playerKey}`;
  return sql`
    select coalesce((
      select w.match_key from ${waitingOf(seek(playerKey))} and w.match_key > coalesce(s.last_match, 0)
      order by w.match_key desc limit 1), s.last_match) as match_key
    from player_stats s where s.player_key = ${playerKey}`;
}

/**
 * When the present name was last seen, of a row `p` of players and its row `s` of counters. Matches that wait have seen no
 * other name.
 * @param playerKey where only one player is looked at; else `p` is one of `namesakes`
 */
export function nameSeen({ remote }: Pick<Queryable, 'remote'>, playerKey?: number): Sql {
  if (remote) return sql`s.name_seen`;
  const waiting = waitingOf(playerKey === undefined ? OF_ROW : seek(playerKey));
  return sql`max(s.name_seen, coalesce((select max(m.finished) from ${waiting}), 0))`;
}

/** How a match went for a player, as its row tells it. */
interface Went {
  gamemode: string;
  result: string;
  score: number;
  kill_count: number;
  death_count: number;
  time_played: number;
  rest: string | null;
}

const WENT = ['gamemode', 'result', 'score', 'kill_count', 'death_count', 'time_played', 'rest'] as const;
const WENT_COLUMNS = join(WENT.map(code));

/** What the columns of a match's row tell by themselves. */
const TOLD = new Set(['kill', 'death', 'win', 'lose', 'play', 'time', 'score']);

const REST = Object.fromEntries(
  GROUP_NAMES.map((group) => [group, GROUPS[group].flatMap((counter, place) => (TOLD.has(counter) ? [] : [place]))]),
) as Record<Group, number[]>;

/** What a match's row keeps of the sums beside its columns, see migration 026. */
export function restOf(group: Group, sums: Sums): string | null {
  const rest = REST[group];
  for (const place of rest) if (sums[place] !== 0) return JSON.stringify(rest.map((one) => sums[one]));
  return null;
}

/** What the row of a match says that it added. */
function addedBy({ gamemode, result, score, kill_count, death_count, time_played, rest }: Went): Added {
  const group = groupOf(gamemode);
  const counts: Counts = {
    kill: kill_count,
    death: death_count,
    win: result === 'win' ? 1 : 0,
    lose: result === 'lose' ? 1 : 0,
    play: 1,
    time: time_played,
    score,
  };
  const others = rest === null ? [] : (JSON.parse(rest) as number[]);
  for (const [at, place] of REST[group].entries()) counts[GROUPS[group][place]!] = others[at] ?? 0;
  return { group, sums: sumsOf(group, counts) };
}

export async function statsOf(db: Queryable, playerKey: number): Promise<Stats> {
  const row = (await db.tuple(statsRow(db, playerKey))) ?? [];
  const stats = {} as Stats;
  let place = 0;
  for (const group of GROUP_NAMES) {
    const counts: Record<string, number> = (stats[group] = {});
    for (const counter of GROUPS[group]) counts[counter] = (row[place++] as number | undefined) ?? 0;
  }
  const waiting = JSON.parse((row[place] as string | undefined) ?? '[]') as unknown[][];
  for (const went of waiting) addTo(stats, wentOf(went));
  return stats;
}

const STATS = join(GROUP_NAMES.flatMap(columnsOf).map(code));

/** The counters, and, where matches may wait, those that do as JSON. */
function statsRow({ remote }: Pick<Queryable, 'remote'>, playerKey: number): Sql {
  if (remote) return sql`select ${STATS} from player_stats where player_key = ${playerKey}`;
  return sql`
    select ${STATS}, (
      select json_group_array(json_array(${WENT_COLUMNS})) from ${waitingOf(seek(playerKey))}
        and w.match_key > coalesce(s.last_match, 0))
    from player_stats s where s.player_key = ${playerKey}`;
}

const wentOf = (row: readonly unknown[]): Went =>
  Object.fromEntries(WENT.map((column, place) => [column, row[place]])) as unknown as Went;

function addTo(stats: Stats, went: Went): void {
  const { group, sums } = addedBy(went);
  GROUPS[group].forEach((counter, place) => (stats[group][counter] = sumOf(stats[group][counter]!, sums[place]!)));
}

/** What is told as the largest number that is exact is that or more, see `safeNumber`: it stays. */
const sumOf = (told: number, added: number): number =>
  Math.abs(told) === Number.MAX_SAFE_INTEGER ? told : safeNumber(told + added);

/** Matches of which the rows are in memory at a time. */
const AT_ONCE = 100;

interface WaitingRow extends Went {
  key: number;
  finished: number;
  player: number;
  name_seen: number;
}

interface Waiting {
  seen: number;
  last: number;
  sums: Map<Group, Sums>;
}

const WAITING_MATCHES = 'insert into waiting_matches (match_key, a, b, c) values';

/** Says of matches that they wait to be counted. @param rows their keys, with `sieveOf` each */
export async function addWaiting(tx: Queryable, rows: readonly number[]): Promise<void> {
  await tx.runAll(withRows(WAITING_MATCHES, 4, rows));
}

/** Says that no match waits any more. */
export async function clearWaiting(tx: Queryable): Promise<void> {
  await tx.run(sql`delete from waiting_matches`);
}

/** Counts the matches that wait behind a key, for whoever has locked the keys and does not hold in memory what they add. */
export async function countWaiting(tx: Queryable, counted: number): Promise<void> {
  const players = new Map<number, Waiting>();
  for (let [from, more] = [counted, true]; more;) {
    const matches = await tx.tuples(sql`select key from matches where key > ${from} order by key limit ${AT_ONCE}`);
    more = matches.length === AT_ONCE;
    if (matches.length === 0) break;
    const to = matches.at(-1)![0] as number;
    for (const row of await waitingBetween(tx, from, to)) note(players, row);
    from = to;
  }
  await tx.runAll(GROUP_NAMES.flatMap((group) => additions(group, rowsOf(players, group))));
  await clearWaiting(tx);
}

async function waitingBetween(tx: Queryable, from: number, to: number): Promise<WaitingRow[]> {
  return await tx.all<WaitingRow>(sql`
    select m.key, m.finished, r.player_key as player, s.name_seen, ${WENT_COLUMNS}
    from matches m join player_matches r on r.match_key = m.key
    join player_stats s on s.player_key = r.player_key
    where m.key > ${from} and m.key <= ${to} and m.key > coalesce(s.last_match, 0)
    order by m.key, r.player_key`);
}

function note(players: Map<number, Waiting>, row: WaitingRow): void {
  let known = players.get(row.player);
  if (known === undefined) players.set(row.player, (known = { seen: row.name_seen, last: row.key, sums: new Map() }));
  known.last = row.key;
  known.seen = Math.max(known.seen, row.finished);
  const { group, sums } = addedBy(row);
  const before = known.sums.get(group);
  known.sums.set(group, before === undefined ? sums : sums.map((sum, place) => sum + before[place]!));
}

const rowsOf = (players: Map<number, Waiting>, group: Group): number[][] =>
  [...players]
    .sort(([a], [b]) => a - b)
    .flatMap(([player, { seen, last, sums }]) => {
      const added = sums.get(group);
      return added === undefined ? [] : [[...added, seen, last, player]];
    });
