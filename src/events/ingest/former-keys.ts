import { keyOf } from '#platform/ids.ts';
import { playerByKey } from '#store/game/players.ts';
import type { Keys } from '#store/sequence.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';

/**
 * The keys of exported players who are newer than the first event that names them: such an event names a punishment that
 * was returned to a game account, see `returnPunishments`.
 */
export class FormerKeys {
  readonly #assigned = new Set<number>();

  /** The keys for the players that an event adds: the former one for the first, if it is free. */
  async of({ tx, keys }: UnitOfWork, playerId: string, event: number): Promise<Pick<Keys, 'following'>> {
    const former = keyOf(playerId) ?? 0;
    if (former <= event || (await playerByKey(tx, former)) !== undefined) return keys;
    return {
      following: () => {
        if (this.#assigned.has(former)) return keys.following();
        this.#assigned.add(former);
        return former;
      },
    };
  }
}
