/** A data version of the database. While it is undefined (unknown), nothing is cached. */
type Version = number | undefined;

/**
 * A bounded cache of values read from the database. All entries belong to one data version; a change of the version empties
 * the cache. An entry is therefore never stale, whichever process wrote. Beyond the bound the oldest entry is evicted.
 */
export class VersionedCache<V> {
  readonly #bound: number;
  readonly #entries = new Map<string, V>();
  #version: Version;

  constructor(bound: number) {
    this.#bound = bound;
  }

  /** @param version the current data version */
  get(key: string, version: Version): V | undefined {
    if (version !== this.#version) {
      this.#entries.clear();
      this.#version = version;
    }
    return this.#entries.get(key);
  }

  /**
   * Drops the value unless its version is that of the cache.
   * @param version the data version before the value was read
   */
  set(key: string, value: V, version: Version): void {
    if (version === undefined || version !== this.#version) return;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#bound) this.#entries.delete(this.#entries.keys().next().value!);
  }
}
