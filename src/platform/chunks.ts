/** What comes, so many at a time; no more of it is asked for before a portion is done with. */
export function* chunksOf<T>(comes: Iterable<T>, size: number): Generator<T[]> {
  let chunk: T[] = [];
  for (const one of comes) {
    chunk.push(one);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
