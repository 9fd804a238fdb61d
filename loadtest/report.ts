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

  end(): void {
    console.log(
      this.#missed === 0
        ? `All ${this.#count} figures meet their targets.`
        : `${this.#missed} of ${this.#count} figures miss their targets.`,
    );
    if (this.#missed > 0 || this.#count === 0) process.exitCode = 1;
  }
}
