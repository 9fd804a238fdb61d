/** Measures the total duration of an activity that starts and stops. */
export class BusyTime {
  #ended = 0;
  #began: number | undefined;

  begin(): void {
    this.#began ??= performance.now();
  }

  end(): void {
    this.#ended = this.ms;
    this.#began = undefined;
  }

  /** Milliseconds in total. */
  get ms(): number {
    return this.#ended + (this.#began === undefined ? 0 : performance.now() - this.#began);
  }
}
