import type { Missed } from './log-line.ts';

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

const MISSED: Readonly<Record<Missed, string>> = {
  uuid: 'neither the log nor usercache.json has the UUID of the player',
  name:
    'it may be chat, because the name has a blank and no such player is known from a line "UUID of player", from ' +
    'usercache.json or, for a logout, from a login',
  form: 'it is in no form of Minecraft that the agent knows; a plugin or log4j2.xml may have changed it',
  logger: 'a logger of a mod wrote it, which may repeat what players say',
};

/** Counts the lines about logins and logouts that gave no event, and reports each reason once. */
export class MissedLines {
  readonly #onTrouble: (sentence: string) => void;
  readonly #counts = new Map<Missed, number>();
  readonly #reported = new Set<Missed>();

  constructor(onTrouble: (sentence: string) => void) {
    this.#onTrouble = onTrouble;
  }

  add(reason: Missed): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  /** Called after a poll, so that the sentence counts all lines that were read at once. */
  report(): void {
    for (const [reason, count] of this.#counts) {
      if (this.#reported.has(reason)) continue;
      this.#reported.add(reason);
      const lines =
        count === 1
          ? 'A line of the log about a login or logout'
          : `Each of ${count} lines of the log about logins and logouts`;
      this.#onTrouble(`${lines} gave no event: ${MISSED[reason]}. Further ones are not reported.`);
    }
  }
}
