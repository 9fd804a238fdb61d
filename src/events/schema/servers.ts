import { z } from 'zod';
import { eventType, OTHER_WEIGHT, PLAIN } from './event-type.ts';
import { count, name, text } from './members.ts';
import { isName, playerName } from './player-names.ts';

export const configured = z.strictObject({
  region: text(64),
  order: z.int().min(-1_000_000).max(1_000_000).default(0),
  icon: text(512).default(''),
  max: count.default(0).meta({ description: 'Capacity; 0 for a lobby' }),
  punishments: z
    .enum(['network', 'own'])
    .optional()
    .meta({ description: 'Which punishments the server may change; left out: as it is, for a new server network' }),
});

const presence = z
  .strictObject({
    current: count.meta({ description: 'Players taking part in the running game' }),
    players: z.array(playerName).max(5_000).meta({ description: 'Names of everyone connected' }),
    player_count: count
      .optional()
      .meta({ description: 'How many are connected, if `players` names only some of them; left out: its length' }),
    gamemode: text(32).default(''),
    current_map: text(128).default(''),
    next_map: text(128).default(''),
  })
  .refine(({ player_count, players }) => player_count === undefined || player_count >= players.length, {
    path: ['player_count'],
    message: 'must not be smaller than the number of names in players',
  })
  .refine(({ current, players, player_count = players.length }) => current <= player_count, {
    path: ['current'],
    message: 'must not be larger than the number of connected players',
  })
  // Without a UUID there is no label.
  .overwrite((data) => {
    const players = data.players.filter(isName);
    return players.length === data.players.length
      ? data
      : { ...data, players, player_count: data.player_count ?? data.players.length };
  });

const removed = z.strictObject({});

export const SERVER_EVENTS = {
  'server.configured': eventType({
    description: 'What is fixed about a server; from operators only',
    data: configured,
    example: { region: 'eu', max: 40 },
    ...PLAIN,
    sender: 'operators',
    needsServer: true,
  }),
  'server.presence': eventType({
    description: 'Heartbeat: who is on a server, and what it plays',
    data: presence,
    example: { current: 1, players: ['Saltmarten', 'Wharfinger'], gamemode: 'ctw', current_map: 'Twin Peaks' },
    ...PLAIN,
    sender: 'servers',
    needsServer: true,
    stored: 'never',
  }),
  'server.removed': eventType({
    description: 'A server that is no more; from operators only',
    data: removed,
    example: {},
    ...PLAIN,
    sender: 'operators',
    needsServer: true,
  }),
};

const data = z.strictObject({ maps: z.array(name).max(2_000) });

export const ROTATION_EVENTS = {
  'rotation.changed': eventType({
    description: 'The maps a server plays, in order',
    data,
    example: { maps: ['Twin Peaks', 'Dusk Harbour'] },
    ...PLAIN,
    sender: 'servers',
    needsServer: true,
    weight: ({ maps }) => OTHER_WEIGHT + maps.length,
  }),
};
