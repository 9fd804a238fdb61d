/** What comes, so many at a time; no more of it is asked for before a portion is done with. */
export function* portionsOf<T>(comes: Iterable<T>, size: number): Generator<T[]> {
  let portion: T[] = [];
  for (const one of comes) {
    portion.push(one);
    if (portion.length < size) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}
