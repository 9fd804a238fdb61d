import { hash } from 'node:crypto';
import { sanitised, uuidLabel } from '../text/text.ts';
import type { Event } from '../sender/event.ts';
import type { MatchBody, Participation } from './shapes.ts';

type MatchEvent = Extract<Event, { type: 'match.finished' }>;
type Team = MatchEvent['data']['teams'][number];
type Player = Team['players'][number];

/** Facts that the body of a match does not have. */
export interface MatchFacts {
  map: string;
  gamemode: string;
  /** The names of players by UUID. */
  names: ReadonlyMap<string, string>;
}

/** The event of a match. Its id follows from the server and the start, so that sending the match again changes nothing. */
export function matchEvent(body: MatchBody, { map, gamemode, names }: MatchFacts): MatchEvent {
  const { startedAt, endedAt, serverName } = body;
  const started = new Date(startedAt).toISOString();
  const finished = new Date(endedAt).toISOString();
  const digest = hash('sha256', serverName ?? '', 'base64url').slice(0, 11);
  const { teams, win } = matchTeams(body, names);
  const data = { map, gamemode, win, started, finished, teams };
  return { version: 1, id: `dewdrop:${digest}:${started}`, type: 'match.finished', time: finished, data };
}

function matchTeams(body: MatchBody, names: MatchFacts['names']): { teams: Team[]; win: string } {
  const taken = new Set<string>();
  if (body.teams === null || body.teams === undefined) return freeForAll(body, names, taken);
  const primary = primaryEntries(body.teams.flatMap(({ participations }) => participations));
  const teams = body.teams.map((team): [string, Team] => [
    plain(team.name),
    {
      name: unique(plain(team.name), taken),
      ...(team.score === undefined ? {} : { score: team.score }),
      ...(isColour(team.color) ? { color: team.color } : {}),
      players: team.participations.map((one) => matchPlayer(one, names, primary.has(one))),
    },
  ]);
  const winner = body.winnerTeam && plain(body.winnerTeam.name);
  return { teams: teams.map(([, team]) => team), win: teams.find(([name]) => name === winner)?.[1].name ?? '' };
}

/** Free for all: each player is a team of one. */
function freeForAll(body: MatchBody, names: MatchFacts['names'], taken: Set<string>): { teams: Team[]; win: string } {
  let win = '';
  const teams = (body.participations ?? []).map((one) => {
    const player = matchPlayer(one, names, true);
    const name = unique(player.name, taken);
    if (one.userUuid === body.winnerUserUuid) win = name;
    return { name, players: [player] };
  });
  return { teams, win };
}

/** The entry of each player that decides the result: the entry marked as primary, else the longest. */
function primaryEntries(entries: readonly Participation[]): ReadonlySet<Participation> {
  const byPlayer = Map.groupBy(entries, ({ userUuid }) => userUuid);
  return new Set([...byPlayer.values()].map((list) => list.find(({ primary }) => primary === true) ?? longest(list)));
}

const longest = (list: readonly Participation[]): Participation => list.toSorted((a, b) => b.duration - a.duration)[0]!;

function matchPlayer(one: Participation, names: MatchFacts['names'], isPrimary: boolean): Player {
  const { stats } = one;
  return {
    uuid: one.userUuid,
    name: names.get(one.userUuid) ?? uuidLabel(one.userUuid),
    ...(isPrimary ? {} : { primary: false }),
    score: isPrimary ? (stats?.score ?? 0) : 0,
    kill_count: stats?.kills ?? 0,
    death_count: stats?.deaths ?? 0,
    shot_count: stats?.arrowsShot ?? 0,
    hit_count: stats?.arrowsHit ?? 0,
    time_played: Math.floor(one.duration / 1000),
    counters: playerCounters(stats),
  };
}

/** The counters of `PGM_COUNTERS` by their names in Dewdrop. */
export const COUNTERS = {
  assists: 'assists',
  best_streak: 'killstreak',
  wools: 'wools',
  wools_touched: 'woolsTouched',
  cores: 'cores',
  monuments: 'monuments',
  flags: 'flags',
  flags_picked: 'flagsPicked',
  damage_dealt: 'damageDealt',
  damage_received: 'damageReceived',
  damage_dealt_bow: 'damageDealtBow',
  damage_received_bow: 'damageReceivedBow',
} as const satisfies Record<string, keyof NonNullable<Participation['stats']>>;

function playerCounters(stats: Participation['stats']): Record<string, number> {
  if (stats === null || stats === undefined) return {};
  const values = Object.entries(COUNTERS).map(([key, name]) => [key, stats[name]] as const);
  return Object.fromEntries(values.filter(([, value]) => value > 0));
}

/** A team's name without the colour codes of the game. */
const plain = (name: string): string => sanitised(name.slice(0, 512).replaceAll(/§./gu, ''), 100).trim() || 'Team';

function unique(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name} ${number}`;
  taken.add(free);
  return free;
}

const isColour = (text: string | null | undefined): text is string => /^#[0-9a-fA-F]{6}$/.test(text ?? '');
