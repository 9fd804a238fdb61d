import { type Queryable, safeNumber } from '#db/db.ts';
import { code, join, type Sql, sql } from '#db/sql.ts';
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
 * of the player's, the newest. They lie behind `sequence.counted` and behind the row's own `last_match`, and their rows
 * say what they add. There are a few hundred at most; whoever locks the keys to do anything else counts them first.
 */

/**
 * What follows `from` up to a player's key: the matches of the player that wait, and rows of them. Behind null, which says
 * that none does, is nothing. On PostgreSQL none ever waits.
 */
const WAITING = sql`
  matches m cross join player_matches r
  where m.key > (select counted from sequence where name = 'key') and r.match_key = m.key and r.player_key =`;

/** Where a player's history begins, as `match_key`. */
export function newestOf({ remote }: Pick<Queryable, 'remote'>, playerKey: number): Sql {
  if (remote) return sql`select last_match as match_key from player_stats where player_key = ${playerKey}`;
  return sql`
    select coalesce((select m.key from ${WAITING} ${playerKey} order by m.key desc limit 1), last_match) as match_key
    from player_stats where player_key = ${playerKey}`;
}

/**
 * When the present name was last seen, of a row `p` of players and its row `s` of counters. Matches that wait have seen no
 * other name.
 */
export const nameSeen = ({ remote }: Pick<Queryable, 'remote'>): Sql =>
  remote ? NAME_SEEN.counted : NAME_SEEN.waiting;

const NAME_SEEN = {
  counted: sql`s.name_seen`,
  waiting: sql`max(s.name_seen, coalesce((select max(m.finished) from ${WAITING} p.key), 0))`,
};

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
  const rows = await db.tuples(db.remote ? statsRow(playerKey) : statsRows(playerKey));
  const stats = {} as Stats;
  let place = 0;
  for (const group of GROUP_NAMES) {
    const counts: Record<string, number> = (stats[group] = {});
    for (const counter of GROUPS[group]) counts[counter] = (rows[0]?.[place++] as number | undefined) ?? 0;
  }
  for (const row of rows) if (typeof row[place] === 'string') addTo(stats, wentOf(row.slice(place)));
  return stats;
}

const STATS = join(GROUP_NAMES.flatMap(columnsOf).map(code));

const statsRow = (playerKey: number): Sql => sql`select ${STATS} from player_stats where player_key = ${playerKey}`;

/** Once for each match that waits, else once. */
const statsRows = (playerKey: number): Sql => sql`
  select ${STATS}, ${WENT_COLUMNS} from player_stats s
  left join (select m.key, ${WENT_COLUMNS} from ${WAITING} ${playerKey}) added on added.key > coalesce(s.last_match, 0)
  where s.player_key = ${playerKey}`;

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
