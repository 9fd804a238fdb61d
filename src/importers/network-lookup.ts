import type { WireEvent } from '#events/schema/index.ts';
import type { PunishmentTerms } from '#store/game/punishments.ts';

/** A punishment that an earlier import has issued. */
export interface KnownPunishment {
  revoked: boolean;
  /** The terms that imports reported last. Operators may have changed them since. */
  reported: PunishmentTerms | undefined;
}

/** Look-ups of importers in the current state of the network, and the clock for entries without a time. */
export interface NetworkLookup {
  now(): number;
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
  isPublished(event: WireEvent): Promise<boolean>;
  /** The objective of the map of exactly this name, case included. */
  objectiveOf(map: string): Promise<string | undefined>;
  mapNames(): Promise<string[]>;
  serverNames(): Promise<string[]>;
  /** Whether heartbeats of the server itself arrive: of the agent or a plugin, which report logins as well. */
  reportsItself(server: string): Promise<boolean>;
  /** The map names in the rotation of a server; undefined for an unknown or removed server. */
  rotationOf(server: string): Promise<string[] | undefined>;
}
