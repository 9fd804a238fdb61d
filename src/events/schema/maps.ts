import { z } from 'zod';
import { GAMEMODE_NAMES } from '#store/game/statistics-groups.ts';
import { eventType, PLAIN } from './event-type.ts';
import { count, EXAMPLE_UUID, name, text, uuid } from './members.ts';

const author = z.strictObject({
  name: text(64).default(''),
  uuid: z.union([z.literal(''), uuid], `must be a UUID such as ${EXAMPLE_UUID}, or empty`).default(''),
  contribution: text(512).default(''),
});

const knownMode = (mode: string): string => GAMEMODE_NAMES.find((name) => name === mode.toLowerCase()) ?? mode;

const data = z.strictObject({
  name,
  version: text(64),
  proto: text(32).default(''),
  objective: text(2_000).default(''),
  authors: z.array(author).max(200).default([]),
  teams: z
    .array(z.strictObject({ name: text(128), max: count.default(0), color: text(32).default('') }))
    .max(100)
    .default([]),
  gamemodes: z
    .array(text(32, 1))
    .max(20)
    .default([])
    .meta({ description: "Known ones in any case: they are stored as PGM's tags, in lower case" })
    .transform((modes) => [...new Set(modes.map(knownMode))]),
  type: text(32).default(''),
  path: text(512).default(''),
  image: z
    .strictObject({
      content_type: z.enum(['image/png', 'image/jpeg', 'image/webp']),
      data: z.base64().min(8).max(700_000),
    })
    .optional()
    .meta({ description: 'Left out: a picture that is known already stays' }),
});

/** A map without its gamemodes. */
const MAP_WEIGHT = 8;

export const MAP_EVENTS = {
  'map.published': eventType({
    description: 'A map, new or in a new version',
    data,
    example: {
      name: 'Twin Peaks',
      version: '1.0.0',
      authors: [{ name: 'Saltmarten', uuid: EXAMPLE_UUID }],
      teams: [{ name: 'Red', max: 20, color: 'red' }],
      gamemodes: ['ctw'],
      image: { content_type: 'image/png', data: 'iVBORw0KGgo=' },
    },
    ...PLAIN,
    sender: 'servers',
    stored: { without: ['image'], as: 'map.published' },
    // Authorship stays public after an account is deleted.
    pseudonyms: 'never',
    weight: ({ gamemodes }) => MAP_WEIGHT + gamemodes.length,
  }),
};
