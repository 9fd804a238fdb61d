import { errorOutput, output } from '#platform/process/output.ts';
import type { Where, Finding } from '#importers/index.ts';
import { type Listener, type Outcome, runImport, tryImport } from './run.ts';
import { type Input, type CommandOption, flag, JSON_OPTION } from '../command/command.ts';
import { UsageError } from '#platform/errors.ts';
import type { AppContext } from '#context/context.ts';
import type { WireEvent } from '#events/schema/index.ts';

const PROGRESS_EVERY_MS = 200;

/**
 * Prints the progress of an import: a line per refusal or note, and the totals at the end. With `--json` it prints one
 * object at the end. On a terminal it also shows the current totals and file.
 */
class ImportReport implements Listener {
  readonly #json: boolean;
  readonly #dryRun: boolean;
  readonly #refusals: object[] = [];
  readonly #notes: object[] = [];
  #shown = 0;

  constructor({ values }: Input) {
    this.#json = values['json'] === true;
    this.#dryRun = values['dry-run'] === true;
  }

  refused(where: Where, reason: string): void {
    const { file, place } = where;
    if (this.#json) this.#refusals.push({ file, place, reason });
    else this.#line(lineOf('refused', where, reason));
  }

  noted(where: Where, note: string): void {
    const { file, place } = where;
    if (this.#json) this.#notes.push({ file, place, note });
    else this.#line(lineOf('note', where, note));
  }

  progressed({ taken, unchanged, refused }: Outcome, file: string): void {
    if (!process.stderr.isTTY || performance.now() - this.#shown < PROGRESS_EVERY_MS) return;
    this.#shown = performance.now();
    const line = `taken ${taken}, unchanged ${unchanged}, refused ${refused}  ${file}`;
    errorOutput().write(`\r${line.slice(0, (process.stderr.columns ?? 80) - 1)}\x1b[K`);
  }

  end({ taken, unchanged, refused }: Outcome): void {
    if (this.#json) {
      const [refusals, notes] = [this.#refusals, this.#notes];
      const result = { taken, unchanged, refused, refusals, notes, dry_run: this.#dryRun };
      return void output().write(`${JSON.stringify(result)}\n`);
    }
    const width = Math.max(...[taken, unchanged, refused].map((count) => String(count).length));
    for (const [name, count] of Object.entries({ taken, unchanged, refused }))
      this.#line(`${name.padEnd(9)}  ${String(count).padStart(width)}`);
    if (this.#dryRun) this.#line('A dry run: nothing was changed.');
  }

  #line(text: string): void {
    if (process.stderr.isTTY) errorOutput().write('\r\x1b[K');
    output().write(`${text}\n`);
  }
}

const lineOf = (word: 'refused' | 'note', { file, place }: Where, text: string): string =>
  `${word.padEnd(7)}  ${place === '' ? file : `${file}, ${place}`}: ${text}`;

/** Maximum lines that are remembered as printed, so that a database with many faults does not fill the memory. */
const MOST_REMEMBERED = 1_000;

/** Prints the results of the rounds of a followed import, and each refusal or note once. */
export class FollowReport implements Listener {
  readonly #printed = new Set<string>();
  #isReady = false;

  refused(where: Where, reason: string): void {
    this.#once(lineOf('refused', where, reason));
  }

  noted(where: Where, note: string): void {
    this.#once(lineOf('note', where, note));
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

export const ONCE_OPTIONS: Record<string, CommandOption> = {
  'dry-run': flag('Check everything without changing anything; other writes wait until the check ends'),
  json: JSON_OPTION,
};

/**
 * Imports all findings, or tries to with `--dry-run`, and reports them.
 * @throws UsageError if everything was refused, for scripts that do not read the report
 */
export async function importOnce(
  input: Input,
  { db, clock }: AppContext,
  findings: AsyncIterable<Finding<WireEvent>>,
  source: string,
): Promise<void> {
  const report = new ImportReport(input);
  const outcome = await (input.has('dry-run') ? tryImport : runImport)(db, clock, findings, report);
  report.end(outcome);
  const { taken, unchanged, refused } = outcome;
  if (taken === 0 && unchanged === 0 && refused > 0)
    throw new UsageError(`Nothing was imported from ${source}: everything was refused (${refused}), see above.`);
}
