import type { Clock } from '#platform/clock.ts';
import type { Db } from '#db/db.ts';
import { type Climber, climbers } from '#store/game/leaderboards/leaderboards.ts';
import { largestMatch } from '#store/game/match-lists.ts';
import { back, type BucketsAt } from '#store/game/time-buckets.ts';
import { ByteCache } from './byte-cache.ts';

const FRESH_MS = 60_000;
const DAY_MS = 86_400_000;

interface Found {
  /** The key of the match of the day. */
  match: number | undefined;
  climbers: readonly Climber[];
  time: number;
}

interface HighlightsDeps {
  db: Db;
  clock: Clock;
  bucketsAt: BucketsAt;
}

/** The match of the day and the climbers of the week, by keys: found once a minute, because that takes some milliseconds. */
export class Highlights {
  readonly #deps: HighlightsDeps;
  readonly #cache = new ByteCache<Found>(1, () => 1);

  constructor(deps: HighlightsDeps) {
    this.#deps = deps;
  }

  async read(): Promise<Found> {
    const cached = this.#cache.get('');
    const isFresh = cached !== undefined && Math.abs(this.#deps.clock.now() - cached.time) < FRESH_MS;
    return isFresh ? cached : await this.#cache.make('', () => this.#find());
  }

  async #find(): Promise<Found> {
    const { db, clock, bucketsAt } = this.#deps;
    const time = clock.now();
    const { week } = bucketsAt(time);
    return {
      match: await largestMatch(db, time - DAY_MS),
      climbers: await climbers(db, { bucket: week, mode: 'total', metric: 'win' }, back(week, 1)),
      time,
    };
  }
}
