/**
 * Values in memory by name, at most `maxBytes` together; the least recently used ones are dropped. A value is made once for
 * all who ask for it in the meantime.
 */
export class ByteCache<T> {
  readonly #maxBytes: number;
  readonly #bytesOf: (value: T) => number;
  readonly #values = new Map<string, T>();
  readonly #making = new Map<string, Promise<T>>();
  #bytes = 0;

  constructor(maxBytes: number, bytesOf: (value: T) => number) {
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  get(name: string): T | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    this.#values.delete(name);
    this.#values.set(name, value);
    return value;
  }

  /** The names of the values that are being made. */
  get making(): ReadonlyMap<string, unknown> {
    return this.#making;
  }

  /** Makes a value that `get` does not have, or replaces it. */
  async make(name: string, make: () => Promise<T>): Promise<T> {
    const running = this.#making.get(name);
    if (running !== undefined) return await running;
    const making = make()
      .then((value) => this.#set(name, value))
      .finally(() => this.#making.delete(name));
    this.#making.set(name, making);
    return await making;
  }

  #set(name: string, value: T): T {
    this.#drop(name);
    this.#values.set(name, value);
    this.#bytes += this.#bytesOf(value);
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
    return value;
  }

  #drop(name: string): void {
    const value = this.#values.get(name);
    if (value !== undefined) this.#bytes -= this.#bytesOf(value);
    this.#values.delete(name);
  }
}
