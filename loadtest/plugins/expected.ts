/** The driver's match in the data API. */

export interface WireMatch {
  map: string;
  gamemode: string;
  win: string;
  winners: string[];
  team_colors: { team: string; color: string }[];
  teams: {
    name: string;
    score: number;
    kill_count: number;
    death_count: number;
    players: { name: string; kill_count: number; time_played: number }[];
  }[];
  objectives: { type: string; name: string; player: string; team: string; color: string }[];
  counters: { name: string; team: string; counters: Record<string, number> }[];
}

const BLUE = 'Blue "B"Team';
const WADER = 'Wa"d\\er';
const DUCK = '🦆Duck';

/** The members that the driver determines, as lists in a fixed order. */
export function matchFacts(match: WireMatch): Record<string, unknown> {
  const { map, gamemode, win, winners } = match;
  return {
    map,
    gamemode,
    win,
    winners,
    colors: match.team_colors.map(({ team, color }) => `${team} ${color}`),
    teams: match.teams.map((team) => `${team.name} ${team.score} ${team.kill_count} ${team.death_count}`),
    players: match.teams
      .flatMap(({ name, players }) => players.map((player) => `${name}: ${player.name} ${player.kill_count}`))
      .toSorted(),
    objectives: match.objectives
      .map(({ type, name, player, team, color }) => [type, name, player, team, color].join(', '))
      .toSorted(),
    counters: Object.fromEntries(match.counters.map(({ name, team, counters }) => [`${team}: ${name}`, counters])),
  };
}

export const EXPECTED_MATCH = {
  map: 'Old Mill "2"🦆',
  gamemode: 'ctw',
  win: 'Red',
  winners: ['Red'],
  colors: ['Red #FF5555', `${BLUE} #0000FF`, 'Red 2 #00000A'],
  teams: ['Red 13 11 4', `${BLUE} 3 4 10`, 'Red 2 0 0 0'],
  players: [`${BLUE}: ${WADER} 1`, `${BLUE}: ${DUCK} 3`, 'Red: Saltmarten 9', `Red: ${DUCK} 2`],
  objectives: [
    `control_point, Hill, , ${BLUE}, white`,
    `core, Core, ${DUCK}, ${BLUE}, `,
    'core, Core, Saltmarten, Red, ',
    'core, Lonely, , , ',
    `destroyable, Monument, ${DUCK}, ${BLUE}, red`,
    `flag, Flag, ${DUCK}, ${BLUE}, red`,
    'wool, Blue "Wool", Saltmarten, Red, blue',
  ].toSorted(),
  // Of the modes of each counter, those of cores, flags and monuments do not have ctw.
  counters: {
    'Red: Saltmarten': { best_streak: 5, wools: 1, wools_touched: 2, damage_dealt: 21 },
    [`Red: ${DUCK}`]: { assists: 1 },
    [`${BLUE}: ${WADER}`]: { longest_bow_kill: 41 },
  },
};

/** The maps of all matches with their winners: one competitor of the best rank wins, several have tied. */
export const EXPECTED_WINS = {
  '/finish red': 'Red',
  '/finish': '',
  'Emptied at 0:0': '',
  'Emptied at 5:3': 'Red',
  'Emptied free for all': 'Ada',
  'Friendly fire': '',
  'Old Mill "2"🦆': 'Red',
  'Tied at 4:4:1': '',
  'Time limit at 0:0': '',
  Free: '',
};

/** Matches, won and lost ones of the players of the endings, by the end of their UUIDs: Ada, Bea, Cid. */
export const EXPECTED_RESULTS = { '0b': '8 3 0', '0c': '8 0 3', '0d': '2 0 0' };

/** The match that still runs: name, phase, players, teams with scores and kills, wools. */
export const EXPECTED_LIVE = ['Running', 'running', 1, ['Red #FF5555 3 Saltmarten 3'], ['Wool 1', 'Wool 2', 'Wool 3']];

/** Of that match's players one has a nick, and one is vanished by now. */
export const EXPECTED_PRESENCE = JSON.stringify({
  ...{ current: 1, players: ['Saltmarten'], gamemode: 'ctw', current_map: 'Running' },
});

/** A login, a logout when the player vanishes, a login and a heartbeat after it, a logout at the end. */
export const EXPECTED_SESSIONS = 'player.login, player.logout, player.login, server.presence, player.logout';

/** The outputs of the plugin for Bukkit. */
export const EXPECTED_READS = {
  stats: 'Saltmarten: kills 10, deaths 4, won 1 of 2 matches, played 0 h',
  again: 'Please wait a moment.',
  unknown: 'This player is not known.',
  banned: 'KICK_BANNED You are banned: Griefing "spawn"\nPunishment: ID',
  free: 'ALLOWED ',
  away: 'ALLOWED ',
};

/** An outbox that loses no event while it can be written, and reports how many it loses. */
export const EXPECTED_FAULTS = {
  'full for a while': [true, 0, ['first', 'second', 'third']],
  'full until the end': ['3 events are lost: the outbox cannot be written.', 0],
  'more than the queue holds': [
    [
      'The outbox cannot be written',
      'The queue of the outbox is full: events are lost.',
      '500 events were lost while the queue of the outbox was full.',
    ],
    100_001,
  ],
  'lost for minutes': [
    'The queue of the outbox is full: events are lost.',
    '61 events are lost so far.',
    '100 events were lost while the queue of the outbox was full.',
  ],
  deleted: ['second'],
  emptied: [true, ['second']],
  'not an event': ['An event of type wrong is left out: java.lang.IllegalStateException: wrong', ['right']],
  'no folder': [true, true],
};
