import { z } from 'zod';
import { idOf } from '#platform/ids.ts';
import { nameKey } from '#text/text.ts';
import { counterTotal, readStanding, type Stats } from '#store/game/player-stats.ts';
import type { Audience } from '#store/game/private-players.ts';
import { deathsBelow, killsBelow } from '#store/game/kills.ts';
import { mapSummaries } from '#store/game/maps/maps.ts';
import { listPlayedMatches } from '#store/game/match-lists.ts';
import { type ListedObjective, type PlayerObjective, readObjectives } from '#store/game/player-objectives.ts';
import {
  COUNTER_NAMES,
  type CounterOf,
  COUNTERS,
  countersOf,
  type Group,
  GROUP_NAMES,
  groupsWith,
  type StatCounter,
  TOTAL_COUNTERS,
} from '#store/game/statistics-groups.ts';
import { killDeathRatio, readTeampvpRanks } from '#store/game/teampvp-ranks.ts';
import type { Deps } from './endpoint.ts';
import { KillShape, killWire, PlayedMatchShape, playedWire } from './player-items.ts';
import { count, id, seconds, timestamp } from './schemas.ts';

/** The statistics of a player that `fields` selects. */

const NEWEST = 20;

const UNITS = { count, seconds, points: z.int() };
/** What the data API says of a counter in a group; its name says the rest. */
const DESCRIPTIONS: Partial<Record<StatCounter, string>> = {
  envdeath: 'Deaths without a killer, part of `death_count`; 0 if the server does not report kills',
};

type CounterShape<C extends StatCounter> = {
  [Name in C as (typeof COUNTERS)[Name]['wire']]: (typeof UNITS)[(typeof COUNTERS)[Name]['unit']];
};

function shapeOf<C extends StatCounter>(
  counters: readonly C[],
  descriptions: Partial<Record<StatCounter, string>>,
): CounterShape<C> {
  const members = counters.map((counter) => {
    const { wire, unit } = COUNTERS[counter];
    const description = descriptions[counter];
    return [wire, description === undefined ? UNITS[unit] : UNITS[unit].meta({ description })];
  });
  return Object.fromEntries(members) as CounterShape<C>;
}

const countersShape = (group: Group): z.ZodRawShape =>
  shapeOf(
    COUNTER_NAMES.filter((counter) => countersOf(group).includes(counter)),
    DESCRIPTIONS,
  );

const rank = count.meta({
  description:
    'Rank among all players of all time, 1 for the highest value; 0: none. As of the last count, at most a few minutes old',
});
const team_color = z.string().meta({ description: 'As the map names it; empty if the map is unknown' });

const Wool = z
  .object({ color: z.string(), map: z.string(), match_id: id, team: z.string(), team_color, time: timestamp })
  .meta({ id: 'WoolPlace' });
const Core = z
  .object({ name: z.string(), map: z.string(), match_id: id, team: z.string(), team_color, time: timestamp })
  .meta({ id: 'CoreLeak' });
const Destroy = Core.extend({
  percent: z.number().meta({ description: "The player's share of the destroyable, 0 to 100" }),
}).meta({ id: 'Destroy' });

const listOf = (names: readonly string[]): string => new Intl.ListFormat('en-GB').format(names);
const groupsIn = (counter: StatCounter): string => listOf(groupsWith(counter));
const groupsWithout = (counter: StatCounter): string =>
  listOf(GROUP_NAMES.filter((group) => !countersOf(group).includes(counter)));

const Total = z.object(
  shapeOf(TOTAL_COUNTERS, {
    kill: `Sum over all groups but ${groupsWithout('kill')}, which count no kills`,
    death: `Sum over ${groupsIn('death')}. Falling out of ${groupsWithout('death')} is no death`,
    envdeath: `Deaths without a killer, part of \`death_count\`; sum over ${groupsIn('envdeath')}`,
    win: `Sum over all groups but ${groupsWithout('win')}, which has no matches`,
    lose: 'As `win_count`; a draw is neither won nor lost',
    play: 'As `win_count`',
    shot: `Sum over ${groupsIn('shot')}`,
    hit: 'As `shot_count`',
    time: 'Seconds in all groups',
  } satisfies Record<(typeof TOTAL_COUNTERS)[number], string>),
);

const newest = (what: string) => ({ description: `The newest ${NEWEST} ${what}, newest first` });

const kills = z.array(KillShape).meta(newest('kills of the player'));
const deaths = z.array(KillShape).meta(newest('deaths of the player; `killer` is empty for one without a killer'));

/** Members of a group other than its counters. */
const extras = <Shape extends z.ZodRawShape>(
  shape: Shape,
  wire: (deps: Deps, playerKey: number, stats: Stats) => Promise<z.input<z.ZodObject<Shape>>>,
) => ({ shape, wire });

const EXTRAS = {
  ctw: extras({ wool_places: z.array(Wool).meta(newest('wools')) }, async (deps, key) => ({
    wool_places: await completed(deps, key, 'wool', woolWire),
  })),
  factions: extras(
    { power: z.int(), faction: z.string(), faction_id: z.string(), faction_role: z.string() },
    async ({ db }, key) => {
      const { power, ...standing } = await readStanding(db, key);
      return { power: Math.round(power), ...standing };
    },
  ),
  objective: extras(
    {
      core_leaks: z.array(Core).meta(newest('cores')),
      destroys: z.array(Destroy).meta(newest('destroyables')),
    },
    async (deps, key) => ({
      core_leaks: await completed(deps, key, 'core', coreWire),
      destroys: await completed(deps, key, 'destroyable', destroyWire),
    }),
  ),
  teampvp: extras(
    {
      kd_ratio: z.number().meta({ description: 'Kills per death; the kills of a player without deaths' }),
      kill_count_rank: rank,
      win_count_rank: rank,
      kd_ratio_rank: rank,
      objective_completed_rank: rank,
      time_played_rank: rank,
    },
    async ({ db }, key, stats) => {
      const { kill, win, ratio, objective, time } = await readTeampvpRanks(db, key, stats);
      return {
        kd_ratio: killDeathRatio(stats.teampvp),
        kill_count_rank: kill,
        win_count_rank: win,
        kd_ratio_rank: ratio,
        objective_completed_rank: objective,
        time_played_rank: time,
      };
    },
  ),
};

const extrasOf = (group: Group): ReturnType<typeof extras> | undefined => (EXTRAS as never)[group];

type GroupShapes = {
  [G in Group]: z.ZodObject<
    CounterShape<CounterOf<G>> & (G extends keyof typeof EXTRAS ? (typeof EXTRAS)[G]['shape'] : object)
  >;
};

const GroupShapes = Object.fromEntries(
  GROUP_NAMES.map((group) => [group, z.object({ ...countersShape(group), ...extrasOf(group)?.shape })]),
) as unknown as GroupShapes;

/** By name, but the specification has `total` before `tntrun`. */
const sortKey = (name: string): string => (name === 'total' ? 'tn' : name);
const inOrder = <Shapes extends object>(shapes: Shapes): Shapes =>
  Object.fromEntries(Object.entries(shapes).sort(([a], [b]) => (sortKey(a) < sortKey(b) ? -1 : 1))) as Shapes;

const Fields = inOrder({
  ...GroupShapes,
  kills,
  matches: z.array(PlayedMatchShape).meta(newest('matches')),
  total: Total,
});

export type GroupName = keyof typeof Fields;
export const GROUP_FIELDS = Object.keys(Fields) as [GroupName, ...GroupName[]];

/** The members that groups add to a player. `kills` adds two. */
export const groupMembers = { ...z.object(Fields).partial().shape, deaths: deaths.optional() };

type GroupWire = { [G in GroupName]: z.input<(typeof Fields)[G]> };
type Members = Partial<GroupWire> & { deaths?: z.input<typeof deaths> };

/** The records of a player, and whether other players in them are shown as insiders see them. */
interface Requested {
  deps: Deps;
  key: number;
  others: Audience;
}

/** The members of the requested groups. */
export async function groupsWire(requested: Requested, stats: Stats, names: readonly GroupName[]): Promise<Members> {
  const members = await Promise.all(names.map((name) => membersOf(requested, stats, name)));
  return Object.assign({}, ...members) as Members;
}

async function membersOf(requested: Requested, stats: Stats, name: GroupName): Promise<Members> {
  const { deps, key } = requested;
  switch (name) {
    case 'matches': {
      const found = await listPlayedMatches(deps.db, key, Number.MAX_SAFE_INTEGER, NEWEST);
      return { matches: found.map((match) => playedWire(deps, match)) };
    }
    case 'kills':
      return await killsWire(requested);
    case 'total':
      return { total: totalWire(stats) };
    default:
      return { [name]: { ...countersWire(stats[name]), ...(await extrasOf(name)?.wire(deps, key, stats)) } };
  }
}

async function killsWire({ deps, key, others }: Requested): Promise<Members> {
  const page = { before: undefined, limit: NEWEST, audience: others };
  const [made, suffered] = await Promise.all([killsBelow(deps.db, key, page), deathsBelow(deps.db, key, page)]);
  return {
    kills: made.map((kill) => killWire(deps, kill)),
    deaths: suffered.map((death) => killWire(deps, death)),
  };
}

type Place = Pick<z.input<typeof Core>, 'map' | 'match_id' | 'team' | 'team_color' | 'time'>;

const woolWire = ({ color }: PlayerObjective, place: Place): z.input<typeof Wool> => ({ color, ...place });
const coreWire = ({ name }: PlayerObjective, place: Place): z.input<typeof Core> => ({ name, ...place });
const destroyWire = ({ name, percent }: PlayerObjective, place: Place): z.input<typeof Destroy> => ({
  name,
  ...place,
  percent,
});

/** A player's newest objectives of a type; the colour of the team is the map's. */
async function completed<T>(
  { db, timestamp: write }: Deps,
  key: number,
  type: ListedObjective,
  wire: (objective: PlayerObjective, place: Place) => T,
): Promise<T[]> {
  const found = await readObjectives(db, key, type, NEWEST);
  const maps = await mapSummaries(
    db,
    found.map(({ map }) => map),
  );
  return found.map((objective) => {
    const { map, match, team, time } = objective;
    const teams = maps.of(map)?.teams ?? [];
    const color = teams.find(({ name }) => nameKey(name) === nameKey(team))?.color ?? '';
    return wire(objective, { map, match_id: idOf(match), team, team_color: color, time: write(time) });
  });
}

function countersWire(counters: Record<string, number>): Record<string, number> {
  const wire: Record<string, number> = {};
  for (const [name, value] of Object.entries(counters)) wire[COUNTERS[name as StatCounter].wire] = value;
  return wire;
}

const totalWire = (stats: Stats): GroupWire['total'] =>
  countersWire(
    Object.fromEntries(TOTAL_COUNTERS.map((counter) => [counter, counterTotal(stats, counter)])),
  ) as GroupWire['total'];
