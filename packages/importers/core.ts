import type { Event } from '../sender/event.ts';

/** The one interface of importers to Scorehall: what they ask it. They answer with findings, which it ingests. */
export interface Core extends NetworkLookup {
  /** The state that checkpoints kept of a source, by its name. */
  stateOf(source: string): ImportState;
}

/** Look-ups of importers in the current state of the network, and the clock for entries without a time. */
export interface NetworkLookup {
  now(): number;
  /** How PGM's maps show their gamemodes, by the names of these. */
  gamemodes: Readonly<Record<string, GamemodeElements>>;
  /** The current name of a known player. */
  nameOf(uuid: string): Promise<string | undefined>;
  /** The current name of a known player, and when the player was last seen under that name. */
  observationOf(uuid: string): Promise<{ name: string; seen: number } | undefined>;
  /** The UUID of the player who currently has the name, in any case. */
  uuidNamed(name: string): Promise<string | undefined>;
  /** The reason and expiry of the punishment that a server, or the network, has under a reference. */
  punishmentOf(reference: string, server?: string): Promise<{ reason: string; expires: number | null } | undefined>;
  /** The punishments that the network itself, not a server, has under references; unknown references are left out. */
  punishmentsOf(references: readonly string[]): Promise<Map<string, KnownPunishment>>;
  /** Whether the stored map is equal to the map of a `map.published` event. */
  isPublished(event: Event): Promise<boolean>;
  /** The objective of the map of exactly this name, case included. */
  objectiveOf(map: string): Promise<string | undefined>;
  mapNames(): Promise<string[]>;
  serverNames(): Promise<string[]>;
  /** Whether heartbeats of the server itself arrive: of the agent or a plugin, which report logins as well. */
  reportsItself(server: string): Promise<boolean>;
  /** The map names in the rotation of a server; undefined for an unknown or removed server. */
  rotationOf(server: string): Promise<string[] | undefined>;
}

/** The state of the imports of one source. Its checkpoints write it. */
export interface ImportState {
  /** A keyed hash, whose key only Scorehall has. */
  hash(text: string): string;
  /** The rows with these ids that were read before. */
  rows(part: string, rowIds: readonly string[]): Promise<Map<string, ImportedRow>>;
  /** The rows that were read before whose ids follow `after`, up to `last`, in their order. */
  rowsBetween(part: string, range: { after: string; last: string; limit: number }): Promise<ImportedRow[]>;
  marks(): Promise<Map<string, string>>;
}

/** A row of another program's database, as the last import found it. */
export interface ImportedRow {
  rowId: string;
  /** The reference of its punishment. */
  reference: string;
  /** A keyed hash of its content; empty if it is no longer known. */
  hash: string;
  /** How many changes were reported. */
  version: number;
  revoked: boolean;
  expires: number | null;
}

/** A punishment that an earlier import has issued. */
export interface KnownPunishment {
  revoked: boolean;
  /** The terms that imports reported last. Operators may have changed them since. */
  reported: PunishmentTerms | undefined;
}

/** The content of a punishment that may change. */
export interface PunishmentTerms {
  type: string;
  reason: string;
  /** Null for a permanent one. */
  expires: number | null;
}

export interface GamemodeElements {
  /** The children of `<map>` in PGM's map.xml that make it a gamemode of the map. Without any, a rule decides. */
  elements: readonly string[];
  /** Elements of which one must be inside, possibly in nested groups; without any, the child alone decides. */
  holds: readonly string[];
}
