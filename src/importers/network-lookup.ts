import type { WireEvent } from '#events/schema.ts';

/** What importers ask about the network as it is. Time comes from here too: a file seldom says when. */
export interface NetworkLookup {
  now(): number;
  /** The present name of a player that is known. */
  nameOf(uuid: string): Promise<string | undefined>;
  /** The present name of a player that is known, and when the player was last seen under it. */
  observationOf(uuid: string): Promise<{ name: string; seen: number } | undefined>;
  /** Who bears a name now, in any case. */
  uuidNamed(name: string): Promise<string | undefined>;
  /** What holds of the punishment that a server, or the network, has under a reference. */
  punishmentOf(reference: string, server?: string): Promise<{ reason: string; expires: number | null } | undefined>;
  /** Whether a map stands just as a `map.published` event would have it. */
  isPublished(event: WireEvent): Promise<boolean>;
  /** The objective of the map of exactly this name. */
  objectiveOf(map: string): Promise<string | undefined>;
  mapNames(): Promise<string[]>;
  /** The names of the maps that a server plays in turn; undefined where the server is not known. */
  rotationOf(server: string): Promise<string[] | undefined>;
}
