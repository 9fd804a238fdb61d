import { output } from '#platform/process/output.ts';
import type { Where } from '#importers/index.ts';
import type { Listener, Outcome } from './run.ts';
import { locationOf } from './import-report.ts';

/** Enough lines that one bad database does not make the memory grow. */
const MOST_REMEMBERED = 1_000;

/** Prints the results of the rounds of a followed import, and each refusal or note once. */
export class FollowReport implements Listener {
  readonly #printed = new Set<string>();
  #isReady = false;

  refused({ file, place }: Where, reason: string): void {
    this.#once(`refused  ${locationOf(file, place)}: ${reason}`);
  }

  noted({ file, place }: Where, note: string): void {
    this.#once(`note     ${locationOf(file, place)}: ${note}`);
  }

  progressed(): void {
    // A round prints its totals at its end.
  }

  /** Prints the totals of the first round, and of each that imported something. */
  end({ taken, unchanged, refused }: Outcome): void {
    if (!this.#isReady || taken > 0) this.line(`taken ${taken}, unchanged ${unchanged}, refused ${refused}`);
    this.#isReady = true;
  }

  line(text: string): void {
    output().write(`${new Date().toISOString()} ${text}\n`);
  }

  #once(text: string): void {
    if (this.#printed.has(text)) return;
    if (this.#printed.size >= MOST_REMEMBERED) this.#printed.clear();
    this.#printed.add(text);
    this.line(text);
  }
}
