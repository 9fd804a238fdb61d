import type { Random } from '../random.ts';
import type { Fixture } from '../schedule.ts';
import type { Course } from './scores.ts';
import { type Fighter, secondsOf } from './teams.ts';

export interface Counters {
  uuid: string;
  name: string;
  score: number;
  kill_count: number;
  death_count: number;
  shot_count?: number;
  hit_count?: number;
  paint_count?: number;
  time_played: number;
}

/** The counters of a fighter in the event of a match. */
export function countersOf(random: Random, fixture: Fixture, course: Course, fighter: Fighter): Counters {
  const kills = course.kills.filter(({ killer }) => killer === fighter).length;
  const killed = course.kills.filter(({ victim }) => victim === fighter).length;
  return {
    uuid: fighter.player.uuid,
    name: fighter.name,
    score: course.scores.get(fighter) ?? 0,
    kill_count: kills,
    death_count: killed + falls(random, fixture, course, fighter),
    ...shooting(random, fixture, course, fighter, kills),
    time_played: secondsOf(fighter),
  };
}

/** Deaths without a killer. In modes of survival, everybody but the winners falls once. */
function falls(random: Random, fixture: Fixture, course: Course, fighter: Fighter): number {
  const { gamemode } = fixture;
  if (gamemode === 'bowspleef' || gamemode === 'tntrun')
    return [course.winner, ...course.equals].some((side) => side?.fighters[0] === fighter) ? 0 : 1;
  if (gamemode === 'blitz' || gamemode === 'paintball') return 0;
  return random.count((0.07 * secondsOf(fighter)) / 60);
}

function shooting(
  random: Random,
  { gamemode }: Fixture,
  course: Course,
  fighter: Fighter,
  kills: number,
): Partial<Counters> {
  if (gamemode !== 'paintball' && gamemode !== 'splatt') return {};
  const hits =
    gamemode === 'splatt'
      ? Math.round(kills * random.between(3, 4.5)) + random.count(4)
      : kills + random.count(kills * 0.15);
  const accuracy = Math.min(0.6, Math.max(0.06, 0.2 + 0.05 * fighter.player.skill + 0.04 * random.normal()));
  const shots = Math.ceil(hits / accuracy) + random.count(6);
  const painted = course.painted.get(fighter);
  return { shot_count: shots, hit_count: hits, ...(painted !== undefined && { paint_count: painted }) };
}
