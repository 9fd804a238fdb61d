import type { WireEvent } from '#events/schema/index.ts';
import { countersOf } from './counters.ts';
import { type Kill, eliminate, fight } from './kills.ts';
import { GOALS, type Goal } from './objectives.ts';
import { modeOf } from './modes.ts';
import { ownCountersOf } from './own-counters.ts';
import { deathsOf } from './places.ts';
import { Random } from '../random.ts';
import type { Fixture } from '../schedule.ts';
import { type Course, paintOf, scoresOf } from './scores.ts';
import { type Fighter, type Naming, type Side, likelyWinner, presentAt, sidesOf } from './teams.ts';

type MatchEvent = Extract<WireEvent, { type: 'match.finished' }>;
type Objectives = NonNullable<MatchEvent['data']['objectives']>;
type Kills = NonNullable<MatchEvent['data']['kills']>;

/** Simulates a match. The same seed and fixture give the same event. */
export function playMatch(seed: string, fixture: Fixture, naming: Naming): MatchEvent {
  const random = new Random(seed, 'match', fixture.id);
  const sides = sidesOf(random, fixture, naming);
  const equals = lastTogether(new Random(seed, 'equals', fixture.id), fixture, sides);
  const course = simulateCourse(random, fixture, sides, equals);
  const own = new Random(seed, 'own counters', fixture.id);
  const falls: Fighter[] = [];
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
      ...winnersOf(course),
      started: timestampOf(fixture.started),
      finished: timestampOf(fixture.finished),
      teams: course.sides.map((side) => ({
        name: side.name,
        players: side.fighters.map((fighter) => {
          const counters = ownCountersOf(own, fixture, course, fighter);
          const counted = countersOf(random, fixture, course, fighter);
          const killed = course.kills.filter(({ victim }) => victim === fighter).length;
          for (let fall = killed; fall < counted.death_count; fall++) falls.push(fighter);
          return { ...counted, ...(counters && { counters }) };
        }),
      })),
      objectives: course.goals.flatMap((goal) => wireGoal(goal, new Random(seed, 'shares', fixture.id, goal.time))),
      ...(reportsKills(random, fixture, course.kills) && {
        kills: deathsOf(seed, fixture, course.kills, falls).map(wireDeath),
      }),
    },
  };
}

export function timestampOf(time: number): string {
  return new Date(time).toISOString();
}

/** The players who take part at a time. */
export function playersAt(seed: string, fixture: Fixture, naming: Naming, time: number): Set<string> {
  const fighters = sidesOf(new Random(seed, 'match', fixture.id), fixture, naming).flatMap((side) => side.fighters);
  return new Set(fighters.filter(({ from, to }) => from <= time && to > time).map(({ player }) => player.uuid));
}

/** The winners of a free-for-all in which the time is over while more than one survives. */
function lastTogether(random: Random, { map, gamemode }: Fixture, sides: readonly Side[]): Side[] {
  const isSurvival = gamemode === 'bowspleef' || gamemode === 'tntrun';
  if (!isSurvival || map.teams.length > 0 || sides.length < 5 || !random.chance(0.4)) return [];
  return random.shuffled(sides).slice(0, random.int(2, 3));
}

function winnersOf({ winner, equals }: Course): Pick<MatchEvent['data'], 'win' | 'winners'> {
  if (equals.length === 0) return { win: winner?.name ?? '' };
  return { winners: [winner!, ...equals].map(({ name }) => name) };
}

function simulateCourse(random: Random, fixture: Fixture, sides: Side[], together: readonly Side[]): Course {
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
  const equals = together.filter((side) => side !== likely).slice(0, together.length - 1);
  return { sides, kills, goals, scores, painted, winner: counted ? leader(sides, scores) : likely, equals };
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

function wireDeath({ killer, victim, time, location }: ReturnType<typeof deathsOf>[number]): Kills[number] {
  const place = location && { location };
  return { killer: killer?.player.uuid ?? null, victim: victim.player.uuid, time: timestampOf(time), ...place };
}

/** The objective of the player who completed it. Two players of a side often share the work on a destroyable. */
function wireGoal({ side, fighter, type, name, color, time }: Goal, random: Random): Objectives {
  const facts = { team: side.name, type, name, color, time: timestampOf(time) };
  const helpers = presentAt(side, time).filter((other) => other !== fighter);
  if (type === 'destroyable' && fighter !== null && helpers.length > 0 && random.chance(0.5)) {
    const share = random.int(50, 90);
    const helper = random.pick(helpers);
    return [
      { ...facts, player: named(fighter), percent: share },
      { ...facts, player: named(helper), percent: 100 - share },
    ];
  }
  return [{ ...facts, player: fighter === null ? null : named(fighter) }];
}

const named = ({ player, name }: Fighter): { uuid: string; name: string } => ({ uuid: player.uuid, name });
