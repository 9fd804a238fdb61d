/** Prints each figure of a load test, and at the end whether any missed its target. */
export class Report {
  #missed = 0;
  #count = 0;

  /** Prints a figure and whether it meets its target. */
  add(name: string, figure: string | number, meetsTarget: boolean): void {
    this.#count++;
    if (!meetsTarget) this.#missed++;
    console.log(`${meetsTarget ? 'ok    ' : 'MISSED'} ${name.padEnd(64)} ${figure}`);
  }

  /** Prints a figure without a target. */
  note(name: string, figure: string | number): void {
    console.log(`       ${name.padEnd(64)} ${figure}`);
  }

  /** Sets the exit code to 1 if a figure missed its target, or if nothing was measured. */
  end(): void {
    console.log(this.#conclusion());
    if (this.#missed > 0 || this.#count === 0) process.exitCode = 1;
  }

  #conclusion(): string {
    if (this.#count === 0) return 'Nothing was measured: no part has the name that --only gives.';
    if (this.#missed > 0) return `${this.#missed} of ${this.#count} figures miss their targets.`;
    return `All ${this.#count} figures meet their targets.`;
  }
}
