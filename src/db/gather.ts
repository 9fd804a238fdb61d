/** Turns look-ups that many requests make at the same moment into one: each key is asked for once, in the next tick. */
export function gathered<V>(
  lookUp: (keys: number[]) => Promise<Map<number, V>>,
): (key: number) => Promise<V | undefined> {
  let waiting: Gathering<V> | undefined;
  return async (key) => {
    if (waiting === undefined) {
      const gathering = (waiting = new Gathering(lookUp));
      setImmediate(() => {
        waiting = undefined;
        gathering.run();
      });
    }
    waiting.keys.add(key);
    return (await waiting.found.promise).get(key);
  };
}

class Gathering<V> {
  readonly keys = new Set<number>();
  readonly found = Promise.withResolvers<Map<number, V>>();
  readonly #lookUp: (keys: number[]) => Promise<Map<number, V>>;

  constructor(lookUp: (keys: number[]) => Promise<Map<number, V>>) {
    this.#lookUp = lookUp;
  }

  run(): void {
    this.#lookUp([...this.keys]).then(this.found.resolve, this.found.reject);
  }
}
