import { z } from 'zod';
import { eventType, fewRows, itsPlayer, NO_CHECKS } from '#events/schema/event-type.ts';
import { EXAMPLE_PLAYER, player } from '#events/schema/members.ts';
import { type Effects, type EventEffect } from '#events/handlers/event-effect.ts';
import { EFFECTS } from '#events/handlers/index.ts';
import { EVENT_TYPES } from '#events/schema/index.ts';

/**
 * A made-up type of event. The compiler demands every property of both of its values, and both tables: each
 * `@ts-expect-error` below is an error itself if what it marks compiles.
 */

const data = z.strictObject({ player });

const sneezed = {
  description: 'A player sneezed',
  data,
  example: { player: EXAMPLE_PLAYER },
  sender: 'servers',
  needsServer: true,
  stored: 'whole',
  pseudonyms: 'always',
  weight: fewRows,
  checks: NO_CHECKS,
  players: itsPlayer,
} as const;

const effect: EventEffect<z.output<typeof data>> = {
  apply: () => undefined,
  changes: ['player'],
  changesPlayers: false,
  aggregate: null,
  observes: (event) => event.player,
  retract: { undo: () => null },
  anonymise: null,
};

const without = <T extends object, K extends keyof T>(value: T, _property: K): Omit<T, K> => value;
const isEffect = (_effect: typeof effect): void => undefined;

const types = { ...EVENT_TYPES, 'player.sneezed': eventType(sneezed) };
export const effects: Effects<typeof types> = { ...EFFECTS, 'player.sneezed': effect };

// @ts-expect-error The table of effects lacks the type.
export const incomplete: Effects<typeof types> = EFFECTS;
// @ts-expect-error The table of effects has a type that is not described.
export const undescribed: Effects<typeof EVENT_TYPES> = { ...EFFECTS, 'player.sneezed': effect };

export function incompleteTypes(): void {
  // @ts-expect-error
  eventType(without(sneezed, 'description'));
  // @ts-expect-error
  eventType(without(sneezed, 'data'));
  // @ts-expect-error
  eventType(without(sneezed, 'example'));
  // @ts-expect-error
  eventType(without(sneezed, 'sender'));
  // @ts-expect-error
  eventType(without(sneezed, 'needsServer'));
  // @ts-expect-error
  eventType(without(sneezed, 'stored'));
  // @ts-expect-error
  eventType(without(sneezed, 'pseudonyms'));
  // @ts-expect-error
  eventType(without(sneezed, 'weight'));
  // @ts-expect-error
  eventType(without(sneezed, 'checks'));
  // @ts-expect-error
  eventType(without(sneezed, 'players'));
  // @ts-expect-error
  isEffect(without(effect, 'apply'));
  // @ts-expect-error
  isEffect(without(effect, 'changes'));
  // @ts-expect-error
  isEffect(without(effect, 'changesPlayers'));
  // @ts-expect-error
  isEffect(without(effect, 'aggregate'));
  // @ts-expect-error
  isEffect(without(effect, 'observes'));
  // @ts-expect-error
  isEffect(without(effect, 'retract'));
  // @ts-expect-error
  isEffect(without(effect, 'anonymise'));
}
