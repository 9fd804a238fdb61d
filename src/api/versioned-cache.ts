/** A data version of the database; undefined while the database cannot tell it, and then nothing is cached. */
type Version = number | undefined;

/**
 * A bounded cache of things read from the database. It holds entries of one data version: when the version moves it is
 * empty again, so that no entry is ever stale, whichever process wrote. Beyond the bound the oldest entry goes.
 */
export class VersionedCache<V> {
  readonly #bound: number;
  readonly #entries = new Map<string, V>();
  #version: Version;

  constructor(bound: number) {
    this.#bound = bound;
  }

  /** @param version the data version now */
  get(key: string, version: Version): V | undefined {
    if (version !== this.#version) {
      this.#entries.clear();
      this.#version = version;
    }
    return this.#entries.get(key);
  }

  /** @param version the data version before the value was read; a value of any other version than the cache's is dropped */
  set(key: string, value: V, version: Version): void {
    if (version === undefined || version !== this.#version) return;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#bound) this.#entries.delete(this.#entries.keys().next().value!);
  }
}
