import { z } from 'zod';
import { finishedMatch, matchIssues, matchProgress } from './schema/matches.ts';
import { count, EXAMPLE_UUID, name, player, text, timestamp, unnamedPlayer, uuid } from './schema/members.ts';
import { type Problem, problemsIn } from './schema/problems.ts';
import { counterDeclared, counterRemoved, counterValues } from './schema/counters.ts';

/**
 * The schema of every event: one shape a type, each with a version and the sender's own id. The HTTP ingest,
 * `scorehall import events` and all other importers use it.
 */

/** An id as receipts and the data API show it. */
const RECEIPT = /^[0-9a-hjkmnp-tv-z]{11}$/;

/** The version of the events that this schema describes. */
export const VERSION = 1;

/** Characters of a sender's own id of an event. */
export const MAX_ID_LENGTH = 128;
/** Characters of the type of a rejected event, which may be any text. */
export const MAX_TYPE_LENGTH = 64;

const presence = z
  .strictObject({
    current: count.meta({ description: 'Players taking part in the running game' }),
    players: z.array(text(64, 1)).max(5_000).meta({ description: 'Names of everyone connected' }),
    player_count: count
      .optional()
      .meta({ description: 'How many are connected, where `players` names only some of them; left out: its length' }),
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
  });

const configured = z.strictObject({
  region: text(64),
  order: z.int().min(-1_000_000).max(1_000_000).default(0),
  icon: text(512).default(''),
  max: count.default(0).meta({ description: 'Capacity; 0 for a lobby' }),
  punishments: z
    .enum(['network', 'own'])
    .optional()
    .meta({ description: 'Which punishments the server may change; left out: as it is, for a new server network' }),
});

const author = z.strictObject({
  name: text(64).default(''),
  uuid: z.union([z.literal(''), uuid], `must be a UUID such as ${EXAMPLE_UUID}, or empty`).default(''),
  contribution: text(512).default(''),
});

const map = z.strictObject({
  name,
  version: text(64),
  proto: text(32).default(''),
  objective: text(2_000).default(''),
  authors: z.array(author).max(200).default([]),
  teams: z
    .array(z.strictObject({ name: text(128), max: count.default(0), color: text(32).default('') }))
    .max(100)
    .default([]),
  gamemodes: z.array(text(32, 1)).max(20).default([]),
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

const rate = z.strictObject({
  map: name,
  version: text(64).optional().meta({ description: 'Left out: the version that is published now' }),
  player,
  rate: z.int().min(1).max(5),
});

const reference = text(128, 1).meta({ description: "The sender's own name for the punishment" });

const issued = z.strictObject({
  punishment: reference,
  punished: player,
  punisher: player.nullable().default(null),
  type: text(32, 1).meta({ description: 'ban, mute, kick, warn, or a word of the network' }),
  level: count.default(0),
  reason: text(2_000).default(''),
  expires: timestamp.nullable().default(null),
  automatic: z.boolean().default(false),
});

/** How a change names a punishment of the network. */
const target = {
  punishment_id: z
    .string()
    .regex(RECEIPT, 'must be the id of a punishment, as its receipt and /v1 show it')
    .optional()
    .meta({ description: 'The id of the punishment: the receipt of its event, and `id` in /v1' }),
  punishment: reference.optional(),
  server: text(128)
    .optional()
    .meta({ description: 'The server that issued `punishment`; left out: the sender; empty: an operator' }),
};

/** A punishment is named by `punishment_id`, or by `punishment` with or without `server`. */
function checkTarget(data: { [K in keyof typeof target]?: string | undefined }, ctx: z.RefinementCtx): void {
  const { punishment_id, punishment, server } = data;
  const refuse = (member: string, message: string): void => {
    ctx.addIssue({ code: 'custom', path: [member], message });
  };
  if (punishment_id === undefined && punishment === undefined)
    refuse('punishment', 'is missing: name the punishment by punishment_id, or by punishment with or without server');
  else if (punishment_id !== undefined && (punishment ?? server) !== undefined)
    refuse('punishment_id', 'must stand alone: leave out punishment and server');
}

const NAMED_BY = { anyOf: [{ required: ['punishment_id'] }, { required: ['punishment'] }] };

const changed = z
  .strictObject({
    ...target,
    type: text(32, 1).optional(),
    level: count.optional(),
    reason: text(2_000).optional(),
    expires: timestamp.nullable().optional(),
  })
  .superRefine(checkTarget)
  .meta(NAMED_BY);

const revoked = z
  .strictObject({
    ...target,
    reason: text(2_000).default('').meta({ description: 'Why it no longer holds; public' }),
    revoker: player.nullable().default(null).meta({ description: 'The player who revoked it' }),
  })
  .superRefine(checkTarget)
  .meta(NAMED_BY);

const statistics = z.strictObject({
  player: unnamedPlayer,
  gamemode: z.enum(['factions', 'vanilla']).meta({
    description:
      'factions: counters are what was added since the last event; vanilla: what the game itself has counted so far, kept outside all field groups',
  }),
  kill_count: count.default(0),
  death_count: count.default(0),
  time_played: count.default(0),
  power: z.number().min(-1_000_000_000).max(1_000_000_000).default(0),
  faction: text(64).default(''),
  faction_id: text(64).default(''),
  faction_role: text(64).default(''),
  counters: counterValues.optional(),
});
const reported = statistics.refine(({ gamemode, counters }) => gamemode !== 'vanilla' || counters === undefined, {
  path: ['counters'],
  message: 'must be left out with the gamemode vanilla, whose totals are not counted',
});

const link = z.strictObject({
  player,
  code: text(32, 1).meta({ description: 'As the player typed it; case, blanks and dashes do not count' }),
});
const merged = z
  .strictObject({ from: uuid, into: uuid })
  .refine(({ from, into }) => from !== into, { path: ['into'], message: 'must be another UUID than from' });

const envelope = <T extends string, D extends z.ZodType>(type: T, data: D, description: string) =>
  z
    .strictObject({
      version: z.literal(VERSION).meta({
        description:
          'An event that says a newer version may have members that are not described here: they are stored with it, and the receipt has a warning for each',
      }),
      id: text(MAX_ID_LENGTH, 1).meta({
        description: "The sender's own id of the event: the same id is the same event, however often it is sent",
      }),
      type: z.literal(type),
      time: timestamp,
      server: text(128, 1).optional().meta({ description: "The server's name; over HTTP the key says it" }),
      receipt: z
        .string()
        .regex(RECEIPT)
        .optional()
        .meta({ description: 'Written by `export events`: keeps ids when a network is moved' }),
      data,
    })
    .meta({ title: type, description });

export const EventSchema = z.discriminatedUnion('type', [
  envelope('server.configured', configured, 'What is fixed about a server; from operators only'),
  envelope('server.presence', presence, 'Heartbeat: who is on a server, and what it plays'),
  envelope('match.finished', finishedMatch, 'A match that is over, with everybody who played it'),
  envelope('match.progress', matchProgress, 'The match that a server plays now; only the newest report is stored'),
  envelope('map.published', map, 'A map, new or in a new version'),
  envelope('rotation.changed', z.strictObject({ maps: z.array(name).max(2_000) }), 'The maps a server plays, in order'),
  envelope('map.rated', rate, "A player's rating of a map version, one a player, changeable"),
  envelope('punishment.issued', issued, 'A new punishment'),
  envelope('punishment.changed', changed, 'Other facts about a punishment of the network; what is left out stays'),
  envelope('punishment.revoked', revoked, 'A punishment that no longer holds'),
  envelope('player.login', z.strictObject({ player }), 'A player joined the server'),
  envelope('player.named', z.strictObject({ player }), 'A player was seen under a name, on a server or not'),
  envelope('player.logout', z.strictObject({ player }), 'A player left the server'),
  envelope('player.statistics', reported, 'Statistics of modes without matches'),
  envelope(
    'account.link',
    link,
    'A player typed the code that the account page shows: game account and account belong together',
  ),
  envelope(
    'player.known',
    z.strictObject({ player: unnamedPlayer }),
    "A player whose id is the event's receipt; from operators only",
  ),
  envelope('counter.declared', counterDeclared, 'A counter of the network, new or changed; from operators only'),
  envelope('counter.removed', counterRemoved, 'A counter that the network no longer has; from operators only'),
  envelope('player.merged', merged, 'All of one UUID counts for another from now on; from operators only'),
  envelope('server.removed', z.strictObject({}), 'A server that is no more; from operators only'),
]);

/** A parsed event: timestamps in epoch milliseconds, UUIDs lower case with dashes, defaults filled in. */
export type Event = z.output<typeof EventSchema>;
/** An event as it is on the wire. */
export type WireEvent = z.input<typeof EventSchema>;
export type EventOf<T extends Event['type']> = Extract<Event, { type: T }>;
export type DataOf<T extends Event['type']> = EventOf<T>['data'];

/** Events that only operators may report. */
export const OPERATORS_ONLY: ReadonlySet<Event['type']> = new Set([
  'server.configured',
  'server.removed',
  'player.known',
  'player.merged',
  'counter.declared',
  'counter.removed',
]);

/** Types of events that the ledger does not store: only the newest of each server counts. */
export const OF_THE_PRESENT: ReadonlySet<string> = new Set<Event['type']>(['server.presence', 'match.progress']);

/** Checks one event by the schema. Times become epoch milliseconds, UUIDs lower case with dashes. */
export function parseBySchema(input: unknown): { event: Event } | { problems: Problem[] } {
  const result = EventSchema.safeParse(input);
  if (result.success) return { event: result.data };
  const { issues } = result.error;
  const { type, data } = (input ?? {}) as Record<'type' | 'data', unknown>;
  const others = type === 'match.finished' ? matchIssues(data, issues) : [];
  return { problems: problemsIn([...issues, ...others], input, TYPES_OF_SERVERS) };
}

export const TYPES: readonly Event['type'][] = EventSchema.options.map((option) => option.shape.type.value);

/** Types of events that the key of a game server may report. */
export const TYPES_OF_SERVERS = TYPES.filter((type) => !OPERATORS_ONLY.has(type));
