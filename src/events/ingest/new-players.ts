import { FixedWindows } from '#http/fixed-windows.ts';
import { LIMITS } from '#http/limits.ts';

/**
 * Limits the players that each server adds in an hour. They are counted in memory: a restart begins a new hour.
 */
export class NewPlayerLimit {
  readonly perHour: number;
  readonly #windows = new FixedWindows<number>(LIMITS.newPlayer.windowMs, Infinity);

  /** @param perHour 0 for no limit */
  constructor(perHour: number) {
    this.perHour = perHour;
  }

  /**
   * Whether a server may add this many players now, in addition to `pending` ones that are not counted yet. The first event
   * of an hour always may: an event with more players than the limit would otherwise be refused for ever.
   */
  allows(serverKey: number, players: number, pending: number, now: number): boolean {
    const added = pending + this.#windows.used(serverKey, now);
    return this.perHour === 0 || players === 0 || added === 0 || added + players <= this.perHour;
  }

  /** Counts players that a committed transaction has added, by server. */
  count(added: ReadonlyMap<number, number>, now: number): void {
    for (const [serverKey, players] of added) this.#windows.add(serverKey, players, now);
  }
}
