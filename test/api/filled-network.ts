import { idOf } from '#platform/ids.ts';
import type { AppContext } from '#context/context.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { serverByName } from '#store/game/servers.ts';
import {
  after,
  BEGINNING,
  configured,
  event,
  login,
  logout,
  map,
  match,
  pardon,
  person,
  presence,
  progress,
  punishment,
  rating,
  rotation,
  statistics,
  team,
  sendEvents,
} from '#test/support/builders.ts';

/** The ids of the resources that `fill` creates. */
export interface GeneratedHistory {
  server: string;
  match: string;
  map: string;
  punishment: string;
  player: string;
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');

/** Creates resources in which every field of every response has a value. */
export async function fill(context: Pick<AppContext, 'db' | 'clock'>): Promise<GeneratedHistory> {
  await sendEvents(
    context,
    configured('Lobby', { order: -1 }),
    configured('Alpha', { order: 1, icon: 'tnt', max: 20 }),
  );
  await sendEvents(context, event('counter.declared', { key: 'assists', label: { en: 'Assists', ja: 'アシスト' } }));
  await sendEvents(context, ...maps(), rotation('Alpha', ['Twin Peaks', 'Harbour']), rotation('Lobby', ['Harbour']));
  await sendEvents(context, rating('Twin Peaks', person(1), 5), rating('Twin Peaks', person(2), 2, '0.9.0'), alpha());
  const [matchId] = await sendEvents(context, wholeMatch());
  while (await projectMatches(context.db, 'UTC', context.clock.now()));
  await sendEvents(context, sighted(), running());
  await sendEvents(context, login('Alpha', person(1)), logout('Alpha', person(1), { time: after(1000) }));
  await sendEvents(context, statistics(person(1), { kill_count: 3, power: 1.5, faction: 'Reds' }));
  await sendEvents(context, punishment('p1', person(1), { type: 'mute', automatic: true }), pardon('p1'));
  const [punishmentId] = await sendEvents(context, issued());
  const alphaServer = await serverByName(context.db, 'Alpha');
  return {
    server: idOf(alphaServer!.key),
    match: matchId!,
    map: 'Twin%20Peaks',
    punishment: punishmentId!,
    player: person(1).uuid,
  };
}

function maps(): WireEvent[] {
  const full = {
    objective: 'Take the wool',
    proto: '1.4.2',
    type: 'pgm',
    path: 'ctw/twin',
    gamemodes: ['ctw', 'tdm'],
    authors: [
      { name: 'Ada', uuid: person(9).uuid, contribution: 'Terrain' },
      { name: '', uuid: '', contribution: '' },
    ],
    teams: [{ name: 'Red', max: 12, color: 'dark red' }],
    image: { content_type: 'image/png', data: PNG } as const,
  };
  return [map('Harbour'), map('Twin Peaks', full)];
}

const alpha = (): WireEvent =>
  presence('Alpha', {
    current: 1,
    players: ['Player1', 'Player2'],
    gamemode: 'ctw',
    current_map: 'Twin Peaks',
    next_map: 'Harbour',
  });

const sighted = (): WireEvent => progress({ map: 'Harbour', started: after(-5_000_000) }, { time: after(-4_000_000) });

const running = (): WireEvent =>
  progress(
    {
      started: after(1),
      observers: 3,
      teams: [{ ...team('Red', { ...person(1), ...COUNTS }), color: 'red' }, team('Blue', 2)],
      objectives: [
        { player: person(1), team: 'Red', type: 'wool', name: 'Blue Wool', color: 'blue', time: BEGINNING },
        { player: null, team: 'Blue', type: 'flag', name: 'Hill', time: BEGINNING },
      ],
    },
    { time: after(1000) },
  );

const COUNTS = { kill_count: 2, shot_count: 9, hit_count: 4, paint_count: 1 };

const wholeMatch = (): WireEvent =>
  match({
    gamemode: 'ctw',
    ranked: true,
    win: 'Red',
    teams: [
      { ...team('Red', { ...person(1), ...COUNTS, counters: { assists: 3 } }), color: '#FF0000' },
      team('Blue', 2),
    ],
    objectives: [
      { player: person(1), team: 'Red', type: 'wool', name: 'Blue Wool', color: 'blue', time: after(-5) },
      { player: person(1), team: 'Red', type: 'core', name: 'Core', time: after(-5) },
      { player: person(1), team: 'Red', type: 'destroyable', name: 'Gate', percent: 50, time: after(-5) },
      { player: null, team: 'Blue', type: 'other', name: 'Hill', time: after(-4) },
    ],
    kills: [
      { killer: person(1).uuid, victim: person(2).uuid, location: { x: 1, y: 64.5, z: -7 }, time: after(-9) },
      { killer: null, victim: person(1).uuid, time: after(-8) },
    ],
  });

const issued = (): WireEvent =>
  punishment(
    'p2',
    person(1),
    { punisher: person(8), reason: 'Griefing', level: 2, expires: after(3_600_000) },
    { server: 'Alpha', time: BEGINNING },
  );

/** For the path of each endpoint, a request path whose response is complete, with all optional fields. */
export function paths(history: GeneratedHistory): Record<string, string> {
  const groups =
    'bowspleef,cp,ctw,factions,kills,matches,objective,paintball,splatt,teampvp,total,tntrun,names,head_url,counters,places,form';
  return {
    '/v1/servers': '/v1/servers',
    '/v1/servers/online': '/v1/servers/online',
    '/v1/servers/:id': `/v1/servers/${history.server}`,
    '/v1/matches': '/v1/matches?fields=teams,objectives,counters,winners,team_colors',
    '/v1/matches/:id': `/v1/matches/${history.match}?fields=teams,objectives,counters,winners,team_colors`,
    '/v1/maps': '/v1/maps?playing=1&rotation=Alpha&fields=image_url,rotation_order',
    '/v1/maps/:id': `/v1/maps/${history.map}?fields=image_url`,
    '/v1/punishments': '/v1/punishments',
    '/v1/punishments/:id': `/v1/punishments/${history.punishment}`,
    '/v1/players': '/v1/players?names=Player1,Player2,Nobody',
    '/v1/players/:id/punishments': `/v1/players/${history.player}/punishments`,
    '/v1/players/:id/matches': `/v1/players/${history.player}/matches`,
    '/v1/players/:id/kills': `/v1/players/${history.player}/kills`,
    '/v1/players/:id/deaths': `/v1/players/${history.player}/deaths`,
    '/v1/players/:id/rivals': `/v1/players/${history.player}/rivals?by=opponents`,
    '/v1/leaderboards/:mode/:period': '/v1/leaderboards/ctw/all',
    '/v1/counters': '/v1/counters',
    '/v1/live-matches': '/v1/live-matches',
    '/v1/changes': '/v1/changes?expand=1',
    '/v1/changes/stream': '/v1/changes/stream?after=0&presence=1',
    '/v1/servers/:id/live-match': `/v1/servers/${history.server}/live-match`,
    '/v1/servers/:id/unreported-matches': `/v1/servers/${history.server}/unreported-matches`,
    '/v1/players/:id': `/v1/players/${history.player}?fields=${groups}`,
  };
}
