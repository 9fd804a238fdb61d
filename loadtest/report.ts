/** What a proof has found: one line a figure as it comes, and whether any fell short at the end. */
export class Report {
  #short = 0;
  #count = 0;

  /** Says a figure and whether it is as it should be. */
  add(name: string, figure: string | number, holds: boolean): void {
    this.#count++;
    if (!holds) this.#short++;
    console.log(`${holds ? 'holds ' : 'SHORT '} ${name.padEnd(64)} ${figure}`);
  }

  /** Says a figure that promises nothing. */
  note(name: string, figure: string | number): void {
    console.log(`       ${name.padEnd(64)} ${figure}`);
  }

  end(): void {
    console.log(
      this.#short === 0 ? `All ${this.#count} figures hold.` : `${this.#short} of ${this.#count} fall short.`,
    );
    if (this.#short > 0 || this.#count === 0) process.exitCode = 1;
  }
}
