import { z } from 'zod';
import { eventType, PLAIN } from './event-type.ts';
import { count, EXAMPLE_PLAYER, player, RECEIPT_ID, text, timestamp } from './members.ts';

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

/** The members with which a change names a punishment of the network. */
const target = {
  punishment_id: z
    .string()
    .regex(RECEIPT_ID, 'must be the id of a punishment, as its receipt and /v1 show it')
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

export const PUNISHMENT_EVENTS = {
  'punishment.issued': eventType({
    description: 'A new punishment',
    data: issued,
    example: { punishment: 'ban-4711', punished: EXAMPLE_PLAYER, type: 'ban', reason: 'Cheating' },
    ...PLAIN,
    sender: 'servers',
    players: ({ punished }) => [punished.uuid],
  }),
  'punishment.changed': eventType({
    description: 'Other facts about a punishment of the network; what is left out stays',
    data: changed,
    example: { punishment: 'ban-4711', reason: 'Griefing' },
    ...PLAIN,
    sender: 'servers',
  }),
  'punishment.revoked': eventType({
    description: 'A punishment that no longer holds',
    data: revoked,
    example: { punishment: 'ban-4711', reason: 'Appeal accepted' },
    ...PLAIN,
    sender: 'servers',
  }),
};
