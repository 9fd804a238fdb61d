import type { Queryable } from '#db/db.ts';
import { insertAll, list, type Sql, sql } from '#db/sql.ts';
import { lockProjection, type ProjectedPlayer } from '../projections.ts';
import { isInRivals } from './kill-pairs.ts';

/** The values of which a player's best in one match is kept. */
export const RECORDS = ['kill', 'score', 'time'] as const;
export type RecordName = (typeof RECORDS)[number];

export interface PlayerRecords extends Record<RecordName, number>, Record<`${RecordName}_match`, number | null> {
  /** The present streak: victories in a row; defeats as a negative number; 0 after a draw. */
  streak: number;
  win_streak: number;
  lose_streak: number;
}

/** What a match adds to the records of a player. */
export type PlayedOnce = Pick<ProjectedPlayer, 'match_key' | 'result' | 'score' | 'kill_count' | 'time_played'>;

export const noRecords = (): PlayerRecords => ({
  ...{ streak: 0, win_streak: 0, lose_streak: 0 },
  ...{ kill: 0, kill_match: null, score: 0, score_match: null, time: 0, time_match: null },
});

/**
 * Adds a match. Matches come in the order of their keys; of equal values the first remains.
 * @returns whether more has changed than the present streak
 */
export function addToRecords(records: PlayerRecords, match: PlayedOnce): boolean {
  const { streak, win_streak, lose_streak } = records;
  records.streak =
    match.result === 'win' ? Math.max(0, streak) + 1 : match.result === 'lose' ? Math.min(0, streak) - 1 : 0;
  records.win_streak = Math.max(records.win_streak, records.streak);
  records.lose_streak = Math.max(records.lose_streak, -records.streak);
  const values = { kill: match.kill_count, score: match.score, time: match.time_played };
  const better = RECORDS.filter((name) => values[name] > records[name]);
  for (const name of better) Object.assign(records, { [name]: values[name], [`${name}_match`]: match.match_key });
  return better.length > 0 || win_streak < records.win_streak || lose_streak < records.lose_streak;
}

const COLUMNS = Object.keys(noRecords()) as (keyof PlayerRecords)[];

export async function recordsOf(db: Queryable, players: readonly number[]): Promise<Map<number, PlayerRecords>> {
  if (players.length === 0) return new Map();
  const rows = await db.all<PlayerRecords & { player_key: number }>(
    sql`select * from player_records where player_key in (${list([...players])})`,
  );
  return new Map(rows.map(({ player_key, ...records }) => [player_key, records]));
}

type Records = ReadonlyMap<number, PlayerRecords>;

/** Writes rows, those of players whose present streak alone has changed without the other columns. */
export async function saveRecords(tx: Queryable, records: Records, streaks: Records = new Map()): Promise<void> {
  await tx.runAll([...upsert(records, COLUMNS), ...upsert(streaks, ['streak'])]);
}

function upsert(records: Records, columns: readonly (keyof PlayerRecords)[]): Sql[] {
  const rows = [...records].sort(([a], [b]) => a - b);
  return insertAll(
    `insert into player_records (player_key, ${columns.join(', ')}) values`,
    rows.map(([player, all]) => [player, ...columns.map((column) => all[column])]),
    `on conflict (player_key) do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  );
}

const MATCHES_PER_READ = 500;

/**
 * Derives the records of a player from all matches up to the position of the projection. Matches are read in pages, because a
 * player may have a hundred thousand of them; calling `read` again reads those that were counted since.
 */
export class DerivedRecords {
  readonly #player: number;
  readonly #records = noRecords();
  #last = 0;

  constructor(player: number) {
    this.#player = player;
  }

  /**
   * @param turn awaited between pages
   * @param limit the maximum of matches that are read
   * @returns the number of read matches; the limit if there may be more
   */
  async read(
    db: Queryable,
    { turn = async () => {}, limit = Infinity }: { turn?: () => Promise<unknown>; limit?: number } = {},
  ): Promise<number> {
    for (let done = 0; ;) {
      const count = Math.min(MATCHES_PER_READ, limit - done);
      const matches = await db.all<PlayedOnce>(sql`
        select p.match_key, p.result, p.score, p.kill_count, p.time_played
        from player_matches p
        where (p.player_key, p.match_key) > (${this.#player}, ${this.#last}) and p.player_key <= ${this.#player}
          and ${isInRivals(sql`p.match_key`)}
        order by p.player_key, p.match_key limit ${count}`);
      for (const match of matches) addToRecords(this.#records, match);
      this.#last = matches.at(-1)?.match_key ?? this.#last;
      done += matches.length;
      if (matches.length < count || done === limit) return done;
      await turn();
    }
  }

  /** Replaces the row of the player; without a match there is none. */
  async write(tx: Queryable): Promise<void> {
    if (this.#last > 0) await saveRecords(tx, new Map([[this.#player, this.#records]]));
    else await tx.run(sql`delete from player_records where player_key = ${this.#player}`);
  }
}

/** Matches that one transaction reads to derive the records of players again: some ten milliseconds. */
const MATCHES_PER_TRANSACTION = 2_000;

/** Derives the records of players again. @returns the players with too many matches for the transaction */
export async function deriveRecords(tx: Queryable, players: readonly number[]): Promise<number[]> {
  await lockProjection(tx, 'rivals');
  let left = MATCHES_PER_TRANSACTION;
  for (const [place, player] of players.entries()) {
    const derived = new DerivedRecords(player);
    left -= await derived.read(tx, { limit: left });
    if (left === 0) return players.slice(place);
    await derived.write(tx);
  }
  return [];
}
