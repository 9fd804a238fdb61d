/** What the database tells of its state: a number that moves when something is committed, undefined where it cannot tell. */
type Version = number | undefined;

/**
 * Things read from the database, kept ready while they hold: until the version moves. Then everything is dropped at
 * once, so that nothing kept is ever stale, whoever wrote.
 */
export class Kept<T, N extends string | number = string> {
  readonly #half: number;
  readonly #onlyRepeated: boolean;
  #young = new Map<N, T>();
  #old = new Map<N, T>();
  #asked = new Set<N>();
  #askedBefore = new Set<N>();
  #version: Version;

  /**
   * @param entries how many things are kept at most
   * @param onlyRepeated whether a thing is kept only when it is asked for again soon, within an eighth of so many others:
   *   keeping what hardly anybody repeats costs more in memory to walk through than reading it
   */
  constructor(entries: number, { onlyRepeated = false } = {}) {
    this.#half = entries / 2;
    this.#onlyRepeated = onlyRepeated;
  }

  /** @param version the database's version now */
  get(name: N, version: Version): T | undefined {
    if (version !== this.#version) this.#drop(version);
    return this.#young.get(name) ?? this.#revive(name);
  }

  /**
   * @param version the database's version before the thing was read
   * @returns whether it is kept
   */
  set(name: N, thing: T, version: Version): boolean {
    if (version === undefined || version !== this.#version) return false;
    if (this.#onlyRepeated && !this.#isRepeated(name)) return false;
    this.#put(name, thing);
    return true;
  }

  /** Two maps that take turns: what nobody asked for during a whole turn goes, without any bookkeeping. */
  #put(name: N, thing: T): void {
    if (this.#young.size >= this.#half) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(name, thing);
  }

  #revive(name: N): T | undefined {
    const thing = this.#old.get(name);
    if (thing !== undefined) this.#put(name, thing);
    return thing;
  }

  #isRepeated(name: N): boolean {
    if (this.#asked.has(name) || this.#askedBefore.has(name)) return true;
    if (this.#asked.size >= this.#half / 4) {
      this.#askedBefore = this.#asked;
      this.#asked = new Set();
    }
    this.#asked.add(name);
    return false;
  }

  #drop(version: Version): void {
    this.#version = version;
    if (this.#young.size > 0) this.#young = new Map();
    if (this.#old.size > 0) this.#old = new Map();
  }
}
