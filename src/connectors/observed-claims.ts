/**
 * The times since which this process has seen the claims of servers unchanged, by its own monotonic clock. The clocks
 * of several processes may differ, so that no timestamp in a claim is compared with the time of another process.
 */
export class ObservedClaims<T extends { serverKey: number }> {
  readonly #isSame: (one: T, other: T) => boolean;
  /** By the key of the server. */
  #observed = new Map<number, ObservedClaim<T>>();

  constructor(isSame: (one: T, other: T) => boolean) {
    this.#isSame = isSame;
  }

  /** @param claims all claims; those of other servers are forgotten */
  observe(claims: readonly T[], now: number): ObservedClaim<T>[] {
    const observed = claims.map((claim) => {
      const before = this.#observed.get(claim.serverKey);
      return before !== undefined && this.#isSame(before.claim, claim) ? before : { claim, since: now };
    });
    this.#observed = new Map(observed.map((one) => [one.claim.serverKey, one]));
    return observed;
  }

  /** Records a claim of this process. */
  set(claim: T, now: number): void {
    this.#observed.set(claim.serverKey, { claim, since: now });
  }
}

export interface ObservedClaim<T> {
  claim: T;
  since: number;
}
