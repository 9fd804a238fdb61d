/** Embeddings, overrides and isolates of UAX #9, which turn the order of all text behind them: no event may hold one. */
const TURNING_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text of a file as a line of its own, as an event may hold it: control characters and runs of blanks become one blank,
 * and marks that turn the order of text are left out.
 */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(TURNING_MARKS, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** One line of at most `max` UTF-16 units; what had to be cut ends in an ellipsis. */
export function fit(text: string, max: number): string {
  const line = oneLine(text);
  if (line.length <= max) return line;
  return `${line
    .slice(0, max - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}

/** Orders paths and names the same way on every machine. */
export function byCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
