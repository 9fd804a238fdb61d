import type { z } from 'zod';
import type { Renamed } from '#store/game/own-teams.ts';
import { rename } from '#store/game/renamed-json.ts';
import type { Problem } from './problems.ts';

/**
 * The properties of an event type: one value for each type, listed in `index.ts`. Its effect is another value, in
 * `../handlers/`, because the thread that checks events does not load it.
 * @template Prepared the data as handlers get it
 */
export interface EventType<Schema extends z.ZodType = z.ZodType, Prepared = unknown> {
  /** For the OpenAPI document. */
  description: string;
  data: Schema;
  example: z.input<Schema>;
  /** Who may report it: operators only, or game servers too. */
  sender: 'operators' | 'servers';
  needsServer: boolean;
  stored: Stored;
  /** In which events deleted players are replaced by pseudonyms; `stored`: not in new ones, which bring the real player back. */
  pseudonyms: 'always' | 'stored' | 'never';
  /**
   * The approximate number of rows that it writes, without those of new players, which only the writer knows. Limits count
   * this or `weightOfBytes`, whichever is larger.
   */
  weight(data: z.output<Schema>): number;
  checks: Checks<z.output<Schema>>;
  /** Left out if handlers get the parsed data. */
  prepared: PreparedForm<z.output<Schema>, Prepared>;
  /** The UUIDs of its players, which are added if they are not known. */
  players(data: NoInfer<Prepared>): string[];
}

/**
 * How much of an event the ledger stores: all, nothing (only the newest report of each server counts), or not the members
 * `without`, in which case the rest is read again as an event of the type `as`.
 */
export type Stored = 'whole' | 'never' | { without: readonly string[]; as: string };

interface Checks<Data> {
  /** Issues that zod does not report if it has reported `found`. */
  furtherIssues(data: unknown, found: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[];
  /** The timestamps in the data that cannot be right, given the event's own and the latest one that may be sent now. */
  misdated(data: Data, time: number, latest: number): Refusal[];
  /**
   * Warnings about values that are valid but not plausible, such as milliseconds instead of seconds. The event is accepted,
   * because a game may have other rules.
   */
  implausible(data: Data): Problem[];
}

/** The data as handlers get it: computed outside the transaction; pseudonyms are applied in the transaction. */
interface PreparedForm<Data, Prepared> {
  from(data: Data): Prepared;
  rename(data: Prepared, pseudonyms: Renamed): Prepared;
}

/** A problem of an event that satisfies its schema. */
export interface Refusal {
  place: string;
  /** See `problemOf`. */
  predicate: string;
  /** Whether the same event may be accepted later. */
  retry?: true;
}

/** Checks that the value has all properties of an event type, and infers the types of its data. */
export function eventType<Schema extends z.ZodType>(type: AsParsed<Schema>): EventType<Schema, z.output<Schema>>;
export function eventType<Schema extends z.ZodType, Prepared>(
  type: EventType<Schema, Prepared>,
): EventType<Schema, Prepared>;
export function eventType(type: Omit<EventType, 'prepared'>): EventType {
  return { prepared: { from: (data) => data, rename }, ...type };
}

/** A type whose handlers get the parsed data. */
type AsParsed<Schema extends z.ZodType> = Omit<EventType<Schema, z.output<Schema>>, 'prepared'> & {
  prepared?: never;
};

/** The weight of a player without a row yet: the player, the counters and the name. */
export const NEW_PLAYER_WEIGHT = 3;
/** The weight of an event that writes few rows, whatever its data. */
export const OTHER_WEIGHT = 4;
export const fewRows = (): number => OTHER_WEIGHT;

const BYTES_PER_WEIGHT = 256;
/** The weight of reading, checking and copying JSON: as much as writing a row of it takes 256 bytes. */
export const weightOfBytes = (bytes: number): number => Math.ceil(bytes / BYTES_PER_WEIGHT);

export const tooLate = (place: string): Refusal => ({
  place,
  predicate: 'lies more than 5 minutes in the future; set the clock of the sender',
  retry: true,
});

/** The schema finds all problems. */
export const NO_CHECKS: Checks<unknown> = {
  furtherIssues: () => [],
  misdated: () => [],
  implausible: () => [],
};

/** What most types have; the others name their own after it. */
export const PLAIN = {
  needsServer: false,
  stored: 'whole',
  pseudonyms: 'always',
  weight: fewRows,
  checks: NO_CHECKS,
  players: (): string[] => [],
} as const;

export const itsPlayer = ({ player }: { player: { uuid: string } }): string[] => [player.uuid];
