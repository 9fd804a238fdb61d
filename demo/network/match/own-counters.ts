import { GAMEMODES, GROUPS } from '#store/game/statistics-groups.ts';
import type { Random } from '../random.ts';
import type { Fixture } from '../schedule.ts';
import type { Goal } from './objectives.ts';
import type { Course } from './scores.ts';
import type { Fighter } from './teams.ts';

/** The network's own counters in the events of matches; `publishing.ts` declares them. */
export const OWN_COUNTERS = ['assists', 'best_streak', 'wools', 'cores', 'monuments', 'flags', 'damage_dealt'];

const COUNTER_OF_GOAL: Partial<Record<Goal['type'], string>> = {
  wool: 'wools',
  core: 'cores',
  destroyable: 'monuments',
  flag: 'flags',
};

/** The own counters of a fighter; undefined in modes that PGM does not have. */
export function ownCountersOf(
  random: Random,
  { gamemode }: Fixture,
  course: Course,
  fighter: Fighter,
): Record<string, number> | undefined {
  if (!GROUPS[GAMEMODES[gamemode].group].pgm) return undefined;
  const kills = course.kills.filter(({ killer }) => killer === fighter).length;
  const counters: Record<string, number> = {
    assists: random.count(kills * 0.4),
    best_streak: longestStreak(course, fighter),
    damage_dealt: Math.round(kills * random.between(22, 34)) + random.count(12),
  };
  for (const goal of course.goals) {
    const key = COUNTER_OF_GOAL[goal.type];
    if (goal.fighter === fighter && key !== undefined) counters[key] = (counters[key] ?? 0) + 1;
  }
  const counted = Object.entries(counters).filter(([, value]) => value > 0);
  return counted.length === 0 ? undefined : Object.fromEntries(counted);
}

/** Maximum kills between two deaths. */
function longestStreak({ kills }: Course, fighter: Fighter): number {
  let [best, streak] = [0, 0];
  for (const { killer, victim } of kills) {
    if (killer === fighter) best = Math.max(best, ++streak);
    if (victim === fighter) streak = 0;
  }
  return best;
}
