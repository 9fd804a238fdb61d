/**
 * The candidate that is closest to a mistyped word, regardless of case; undefined if none is similar. At most a third
 * of its characters, and at most `most`, may be wrong.
 */
export function nearest(word: string, candidates: Iterable<string>, most = Infinity): string | undefined {
  const typed = word.toLowerCase().slice(0, MAX_LENGTH);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase());
    if (distance <= Math.min(most, Math.max(1, candidate.length / 3)) && distance < (best?.distance ?? Infinity))
      best = { candidate, distance };
  }
  return best?.candidate;
}

/** ` Did you mean "…"?` for the end of an error message; empty if nothing is similar. */
export function didYouMean(word: string, candidates: Iterable<string>, most = Infinity): string {
  const candidate = nearest(word, candidates, most);
  return candidate === undefined ? '' : ` Did you mean "${candidate}"?`;
}

const MAX_LENGTH = 100;

/** The number of characters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let [beforeLast, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        last![column]! + 1,
        current[column - 1]! + 1,
        last![column - 1]! + cost,
        swapped ? beforeLast![column - 2]! + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last!.at(-1)!;
}
