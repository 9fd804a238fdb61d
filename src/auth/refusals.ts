/** Limits the memory against an attacker with millions of addresses or accounts. */
const MAX_REFUSALS = 10_000;

/** Refusals that are repeated from memory, so that a refused request costs no access to the database. */
export class Refusals<Refusal> {
  readonly #refusals = new Map<string, { refusal: Refusal; until: number }>();

  get(subject: string, now: number): Refusal | undefined {
    const found = this.#refusals.get(subject);
    return found !== undefined && found.until > now ? found.refusal : undefined;
  }

  /** @param until epoch milliseconds */
  add(subject: string, refusal: Refusal, until: number): void {
    this.#refusals.delete(subject);
    if (this.#refusals.size >= MAX_REFUSALS) this.#refusals.delete(this.#refusals.keys().next().value!);
    this.#refusals.set(subject, { refusal, until });
  }
}
