import { BenchHistory, type ReportedMatch } from '#bench/generated-history.ts';
import { Random } from '#demo/network/random.ts';

/** Players and their matches for load tests, reproducible by a seed but for the ids of the matches. */
export interface Population {
  players: BenchHistory['players'];
  history: BenchHistory;
  random: Random;
}

export function createPopulation(size: number, seed = 1): Population {
  const history = new BenchHistory(`load ${seed}`, 0, size);
  return { players: history.players, history, random: new Random('load', seed) };
}

/** A finished match with `size` players that ended within the minute before `now`. */
export const matchOf = ({ history, random }: Population, size: number, now: number, id?: string): ReportedMatch =>
  history.reportedMatch(random, now - random.below(60_000), { size, ...(id !== undefined && { id }) });
