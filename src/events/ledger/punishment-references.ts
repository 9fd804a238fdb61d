import { chunksOf } from '#platform/streams/chunks.ts';
import type { Queryable } from '#db/db.ts';
import { usedReferences } from '#store/game/punishments.ts';

const READ_BATCH_SIZE = 256;

/** Recognises references of punishments that were issued before: in the database, or in the same transaction. */
export class PunishmentReferences {
  readonly #tx: Queryable;
  /** By scope: whether each loaded reference is used. */
  readonly #scopes = new Map<number, Map<string, boolean>>();

  constructor(tx: Queryable) {
    this.#tx = tx;
  }

  /** Reads which references are used, in few statements. */
  async load(named: Iterable<readonly [scope: number, reference: string]>): Promise<void> {
    for (const [scope, all] of Map.groupBy(named, ([scope]) => scope)) {
      const known = this.#of(scope);
      const unread = all.map(([, reference]) => reference).filter((reference) => !known.has(reference));
      for (const chunk of chunksOf(unread, READ_BATCH_SIZE)) {
        const used = new Set(await usedReferences(this.#tx, scope, chunk));
        for (const reference of chunk) known.set(reference, used.has(reference));
      }
    }
  }

  async isUsed(scope: number, reference: string): Promise<boolean> {
    if (!this.#of(scope).has(reference)) await this.load([[scope, reference]]);
    return this.#of(scope).get(reference)!;
  }

  /** Records that an event of this transaction uses the reference. */
  add(scope: number, reference: string): void {
    this.#of(scope).set(reference, true);
  }

  #of(scope: number): Map<string, boolean> {
    let known = this.#scopes.get(scope);
    if (known === undefined) this.#scopes.set(scope, (known = new Map<string, boolean>()));
    return known;
  }
}
