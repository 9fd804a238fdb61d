import { nameKey } from '#text/text.ts';
import { insertAll, sql, type Value } from '#db/sql.ts';
import {
  countPlayer,
  countResult,
  type IsRetained,
  type LeaderboardCounter,
  retainedAt,
} from '#store/game/leaderboards/leaderboard-changes.ts';
import { type LeaderboardCounts, type LeaderboardMode, METRICS } from '#store/game/leaderboards/leaderboards.ts';
import { PlaceCountChanges } from '#store/game/place-counts.ts';
import { type BucketsAt, bucketsIn, type Period, PERIODS } from '#store/game/time-buckets.ts';
import type { Bulk } from './bulk.ts';
import { type MatchEvent, resultOf } from '../generated-history.ts';

/** The time zone of the leaderboards' days: the default of the setting TIME_ZONE. */
const ZONE = 'UTC';

/** The counters of all players: the numbers of each player, in the order of the players. */
type Board = Float64Array;

const COUNTERS = ['play', 'win', 'kill', 'death', 'time'] as const satisfies readonly (keyof LeaderboardCounts)[];

/**
 * Counts the leaderboards of matches that arrive in order of time. Writes a period when it has ended, so that each row is
 * written once; the projection of the service would update every row many times.
 */
export class BulkLeaderboards implements LeaderboardCounter {
  readonly #bulk: Bulk;
  readonly #at: BucketsAt = bucketsIn(ZONE);
  readonly #isRetained: IsRetained;
  readonly #boards = new Map<number, Map<LeaderboardMode, Board>>();
  readonly #results = new Map<string, { place: [string, string]; play: number; win: number }>();
  readonly #players: readonly number[];
  readonly #places: ReadonlyMap<number, number>;
  #open: Partial<Record<Period, number>> = {};
  #last = { key: -1, place: 0 };

  /**
   * @param players the keys of all players
   * @param now epoch milliseconds; leaderboards past their retention at this time are left out
   */
  constructor(bulk: Bulk, players: readonly number[], now: number) {
    this.#bulk = bulk;
    this.#players = players;
    this.#places = new Map(players.map((key, place) => [key, place]));
    this.#isRetained = retainedAt(this.#at, now);
  }

  /** @param keyOf finds the key of a player of the match */
  async count({ data }: MatchEvent, keyOf: (uuid: string) => number): Promise<void> {
    const buckets = this.#at(data.finished);
    for (const period of PERIODS) await this.#enter(period, buckets[period]);
    const teams = data.teams.map(({ name }) => name);
    countResult(this, nameKey(data.map), data.win === '' ? [] : [data.win], teams);
    for (const team of data.teams) {
      const result = resultOf(data, team);
      for (const player of team.players) {
        countPlayer(this, data.gamemode, buckets, this.#isRetained, {
          ...player,
          player_key: keyOf(player.uuid),
          result,
        });
      }
    }
  }

  add(bucket: number, mode: LeaderboardMode, playerKey: number, counts: LeaderboardCounts): void {
    let modes = this.#boards.get(bucket);
    if (modes === undefined) this.#boards.set(bucket, (modes = new Map()));
    let board = modes.get(mode);
    if (board === undefined) modes.set(mode, (board = new Float64Array(this.#players.length * COUNTERS.length)));
    const place = this.#placeOf(playerKey) * COUNTERS.length;
    for (const [at, counter] of COUNTERS.entries()) board[place + at]! += counts[counter];
  }

  addResult(mapKey: string, team: string, won: boolean): void {
    const name = `${mapKey}\n${team}`;
    let result = this.#results.get(name);
    if (result === undefined) this.#results.set(name, (result = { place: [mapKey, team], play: 0, win: 0 }));
    result.play++;
    if (won) result.win++;
  }

  /** Writes the remaining rows, and the projection offset of the last match. */
  async finish(lastKey: number): Promise<void> {
    for (const bucket of this.#boards.keys()) await this.#write(bucket);
    const results = [...this.#results.values()].map(({ place, play, win }) => [...place, play, win]);
    await this.#bulk.insert(insertAll('insert into map_results (map_key, team, play, win) values', results));
    await this.#bulk.tx.run(sql`update projections set last = ${lastKey}, made_for = ${ZONE} where name = 'boards'`);
  }

  /** Writes the previous bucket of a period if a new one begins. */
  async #enter(period: Period, bucket: number): Promise<void> {
    const open = this.#open[period];
    if (open === bucket) return;
    this.#open[period] = bucket;
    if (open !== undefined) await this.#write(open);
  }

  async #write(bucket: number): Promise<void> {
    const rows: Value[][] = [];
    const places = new PlaceCountChanges();
    for (const [mode, board] of this.#boards.get(bucket) ?? []) {
      for (const [place, player] of this.#players.entries()) {
        const counts = board.subarray(place * COUNTERS.length, (place + 1) * COUNTERS.length);
        if (counts[0] === 0) continue;
        rows.push([bucket, mode, player, ...counts]);
        for (const counter of METRICS)
          places.move({ board: bucket, mode, counter }, 0, counts[COUNTERS.indexOf(counter)]!);
      }
    }
    this.#boards.delete(bucket);
    const head = `insert into boards (bucket, mode, player_key, ${COUNTERS.join(', ')}) values`;
    await this.#bulk.insert(insertAll(head, rows));
    await this.#bulk.tx.runAll(places.statements());
  }

  /** Remembers the last player, because a player is counted in many buckets in a row. */
  #placeOf(key: number): number {
    if (this.#last.key !== key) this.#last = { key, place: this.#places.get(key)! };
    return this.#last.place;
  }
}
