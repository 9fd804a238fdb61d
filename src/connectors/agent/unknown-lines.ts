const MANY_LINES = 1_000;
/** A modded server writes thousands of lines before the first one with a meaning. */
const WAIT_MS = 300_000;

/** Reports once that many lines of the log came and none had a meaning, because its form or its program is another one. */
export class UnknownLines {
  readonly #now: () => number;
  readonly #onTrouble: (sentence: string) => void;
  #since: number | undefined;
  #count = 0;
  #isReported = false;

  constructor(now: () => number, onTrouble: (sentence: string) => void) {
    this.#now = now;
    this.#onTrouble = onTrouble;
  }

  add(count: number, understood = false): void {
    if (understood || this.#isReported || count === 0) return;
    this.#since ??= this.#now();
    this.#count += count;
    if (this.#count < MANY_LINES || this.#now() - this.#since < WAIT_MS) return;
    this.#isReported = true;
    this.#onTrouble(
      `${this.#count} lines of the log were read, and none of them is in a form of Minecraft that the agent knows: nobody is ` +
        `reported as online. --server-dir must be the folder of a game server, not of a proxy, and its log4j2.xml must not ` +
        `change the form of the lines.`,
    );
  }
}
