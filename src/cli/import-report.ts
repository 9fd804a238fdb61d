import { output } from '#platform/output.ts';
import type { Where } from '#importers/finding.ts';
import type { Listener, Outcome } from '#importers/run.ts';
import type { Input } from './command.ts';

const PROGRESS_EVERY_MS = 200;

/**
 * Tells of an import: a line for what is refused or noted as it comes, and the sums at the end; with `--json` one object
 * at the end. On a terminal, how far it has come.
 */
export class ImportReport implements Listener {
  readonly #json: boolean;
  readonly #dryRun: boolean;
  readonly #told: { refused: object[]; notes: object[] } = { refused: [], notes: [] };
  #shown = 0;

  constructor({ values }: Input) {
    this.#json = values['json'] === true;
    this.#dryRun = values['dry-run'] === true;
  }

  refused({ file, place }: Where, reason: string): void {
    if (this.#json) this.#told.refused.push({ file, place, reason });
    else this.#line(`refused  ${at(file, place)}: ${reason}`);
  }

  noted({ file, place }: Where, note: string): void {
    if (this.#json) this.#told.notes.push({ file, place, note });
    else this.#line(`note     ${at(file, place)}: ${note}`);
  }

  moved({ taken: accepted, unchanged, refused }: Outcome, file: string): void {
    if (!process.stderr.isTTY || performance.now() - this.#shown < PROGRESS_EVERY_MS) return;
    this.#shown = performance.now();
    const line = `taken ${accepted}, unchanged ${unchanged}, refused ${refused}  ${file}`;
    process.stderr.write(`\r${line.slice(0, (process.stderr.columns ?? 80) - 1)}\x1b[K`);
  }

  end({ taken: accepted, unchanged, refused }: Outcome): void {
    if (this.#json) {
      const { refused: refusals, notes } = this.#told;
      const result = { taken: accepted, unchanged, refused, refusals, notes, dry_run: this.#dryRun };
      return void output().write(`${JSON.stringify(result)}\n`);
    }
    const width = Math.max(...[accepted, unchanged, refused].map((count) => String(count).length));
    for (const [name, count] of Object.entries({ taken: accepted, unchanged, refused }))
      this.#line(`${name.padEnd(9)}  ${String(count).padStart(width)}`);
    if (this.#dryRun) this.#line('A dry run: nothing was changed.');
  }

  #line(text: string): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    output().write(`${text}\n`);
  }
}

function at(file: string, place: string): string {
  return place === '' ? file : `${file}, ${place}`;
}
