/**
 * An example of the response of each endpoint, for the OpenAPI document. `test/api/openapi.test.ts` checks them against
 * the schemas.
 */

const SITE = 'https://play.example.org';
const LATER = '2026-03-01T20:07:12.000+09:00';
const ADA = { uuid: '1f0c3a5e-2b7d-4c69-8e1a-9d4b6f2a7c35', name: 'Ada' };
const BOB_ID = '382c5w8m1zt';
const BOB = { uuid: '7b9e2d41-c3f8-4a06-b52d-0e6a1c8f4d97', name: 'Bob' };
const MATCH = '38ft1k2k44p';
const STARTED = '2026-03-01T20:00:00.000+09:00';
const FINISHED = '2026-03-01T20:14:32.518+09:00';

const server = {
  id: '385hjv0q8k2',
  name: 'Alpha',
  region: 'jp',
  current: 18,
  max: 40,
  icon: 'tnt',
  order: 1,
  current_map: 'Twin Peaks',
  next_map: 'Harbour',
  player_count: 21,
  players: [ADA.name, BOB.name],
};

const match = {
  id: MATCH,
  map: 'Twin Peaks',
  server: 'Alpha',
  gamemode: 'ctw',
  ranked: false,
  win: 'Red',
  kill_count: 7,
  death_count: 8,
  started: STARTED,
  finished: FINISHED,
  permalink_url: `${SITE}/matches/${MATCH}`,
};

const teamPlayer = { score: 12, kill_count: 7, death_count: 3, shot_count: 0, hit_count: 0, paint_count: 0 };

const teams = [
  { name: 'Red', score: 12, kill_count: 7, death_count: 3, players: [{ ...ADA, ...teamPlayer }] },
  {
    ...{ name: 'Blue', score: 3, kill_count: 0, death_count: 5 },
    players: [{ ...BOB, ...teamPlayer, score: 3, kill_count: 0, death_count: 5 }],
  },
];

const map = {
  id: '385hk1m6w0s',
  name: 'Twin Peaks',
  version: '1.2.0',
  proto: '1.4.2',
  authors: [{ ...ADA, contribution: 'Terrain' }],
  objective: 'Capture both wools of the other team',
  teams: [
    { name: 'Red', max: 20, color: 'dark red' },
    { name: 'Blue', max: 20, color: 'blue' },
  ],
  gamemodes: ['ctw'],
  type: 'pgm',
  path: 'ctw/twin-peaks',
  has_image: true,
  permalink_url: `${SITE}/maps/385hk1m6w0s`,
};

const rates = [{ version: '1.2.0', total: 8, rate: 4.25, rates: { 1: 0, 2: 1, 3: 0, 4: 3, 5: 4 } }];

const punishment = {
  id: '38fz7c3r9hw',
  punisher: null,
  punished: BOB,
  state: 0,
  reason: 'Griefing',
  level: 2,
  time: FINISHED,
  type: 'ban',
  server: 'Alpha',
  automatic: false,
  permalink_url: `${SITE}/punishments/38fz7c3r9hw`,
};

const player = {
  id: '385hm90ktz4',
  ...{ name: ADA.name, uuid: ADA.uuid },
  last_login: STARTED,
  last_login_server: 'Alpha',
  last_logout: '',
  banned: false,
  permalink_url: `${SITE}/players/${ADA.uuid}`,
  tntrun: { win_count: 4, lose_count: 17, play_count: 21, time_played: 3620 },
};

const { tntrun: _, ...plainPlayer } = player;
const candidate = { id: '385hm90kv05', ...BOB };

const played = {
  ...{ id: MATCH, map: 'Twin Peaks', gamemode: 'ctw', result: 'win', score: 12 },
  ...{ kill_count: 7, death_count: 3, envdeath_count: 1, started: STARTED, finished: FINISHED, time: FINISHED },
};

const kill = {
  id: `${MATCH}004`,
  ...{ killer: ADA.name, killer_uuid: ADA.uuid, victim: BOB.name, victim_uuid: BOB.uuid },
  ...{ match_id: MATCH, map: 'Twin Peaks', location: { world: 'twin_peaks', x: 12, y: 64, z: -31 } },
  time: '2026-03-01T20:09:11.204+09:00',
};

const UNKNOWN_PLACE = { world: null, x: null, y: null, z: null };
const fall = { ...kill, killer: '', killer_uuid: '', victim: ADA.name, victim_uuid: ADA.uuid, location: UNKNOWN_PLACE };

const liveMatch = {
  server: server.name,
  server_id: server.id,
  phase: 'running',
  map: 'Twin Peaks',
  gamemode: 'ctw',
  started: STARTED,
  time: '2026-03-01T20:09:30.000+09:00',
  participants: 18,
  observers: 3,
  teams: teams.map(({ players: _, ...team }) => ({ ...team, color: team.name.toLowerCase() })),
};

/** What `fields` adds to a match. */
const withFields = {
  counters: [{ ...ADA, team: 'Red', counters: { assists: 4 } }],
  team_colors: [{ team: 'Red', color: 'dark red' }],
};

const CHANGED = '2026-03-01T20:15:00.000+09:00';
const changed = (type: string, { id }: { id: string }) => ({
  ...{ id, type, revision: 2, time: CHANGED },
  url: `https://api.example.org/v1/${type.slice(0, type.indexOf('.'))}s/${id}`,
});
const placed = { map: 'Twin Peaks', match_id: MATCH, team: 'Red', team_color: 'dark red', time: LATER };

/** What `fields` adds to a player. */
const statistics = {
  ctw: {
    ...{ kill_count: 210, death_count: 187, envdeath_count: 12, win_count: 14, lose_count: 11, play_count: 27 },
    ...{ time_played: 20_380, wool_placed: 9, wool_places: [{ color: 'blue', ...placed }] },
  },
  objective: {
    ...{ kill_count: 35, death_count: 41, envdeath_count: 3, win_count: 2, lose_count: 3, play_count: 5 },
    ...{ time_played: 4_140, core_leaked: 1, destroyable_destroyed: 1, flag_captured: 0 },
    core_leaks: [{ name: 'Blue Core', ...placed }],
    destroys: [{ name: 'North Monument', ...placed, percent: 37.5 }],
  },
  kills: [kill].map(({ id: _, ...rest }) => rest),
  matches: [played],
  form: {
    ...{ results: ['win', 'lose', 'win'], streak: 1, win_streak: 4, lose_streak: 2 },
    ...{ best_map: 'Twin Peaks', best_map_play_count: 3, best_map_win_count: 2 },
    ...{
      kill_count: 7,
      kill_match_id: MATCH,
      score: 18,
      score_match_id: MATCH,
      time_played: 1_140,
      time_match_id: MATCH,
    },
  },
  places: [{ mode: 'ctw', period: 'month', by: 'win_count', place: 3, of: 412, percentile: 99.51, value: 14 }],
  names: [{ name: ADA.name, first_seen: '2025-11-02T18:30:00.000+09:00', last_seen: STARTED }],
};

const CURSOR = 'NGYxYzlhMDJiN2UzLTJzN2stMnpkYQpT0x6mB9rGd1Wk3LqV';

export const EXAMPLES: Readonly<Record<string, unknown>> = {
  '/v1/servers': [server],
  '/v1/servers/:id': server,
  '/v1/servers/online': { count: 21 },
  '/v1/matches': [match],
  '/v1/matches/:id': { ...match, teams, ...withFields },
  '/v1/maps': [
    {
      ...map,
      servers: [{ id: server.id, name: 'Alpha', region: 'jp', current_map: 'Twin Peaks', next_map: 'Harbour' }],
    },
  ],
  '/v1/maps/:id': { ...map, rotations: ['Alpha'], rates },
  '/v1/punishments': [punishment],
  '/v1/punishments/:id': punishment,
  '/v1/players': [
    { asked: ADA.uuid, status: 'found', player: plainPlayer, former_name: '', candidates: [] },
    {
      asked: 'bobby',
      status: 'ambiguous',
      player: null,
      former_name: '',
      candidates: [candidate, { id: player.id, ...ADA }],
    },
    { asked: 'Nobody', status: 'not_found', player: null, former_name: '', candidates: [] },
  ],
  '/v1/players/:id': { ...player, ...statistics },
  '/v1/players/:id/punishments': [punishment],
  '/v1/players/:id/matches': [played],
  '/v1/players/:id/kills': [kill],
  '/v1/players/:id/deaths': [fall],
  '/v1/players/:id/rivals': [
    {
      ...{ id: BOB_ID, ...BOB, kill_count: 31, death_count: 24 },
      permalink_url: `${SITE}/players/${BOB.uuid}`,
    },
  ],
  '/v1/leaderboards/:mode/:period': [
    {
      ...{ rank: 1, id: player.id, ...{ uuid: ADA.uuid, name: ADA.name } },
      ...{ kill_count: 35, death_count: 21, win_count: 6, play_count: 9, time_played: 7_920 },
      permalink_url: player.permalink_url,
    },
  ],
  '/v1/counters': [
    {
      key: 'assists',
      label: { en: 'Assists', ja: 'アシスト' },
      aggregate: 'sum',
      modes: ['cp', 'ctw', 'objective', 'teampvp'],
    },
  ],
  '/v1/changes': {
    changes: [
      {
        id: MATCH,
        type: 'match.created',
        revision: 1,
        time: '2026-03-01T20:14:33.021+09:00',
        url: `https://api.example.org/v1/matches/${MATCH}`,
        resource: { ...match, teams },
      },
      changed('map.changed', map),
      changed('player.created', plainPlayer),
      changed('server.changed', server),
      { id: punishment.id, type: 'punishment.withdrawn', revision: 3, time: CHANGED },
    ],
    cursor: CURSOR,
    more: false,
  },
  '/v1/changes/stream': [
    'retry: 2718',
    '',
    `id: ${CURSOR}`,
    'event: change',
    `data: {"id":"${MATCH}","type":"match.created","revision":1,"time":"2026-03-01T20:14:33.021+09:00","url":"https://api.example.org/v1/matches/${MATCH}"}`,
    '',
    '',
  ].join('\n'),
  '/v1/live-matches': [liveMatch],
  '/v1/servers/:id/live-match': {
    ...liveMatch,
    teams: teams.map((team) => ({ ...team, color: team.name.toLowerCase() })),
    objectives: [
      {
        ...{ player: ADA.name, player_uuid: ADA.uuid, team: 'Red', type: 'wool', name: 'Blue Wool', color: 'blue' },
        time: LATER,
      },
    ],
  },
  '/v1/servers/:id/unreported-matches': [
    { map: 'Harbour', gamemode: 'cp', started: '2026-03-01T19:31:00.000+09:00', seen: '2026-03-01T19:52:30.000+09:00' },
  ],
};
