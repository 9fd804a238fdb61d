import type { z } from 'zod';
import type { Event } from '../sender/event.ts';

/** The interface between the protocol of Dewdrop and the ingest: events out, questions and stored maps in. */

/** A request, after its key was checked. */
export interface DewdropRequest {
  /** The part of the path that varies, percent-encoded; empty if none does. */
  parameter: string;
  /** Reads the JSON body within the limits of the ingest. */
  body: () => Promise<unknown>;
  /** Ingests an event as the server, within its limits. @returns the id of the event */
  accept: (event: Event) => Promise<string>;
  /** Whether nothing is stored, because the key is for tests. */
  dryRun: boolean;
}

/** The schemas and limits of events that the bodies of Dewdrop share. */
export interface Members {
  name: z.ZodType<string>;
  /** Epoch milliseconds. */
  timestamp: z.ZodType<number>;
  uuid: z.ZodType<string>;
  maxPlayers: number;
}

export interface SluggedMap {
  name: string;
  gamemode: string;
}

interface PlayedMatch {
  id: string;
  startedAt: number;
  endedAt: number;
  server: string;
  map: string;
}

interface Statistics {
  totals: Partial<Record<string, number>>;
  counters: ReadonlyMap<string, number>;
}

export interface DewdropCore {
  members: Members;
  /** The gamemodes of PGM that have a separate group of statistics. */
  gamemodesWithGroup: readonly string[];
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Reads a body. @throws a refusal that names the first wrong member */
  read<T extends z.ZodType>(shape: T, body: unknown): z.output<T>;
  /** An error that becomes the answer. */
  refusal(status: 400 | 404 | 422, sentence: string): Error;
  /** The current names of players by UUID. */
  namesOf(uuids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The map that a server sent under a slug. */
  sentMap(slug: string): Promise<SluggedMap | undefined>;
  /** The name of the known map to which PGM gives this slug. */
  mapNamed(slug: string): Promise<string | undefined>;
  /** Stores a map. @returns false if too many are stored */
  saveMap(slug: string, map: SluggedMap): Promise<boolean>;
  matchOf(id: string): Promise<PlayedMatch | undefined>;
  /** The totals and the declared counters of a known player, by key; of the counters only these. */
  statisticsOf(uuid: string, counterKeys: readonly string[]): Promise<Statistics | undefined>;
}
