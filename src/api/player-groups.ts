import { z } from 'zod';
import { idOf } from '#platform/ids.ts';
import { nameKey } from '#platform/text.ts';
import { safeNumber } from '#db/db.ts';
import { standingOf } from '#store/game/factions.ts';
import { deathsBelow, killsOf } from '#store/game/kills.ts';
import { mapSummaries } from '#store/game/maps/map-summaries.ts';
import { matchesOf } from '#store/game/matches.ts';
import { type ListedObjective, objectivesOf, type PlayerObjective } from '#store/game/player-objectives.ts';
import { GROUP_NAMES, type Stats } from '#store/game/player-stats.ts';
import { killDeathRatio, teampvpRanksOf } from '#store/game/teampvp-ranks.ts';
import type { Deps } from './endpoint.ts';
import { KillShape, killWire, PlayedMatchShape, playedWire } from './player-items.ts';
import { count, id, seconds, timestamp } from './schemas.ts';

/** The statistics of a player that `fields` selects. */

const NEWEST = 20;

const envdeath_count = count.meta({
  description: 'Deaths without a killer, part of `death_count`; 0 where the server does not report kills',
});
const played = { win_count: count, lose_count: count, play_count: count, time_played: seconds };
const shooting = { kill_count: count, death_count: count, ...played, shot_count: count, hit_count: count };
const fought = { kill_count: count, death_count: count, envdeath_count, ...played };

const rank = count.meta({
  description:
    'Rank among all players of all time, 1 for the highest value; 0: none. As of the last count, at most a few minutes old',
});
const team_color = z.string().meta({ description: 'As the map names it; empty where the map is unknown' });

const Wool = z
  .object({ color: z.string(), map: z.string(), match_id: id, team: z.string(), team_color, time: timestamp })
  .meta({ id: 'WoolPlace' });
const Core = z
  .object({ name: z.string(), map: z.string(), match_id: id, team: z.string(), team_color, time: timestamp })
  .meta({ id: 'CoreLeak' });
const Destroy = Core.extend({
  percent: z.number().meta({ description: "The player's share of the destroyable, 0 to 100" }),
}).meta({ id: 'Destroy' });

const Total = z.object({
  kill_count: count.meta({ description: 'Sum over all groups but bowspleef and tntrun, which count no kills' }),
  death_count: count.meta({
    description:
      'Sum over cp, ctw, objective, paintball, splatt, teampvp and factions. Falling out of bowspleef and tntrun is no death',
  }),
  envdeath_count: count.meta({
    description: 'Deaths without a killer, part of `death_count`; sum over cp, ctw, objective and teampvp',
  }),
  win_count: count.meta({ description: 'Sum over all groups but factions, which has no matches' }),
  lose_count: count.meta({ description: 'As `win_count`; a draw is neither won nor lost' }),
  play_count: count.meta({ description: 'As `win_count`' }),
  shot_count: count.meta({ description: 'Sum over paintball and splatt' }),
  hit_count: count.meta({ description: 'As `shot_count`' }),
  time_played: seconds.meta({ description: 'Seconds in all groups' }),
});

const newest = (what: string) => ({ description: `The newest ${NEWEST} ${what}, newest first` });

const kills = z.array(KillShape).meta(newest('kills of the player'));
const deaths = z.array(KillShape).meta(newest('deaths of the player; `killer` is empty for one without a killer'));

const Groups = {
  bowspleef: z.object(played),
  cp: z.object(fought),
  ctw: z.object({ ...fought, wool_placed: count, wool_places: z.array(Wool).meta(newest('wools')) }),
  factions: z.object({
    kill_count: count,
    death_count: count,
    time_played: seconds,
    power: z.int(),
    faction: z.string(),
    faction_id: z.string(),
    faction_role: z.string(),
  }),
  kills,
  matches: z.array(PlayedMatchShape).meta(newest('matches')),
  objective: z.object({
    ...fought,
    core_leaked: count,
    destroyable_destroyed: count,
    flag_captured: count,
    core_leaks: z.array(Core).meta(newest('cores')),
    destroys: z.array(Destroy).meta(newest('destroyables')),
  }),
  paintball: z.object(shooting),
  splatt: z.object({ ...shooting, paint_count: count }),
  teampvp: z.object({
    ...fought,
    score: z.int(),
    kd_ratio: z.number().meta({ description: 'Kills per death; the kills of a player without deaths' }),
    objective_completed: count,
    kill_count_rank: rank,
    win_count_rank: rank,
    kd_ratio_rank: rank,
    objective_completed_rank: rank,
    time_played_rank: rank,
  }),
  total: Total,
  tntrun: z.object(played),
};

export type GroupName = keyof typeof Groups;
export const GROUP_FIELDS = Object.keys(Groups) as [GroupName, ...GroupName[]];

/** The members that groups add to a player. `kills` adds two. */
export const groupMembers = { ...z.object(Groups).partial().shape, deaths: deaths.optional() };

type GroupWire = { [G in GroupName]: z.input<(typeof Groups)[G]> };
type Members = Partial<GroupWire> & { deaths?: z.input<typeof deaths> };

/** The members of the requested groups. */
export async function groupsWire(
  deps: Deps,
  playerKey: number,
  stats: Stats,
  names: readonly GroupName[],
): Promise<Members> {
  const members = await Promise.all(names.map((name) => membersOf(deps, playerKey, stats, name)));
  return Object.assign({}, ...members) as Members;
}

async function membersOf(deps: Deps, key: number, stats: Stats, name: GroupName): Promise<Members> {
  const counters = (group: keyof Stats): never => countersWire(stats[group]) as never;
  switch (name) {
    case 'matches': {
      const found = await matchesOf(deps.db, key, Number.MAX_SAFE_INTEGER, NEWEST);
      return { matches: found.map((match) => playedWire(deps, match)) };
    }
    case 'kills':
      return await killsWire(deps, key);
    case 'factions': {
      const { power, ...standing } = await standingOf(deps.db, key);
      return { factions: { ...(counters('factions') as object), power: Math.round(power), ...standing } as never };
    }
    case 'total':
      return { total: totalWire(stats) };
    case 'ctw':
      return {
        ctw: { ...(counters('ctw') as object), wool_places: await completed(deps, key, 'wool', woolWire) } as never,
      };
    case 'objective':
      return {
        objective: {
          ...(counters('objective') as object),
          core_leaks: await completed(deps, key, 'core', coreWire),
          destroys: await completed(deps, key, 'destroyable', destroyWire),
        } as never,
      };
    case 'teampvp':
      return { teampvp: { ...(counters('teampvp') as object), ...(await ranksWire(deps, key, stats)) } as never };
    default:
      return { [name]: counters(name) };
  }
}

async function killsWire(deps: Deps, key: number): Promise<Members> {
  const [made, suffered] = await Promise.all([
    killsOf(deps.db, key, NEWEST),
    deathsBelow(deps.db, key, undefined, NEWEST),
  ]);
  return {
    kills: made.map((kill) => killWire(deps, kill)),
    deaths: suffered.map((death) => killWire(deps, death)),
  };
}

async function ranksWire({ db }: Deps, key: number, stats: Stats): Promise<Record<string, number>> {
  const { kill, win, ratio, objective, time } = await teampvpRanksOf(db, key, stats);
  return {
    kd_ratio: killDeathRatio(stats.teampvp),
    kill_count_rank: kill,
    win_count_rank: win,
    kd_ratio_rank: ratio,
    objective_completed_rank: objective,
    time_played_rank: time,
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
  const found = await objectivesOf(db, key, type, NEWEST);
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

/** The wire name of each counter. */
const WIRE_NAMES: Record<string, string> = {
  kill: 'kill_count',
  death: 'death_count',
  envdeath: 'envdeath_count',
  win: 'win_count',
  lose: 'lose_count',
  play: 'play_count',
  time: 'time_played',
  shot: 'shot_count',
  hit: 'hit_count',
  paint: 'paint_count',
  wool: 'wool_placed',
  core: 'core_leaked',
  destroyable: 'destroyable_destroyed',
  flag: 'flag_captured',
  score: 'score',
  objective: 'objective_completed',
};

function countersWire(counters: Record<string, number>): Record<string, number> {
  const wire: Record<string, number> = {};
  for (const [name, value] of Object.entries(counters)) wire[WIRE_NAMES[name]!] = value;
  return wire;
}

const TOTALS = ['kill', 'death', 'envdeath', 'win', 'lose', 'play', 'shot', 'hit', 'time'];

function totalWire(stats: Stats): GroupWire['total'] {
  const sum = (counter: string): number =>
    safeNumber(GROUP_NAMES.reduce((total, group) => total + (stats[group][counter] ?? 0), 0));
  return countersWire(Object.fromEntries(TOTALS.map((counter) => [counter, sum(counter)]))) as GroupWire['total'];
}
