import type { WireEvent } from '#events/schema/index.ts';
import { countersOf } from './counters.ts';
import { type Kill, eliminate, fight } from './kills.ts';
import { GOALS, type Goal } from './objectives.ts';
import { modeOf } from './modes.ts';
import { ownCountersOf } from './own-counters.ts';
import { Random } from '../random.ts';
import type { Fixture } from '../schedule.ts';
import { type Course, paintOf, scoresOf } from './scores.ts';
import { type Fighter, type Naming, type Side, likelyWinner, sidesOf } from './teams.ts';

type MatchEvent = Extract<WireEvent, { type: 'match.finished' }>;

/** Simulates a match. The same seed and fixture give the same event. */
export function playMatch(seed: string, fixture: Fixture, naming: Naming): MatchEvent {
  const random = new Random(seed, 'match', fixture.id);
  const course = simulateCourse(random, fixture, sidesOf(random, fixture, naming));
  const own = new Random(seed, 'own counters', fixture.id);
  return {
    version: 1,
    id: `match-${fixture.id}`,
    type: 'match.finished',
    time: timestampOf(fixture.finished),
    server: fixture.server.name,
    data: {
      map: fixture.map.name,
      gamemode: fixture.gamemode,
      ranked: fixture.server.ranked,
      win: course.winner?.name ?? '',
      started: timestampOf(fixture.started),
      finished: timestampOf(fixture.finished),
      teams: course.sides.map((side) => ({
        name: side.name,
        players: side.fighters.map((fighter) => {
          const counters = ownCountersOf(own, fixture, course, fighter);
          return { ...countersOf(random, fixture, course, fighter), ...(counters && { counters }) };
        }),
      })),
      objectives: course.goals.map(wireGoal),
      ...(reportsKills(random, fixture, course.kills) && { kills: course.kills.map(wireKill) }),
    },
  };
}

export function timestampOf(time: number): string {
  return new Date(time).toISOString();
}

function simulateCourse(random: Random, fixture: Fixture, sides: Side[]): Course {
  const mode = modeOf(fixture.gamemode);
  const likely = random.chance(mode.draws) ? undefined : likelyWinner(random, sides, fixture);
  const kills =
    fixture.gamemode === 'blitz'
      ? eliminate(random, fixture, sides, likely!)
      : fight(random, fixture, sides, mode.kills);
  const goals = GOALS[fixture.gamemode]?.(random, fixture, sides, likely) ?? [];
  const painted = mode.decidedBy === 'paint' ? paintOf(random, sides) : new Map<Fighter, number>();
  const scores = scoresOf(random, fixture, { sides, kills, goals, painted, winner: likely });
  const counted = mode.decidedBy === 'kills' || mode.decidedBy === 'paint';
  return { sides, kills, goals, scores, painted, winner: counted ? leader(sides, scores) : likely };
}

/** The side with the highest score, or undefined in case of a tie. */
function leader(sides: readonly Side[], scores: ReadonlyMap<Fighter, number>): Side | undefined {
  const totals = sides.map((side) => side.fighters.reduce((sum, fighter) => sum + (scores.get(fighter) ?? 0), 0));
  const best = Math.max(...totals);
  return totals.indexOf(best) === totals.lastIndexOf(best) ? sides[totals.indexOf(best)] : undefined;
}

/** Whether the event lists each kill: always for ranked matches, sometimes for others, never above 160 kills. */
function reportsKills(random: Random, fixture: Fixture, kills: readonly Kill[]): boolean {
  return kills.length > 0 && kills.length <= 160 && (fixture.server.ranked || random.chance(0.08));
}

function wireKill({ killer, victim, time }: Kill): { killer: string; victim: string; time: string } {
  return { killer: killer.player.uuid, victim: victim.player.uuid, time: timestampOf(time) };
}

function wireGoal({
  side,
  fighter,
  type,
  name,
  color,
  time,
}: Goal): NonNullable<MatchEvent['data']['objectives']>[number] {
  const player = fighter === null ? null : { uuid: fighter.player.uuid, name: fighter.name };
  return { player, team: side.name, type, name, color, time: timestampOf(time) };
}
