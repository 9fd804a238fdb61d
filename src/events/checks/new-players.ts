const HOUR_MS = 3_600_000;

/**
 * Limits how many players each server adds in an hour, since players stay for ever and anybody can invent UUIDs. Held in
 * memory: a restart begins a new hour.
 */
export class NewPlayerLimit {
  readonly perHour: number;
  readonly #servers = new Map<number, { added: number; ends: number }>();

  /** @param perHour 0 for no limit */
  constructor(perHour: number) {
    this.perHour = perHour;
  }

  /**
   * Whether a server may add this many players now, beside `pending` ones that are not counted yet. The first event of an
   * hour always may: one with more players than the limit would otherwise be refused for ever.
   */
  allows(serverKey: number, players: number, pending: number, now: number): boolean {
    const server = this.#servers.get(serverKey);
    const added = pending + (server !== undefined && server.ends > now ? server.added : 0);
    return this.perHour === 0 || players === 0 || added === 0 || added + players <= this.perHour;
  }

  /** Counts players that a committed transaction has added, by server. */
  count(added: ReadonlyMap<number, number>, now: number): void {
    for (const [serverKey, players] of added) {
      const server = this.#servers.get(serverKey);
      if (server !== undefined && server.ends > now) server.added += players;
      else this.#servers.set(serverKey, { added: players, ends: now + HOUR_MS });
    }
  }
}
