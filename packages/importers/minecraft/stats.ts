import { ImportRefusal } from '../finding.ts';
import { entryOf, type Entry } from './entries.ts';

/** The counters of a player on one server. */
export interface Counters {
  kill_count: number;
  death_count: number;
  /** Seconds. */
  time_played: number;
}

const TICKS_PER_SECOND = 20;

/** The names of the counters: nested under `stats` since Minecraft 1.13, flat before; 1.17 renamed the play time. */
const NESTED = {
  kills: ['minecraft:player_kills'],
  deaths: ['minecraft:deaths'],
  ticks: ['minecraft:play_time', 'minecraft:play_one_minute'],
};
const FLAT = { kills: ['stat.playerKills'], deaths: ['stat.deaths'], ticks: ['stat.playOneMinute'] };

/** Reads a file of `stats/`. Both formats count play time in ticks. @throws ImportRefusal */
export function readStats(value: unknown): Counters {
  const root = entryOf(value);
  const nested = root['stats'] !== undefined;
  const stats = nested ? entryOf(root['stats']) : root;
  const custom = nested ? entryOf(stats['minecraft:custom'] ?? {}) : stats;
  const names = nested ? NESTED : FLAT;
  return {
    kill_count: countIn(custom, names.kills),
    death_count: countIn(custom, names.deaths),
    time_played: Math.floor(countIn(custom, names.ticks) / TICKS_PER_SECOND),
  };
}

function countIn(stats: Entry, names: string[]): number {
  const name = names.find((name) => stats[name] !== undefined);
  if (name === undefined) return 0;
  const count = stats[name];
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count;
  throw new ImportRefusal('is not a whole number of 0 or more', name);
}
