import { amount } from '#text/amount.ts';
import type { Progress } from '#db/transfer/copy.ts';
import { errorOutput } from '#platform/process/output.ts';

const EVERY_MS = 2_000;

/** Prints how far a long copy is, on stderr, every two seconds: short ones print nothing. */
export function progressLines(word: string): Progress {
  let printed = performance.now();
  return (table, rows) => {
    const now = performance.now();
    if (now - printed < EVERY_MS) return;
    printed = now;
    errorOutput().write(`${word} ${amount(rows, 'row')} of ${table}\n`);
  };
}
