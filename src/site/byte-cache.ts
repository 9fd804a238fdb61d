/** Files in memory by name, at most `maxBytes` together; the least recently used ones are dropped. */
export class ByteCache<T> {
  readonly #maxBytes: number;
  readonly #entries = new Map<string, { value: T; bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(name: string): T | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return entry.value;
  }

  /** @param bytes the size that the entry counts with */
  set(name: string, value: T, bytes: number): void {
    this.#drop(name);
    this.#entries.set(name, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    this.#bytes -= this.#entries.get(name)?.bytes ?? 0;
    this.#entries.delete(name);
  }
}
