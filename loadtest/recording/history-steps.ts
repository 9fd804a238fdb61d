import type { WireEvent } from '#events/schema/index.ts';
import { after, event, person } from '#test/support/builders.ts';

const GAMEMODES = [
  ...[
    'ctw',
    'tdm',
    'dtc',
    'dtm',
    'dtcm',
    'ffa',
    'cp',
    'koth',
    'ctf',
    'tdm',
    'blitz',
    'rage',
    'arcade',
    'mixed',
    'quake',
  ],
  ...[
    'bowspleef',
    'tntrun',
    'splatt',
    'paintball',
    'teampvp',
    'factions',
    'objective',
    'elimination',
    'something else',
  ],
];
const PNG = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
const [ADA, BOB, CID, DAN, EVE] = ['Ada', 'Bob', 'Cid', 'Dan', 'Eve'].map((name, index) =>
  person(101 + index, name),
) as [Person, Person, Person, Person, Person];

type Person = ReturnType<typeof person>;
/** A server, or `operator`. */
export type Sender = string;

let count = 0;
/** An event with a separate id, at a time after the beginning. */
const e = (type: WireEvent['type'], data: unknown, more: object = {}): unknown => ({
  ...event(type, data as never, { id: `step-${++count}` }),
  ...more,
});

const stats = (who: Person, more: object = {}) => ({
  ...who,
  kill_count: 3,
  death_count: 2,
  shot_count: 30,
  hit_count: 12,
  paint_count: 7,
  time_played: 500,
  score: 4,
  ...more,
});

const teams = [
  {
    name: 'Red',
    color: '#FF0000',
    players: [stats(ADA, { counters: { assists: 2, wools: 1, unknown_one: 4 } }), stats(BOB)],
  },
  { name: 'Blue', color: 'blue', players: [stats(CID), stats(BOB, { primary: false, kill_count: 1 })] },
];
const kills = [
  { killer: ADA.uuid, victim: BOB.uuid, location: { world: 'w', x: 1, y: 64.5, z: -7 }, time: after(-9_000) },
  { killer: null, victim: CID.uuid, time: after(-8_000) },
];
const objectives = [
  ...['wool', 'core', 'flag', 'control_point', 'other'].map((type) => ({
    player: ADA,
    team: 'Red',
    type,
    name: `The ${type}`,
    color: 'blue',
    time: after(-5_000),
  })),
  { player: BOB, team: 'Red', type: 'destroyable', name: 'Gate', percent: 50, time: after(-4_000) },
  { player: null, team: 'Blue', type: 'other', name: 'Hill', time: after(-4_000) },
];
const match = (gamemode: string, index = 0, more: object = {}) => {
  const at = (ms: number): string => after(ms - index * 3_600_000);
  return {
    map: 'Twin Peaks',
    gamemode,
    ranked: index % 2 === 0,
    win: index % 3 === 0 ? '' : 'Red',
    started: at(-600_000),
    finished: at(0),
    teams,
    ...(index === 0 ? { kills, objectives } : {}),
    ...more,
  };
};

const map = (name: string, more: object = {}) => ({ name, version: '1.0.0', ...more });
const fullMap = map('Twin Peaks', {
  objective: 'Take the wool',
  proto: '1.4.2',
  type: 'pgm',
  path: 'ctw/twin',
  gamemodes: ['ctw', 'tdm'],
  authors: [{ name: 'Ada', uuid: ADA.uuid, contribution: 'Terrain' }, {}],
  teams: [{ name: 'Red', max: 12, color: 'dark red' }],
  image: { content_type: 'image/png', data: PNG },
});
const ban = (punishment: string, punished: Person, more: object = {}) => ({
  punishment,
  punished,
  type: 'ban',
  ...more,
});

/** What is sent, by whom, in their order. */
export const STEPS: readonly [string, Sender, readonly unknown[]][] = [
  [
    'configuration by a key',
    'Alpha',
    [
      e('server.configured', { region: 'eu' }),
      e('server.removed', {}),
      e('player.merged', { from: ADA.uuid, into: BOB.uuid }),
    ],
  ],
  [
    'operator events',
    'operator',
    [
      e('server.configured', { region: 'us', order: 7, icon: 'tnt', max: 12, punishments: 'own' }, { server: 'Delta' }),
      e('server.configured', { region: 'us' }, { server: 'Omega' }),
      e('counter.declared', { key: 'assists', label: { en: 'Assists', ja: 'アシスト' }, most: 50 }),
      e('counter.declared', {
        key: 'best_streak',
        label: { en: 'Best streak' },
        aggregate: 'max',
        modes: ['ctw', 'teampvp', 'factions'],
        order: 3,
      }),
      e('counter.declared', { key: 'kill_count', label: { en: 'Reserved' } }),
      e('counter.removed', { key: 'nothing' }),
      e('player.known', { player: { uuid: EVE.uuid } }),
      e('player.known', { player: EVE }),
      e('server.presence', { current: 0, players: [] }),
      e('player.merged', { from: ADA.uuid, into: ADA.uuid }),
      e('server.removed', {}, { server: 'Nowhere' }),
      e('nonsense' as never, {}),
    ],
  ],
  [
    'maps and rotations',
    'Alpha',
    [
      e('map.published', fullMap),
      e('map.published', map('Harbour')),
      e('map.published', map('Harbour', { version: '1.0.1', objective: 'Sail' }), { time: after(1_000) }),
      e('map.published', map('Harbour', { version: '0.9.0' }), { time: after(-9_000_000) }),
      e('map.published', map('Harbour', { version: '1.0.1', objective: 'Other' }), { time: after(1_000) }),
      e(
        'map.published',
        map('Ash', { gamemodes: ['nonsense', 'cp'], image: { content_type: 'image/png', data: 'x' } }),
      ),
      e('rotation.changed', { maps: ['Twin Peaks', 'Harbour', 'Unknown'] }),
      e('rotation.changed', { maps: ['Harbour'] }, { time: after(-1_000) }),
      e('map.rated', { map: 'Twin Peaks', player: ADA, rate: 5 }),
      e('map.rated', { map: 'Twin Peaks', player: BOB, rate: 2, version: '0.9.0' }),
      e('map.rated', { map: 'Twin Peaks', player: ADA, rate: 4 }, { time: after(2_000) }),
      e('map.rated', { map: 'Nowhere', player: ADA, rate: 4 }),
      e('map.rated', { map: 'Harbour', player: ADA, rate: 6 }),
    ],
  ],
  [
    'people',
    'Alpha',
    [
      e('player.login', { player: ADA }),
      e('player.login', { player: { ...ADA, name: 'ada' } }, { time: after(3_000) }),
      e('player.login', { player: { ...ADA, name: 'OldAda' } }, { time: after(-86_400_000) }),
      e('player.logout', { player: ADA }, { time: after(4_000) }),
      e('player.named', { player: BOB }),
      e('player.named', { player: { ...BOB, name: 'Ada' } }, { time: after(-1_000) }),
      e('player.login', { player: { uuid: 'x', name: '' } }),
      e('player.login', { player: ADA }, { time: after(86_400_000) }),
      e('player.login', { player: ADA }, { server: 'Beta' }),
      e('player.login', { player: ADA }, { version: 0 }),
      e('player.login', { player: ADA, more: 1 }),
      e('player.login', { player: { ...DAN, more: 1 } }, { version: 2, news: 'x' }),
      e('player.login', { player: ADA }, { receipt: '37596qkzg00' }),
      { id: 'untyped' },
      { id: 'wall', type: 'Wall'.repeat(32), version: 1, time: after(0), data: {} },
      7,
      null,
      'text',
      [],
    ],
  ],
  [
    'statistics',
    'Beta',
    [
      e('player.statistics', {
        player: ADA,
        gamemode: 'factions',
        kill_count: 3,
        death_count: 1,
        time_played: 100,
        power: 1.5,
        faction: 'Reds',
        faction_id: 'r',
        faction_role: 'Leader',
        counters: { assists: 1, best_streak: 4 },
      }),
      e(
        'player.statistics',
        { player: ADA, gamemode: 'factions', kill_count: 2, power: -2.25, faction: '' },
        { time: after(5_000) },
      ),
      e('player.statistics', { player: { uuid: DAN.uuid }, gamemode: 'factions', kill_count: 1 }),
      e('player.statistics', { player: ADA, gamemode: 'vanilla', kill_count: 7, death_count: 4, time_played: 9_000 }),
      e('player.statistics', { player: ADA, gamemode: 'vanilla', counters: { assists: 1 } }),
      e('player.statistics', {
        player: BOB,
        gamemode: 'factions',
        kill_count: 900_000,
        time_played: 90_000_000,
        counters: { assists: 51, other: 1 },
      }),
      e('player.statistics', { player: BOB, gamemode: 'ctw' }),
    ],
  ],
  [
    'matches of every gamemode',
    'Alpha',
    GAMEMODES.map((gamemode, index) => e('match.finished', match(gamemode, index))),
  ],
  [
    'free for all and implausible matches',
    'Beta',
    [
      e(
        'match.finished',
        match('bowspleef', 40, {
          teams: [
            { name: 'Ada', players: [stats(ADA)] },
            { name: 'Bob', players: [stats(BOB)] },
          ],
          win: 'Ada',
        }),
      ),
      e('match.finished', match('ctw', 41, { winners: ['Red', 'Blue'], win: '' })),
      e(
        'match.finished',
        match('ctw', 42, {
          teams: [
            { name: 'Red', players: [stats(ADA, { time_played: 600_000, kill_count: 90_000, score: 99_000_000 })] },
          ],
          win: 'Red',
        }),
      ),
      e('match.finished', match('ctw', 43, { started: after(-400 * 86_400_000) })),
      e('match.finished', match('ctw', 44, { teams: [], win: 'Nobody' })),
      e('match.finished', match('ctw', 45, { started: after(1_000) })),
      e('match.finished', match('ctw', 46, { teams: [...teams, teams[0]] })),
      e('match.finished', match('ctw', 47, { kills: [{ killer: EVE.uuid, victim: ADA.uuid, time: after(0) }] })),
      e('match.finished', match('ctw', 48, { winners: ['Green', 'Green'], win: 'Blue' })),
      e('match.finished', match('ctw', 49, { teams: [{ name: 'Red', players: [stats(ADA), stats(ADA)] }] })),
      e('match.finished', match('ctw', 50, { teams: [{ name: 'Red', players: [stats(ADA, { primary: false })] }] })),
      e('match.finished', match('ctw', 51, { finished: after(86_400_000) })),
      e('match.finished', { gamemode: 7 }),
    ],
  ],
  [
    'presence',
    'Alpha',
    [
      e('server.presence', {
        current: 1,
        players: ['Ada', 'Bob'],
        player_count: 5,
        gamemode: 'ctw',
        current_map: 'Twin Peaks',
        next_map: 'Harbour',
      }),
      e('server.presence', { current: 9, players: ['Ada'] }),
      e('server.presence', { current: 0, players: ['Ada', 'Bob'], player_count: 1 }),
      e('server.presence', { current: 0, players: [] }, { time: after(-600_000) }),
      e('server.presence', { current: 0, players: Array.from({ length: 30 }, (_, index) => `P${index}`) }),
    ],
  ],
  [
    'running matches',
    'Alpha',
    [
      e('match.progress', { map: 'Harbour', started: after(-280_000), phase: 'running' }, { time: after(-270_000) }),
      e(
        'match.progress',
        { map: 'Twin Peaks', gamemode: 'ctw', started: after(1), observers: 3, participants: 4, teams, objectives },
        { time: after(1_000) },
      ),
      e('match.progress', { map: 'Twin Peaks', started: after(-9_000_000) }, { time: after(-8_000_000) }),
      e('match.progress', { map: 'Twin Peaks' }),
      e('match.progress', { map: 'Twin Peaks', started: after(5_000) }),
    ],
  ],
  ['a starting match', 'Beta', [e('match.progress', { map: 'Harbour', phase: 'starting' })]],
  [
    'punishments',
    'Alpha',
    [
      e('punishment.issued', ban('p1', ADA, { type: 'mute', automatic: true })),
      e(
        'punishment.issued',
        ban('p2', BOB, { punisher: ADA, reason: 'Griefing', level: 2, expires: after(3_600_000) }),
      ),
      e('punishment.issued', ban('p2', CID)),
      e('punishment.issued', ban('p3', CID, { type: 'kick', reason: '<b>x</b>' })),
      e('punishment.issued', ban('p4', DAN, { type: 'warn' })),
      e('punishment.issued', ban('p5', EVE)),
      e('punishment.changed', { punishment: 'p2', reason: 'Evasion', level: 3 }, { time: after(6_000) }),
      e('punishment.changed', { punishment: 'p2', reason: 'Earlier' }, { time: after(5_500) }),
      e('punishment.changed', { punishment: 'p2', type: 'mute', expires: null }, { time: after(7_000) }),
      e('punishment.changed', { reason: 'x' }),
      e('punishment.changed', { punishment_id: '37596qkzg00', punishment: 'p2' }),
      e('punishment.changed', { punishment_id: '00000000001', reason: 'x' }),
      e('punishment.revoked', { punishment: 'p1', reason: 'Wrong person', revoker: BOB }, { time: after(8_000) }),
      e('punishment.revoked', { punishment: 'p1' }, { time: after(9_000) }),
      e('punishment.revoked', { punishment: 'nothing' }),
    ],
  ],
  [
    'punishments of another server',
    'Beta',
    [
      e('punishment.changed', { punishment: 'p3', server: 'Alpha', reason: 'Beta says' }, { time: after(8_000) }),
      e('punishment.revoked', { punishment: 'p4', server: 'alpha', reason: 'Appeal', revoker: null }),
      e('punishment.revoked', { punishment: 'p4', server: 'Nowhere' }),
      e('punishment.revoked', { punishment: 'p4' }),
    ],
  ],
  ['a wrong code', 'Alpha', [e('account.link', { player: ADA, code: 'ABCD-EFGH' })]],
  [
    'merge and removal',
    'operator',
    [
      e('punishment.issued', ban('n1', ADA)),
      e('player.merged', { from: CID.uuid, into: DAN.uuid }),
      e('player.merged', { from: CID.uuid, into: EVE.uuid }),
      e('server.removed', {}, { server: 'Omega' }),
      e('counter.declared', { key: 'pieces', label: { en: 'Pieces' } }),
      e('counter.declared', {
        key: 'streak',
        label: { en: 'Streak' },
        aggregate: 'max',
        modes: ['ctw', 'teampvp', 'factions'],
      }),
      e('counter.declared', { key: 'wools', label: { en: 'Wools' }, modes: ['ctw'] }),
      e('counter.declared', { key: 'best_streak', label: { en: 'Streak' }, aggregate: 'sum' }, { time: after(20_000) }),
      e('counter.removed', { key: 'assists' }, { time: after(21_000) }),
      e('counter.declared', { key: 'assists', label: { en: 'Assists again' } }, { time: after(22_000) }),
    ],
  ],
];
