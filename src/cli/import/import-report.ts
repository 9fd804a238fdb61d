import { errorOutput, output } from '#platform/process/output.ts';
import type { Where } from '#importers/index.ts';
import type { Listener, Outcome } from './run.ts';
import type { Input } from '../command/command.ts';

const PROGRESS_EVERY_MS = 200;

/**
 * Prints the progress of an import: a line per refusal or note, and the totals at the end. With `--json` it prints one
 * object at the end. On a terminal it also shows the current totals and file.
 */
export class ImportReport implements Listener {
  readonly #json: boolean;
  readonly #dryRun: boolean;
  readonly #refusals: object[] = [];
  readonly #notes: object[] = [];
  #shown = 0;

  constructor({ values }: Input) {
    this.#json = values['json'] === true;
    this.#dryRun = values['dry-run'] === true;
  }

  refused({ file, place }: Where, reason: string): void {
    if (this.#json) this.#refusals.push({ file, place, reason });
    else this.#line(`refused  ${locationOf(file, place)}: ${reason}`);
  }

  noted({ file, place }: Where, note: string): void {
    if (this.#json) this.#notes.push({ file, place, note });
    else this.#line(`note     ${locationOf(file, place)}: ${note}`);
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

export function locationOf(file: string, place: string): string {
  return place === '' ? file : `${file}, ${place}`;
}
