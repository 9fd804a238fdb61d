/** Prints each figure of a load test, and at the end whether all met their targets. */
export class Report {
  #missed = 0;
  #count = 0;
  #noted = false;

  /** Prints a figure and whether it meets its target. */
  add(name: string, figure: string | number, meetsTarget: boolean): void {
    this.#count++;
    if (!meetsTarget) this.#missed++;
    console.log(`${meetsTarget ? 'ok    ' : 'MISSED'} ${name.padEnd(64)} ${figure}`);
  }

  /** Prints a figure without a target. */
  note(name: string, figure: string | number): void {
    this.#noted = true;
    console.log(`       ${name.padEnd(64)} ${figure}`);
  }

  /** Sets the exit code to 1 if a figure missed its target, or if nothing was measured. */
  end(): void {
    console.log(this.#conclusion());
    if (this.#missed > 0 || !this.#isMeasured) process.exitCode = 1;
  }

  get #isMeasured(): boolean {
    return this.#count > 0 || this.#noted;
  }

  #conclusion(): string {
    if (!this.#isMeasured) return 'Nothing was measured.';
    if (this.#count === 0) return 'No figure has a target.';
    if (this.#missed > 0) return `${this.#missed} of ${this.#count} figures miss their targets.`;
    return `All ${this.#count} figures meet their targets.`;
  }
}
