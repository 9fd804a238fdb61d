/** For how long something has been under way, however often it began and ended. */
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

  /** Milliseconds. */
  get ms(): number {
    return this.#ended + (this.#began === undefined ? 0 : performance.now() - this.#began);
  }
}
