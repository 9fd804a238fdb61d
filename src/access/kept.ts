/** What the database tells of its state: a number that moves when something is committed, undefined where it cannot tell. */
type Version = number | undefined;

/** Marks for each thing that is kept: one in so many lookups of something else finds a mark and looks for nothing. */
const MARKS_EACH = 8;

/**
 * Things read from the database, kept ready while they hold: until the version moves. Then everything is dropped at
 * once, so that nothing kept is ever stale, whoever wrote.
 */
export class Kept<T, N extends string | number = string> {
  readonly #half: number;
  readonly #onlyRepeated: boolean;
  #young = new Map<N, T>();
  #old = new Map<N, T>();
  /**
   * Marks the places of what is kept. Whoever asks for something new with every request is told by them that it is not
   * there: a map would first enter the text into the engine's table of all texts.
   */
  readonly #marks: Uint8Array;
  /** What was asked for last, by its place. */
  readonly #asked: (N | undefined)[];
  #version: Version;

  /**
   * @param entries how many things are kept at most
   * @param onlyRepeated whether a thing is kept only when it is asked for again soon, within about an eighth of so many
   *   others: keeping what hardly anybody repeats costs more in memory to walk through than reading it
   */
  constructor(entries: number, { onlyRepeated = false } = {}) {
    this.#half = entries / 2;
    this.#onlyRepeated = onlyRepeated;
    this.#marks = new Uint8Array(powerFor(entries * MARKS_EACH));
    this.#asked = Array.from({ length: powerFor(entries / 8) });
  }

  /** @param version the database's version now */
  get(name: N, version: Version): T | undefined {
    if (version !== this.#version) this.#drop(version);
    if (this.#marks[hashOf(name) & (this.#marks.length - 1)] === 0) return undefined;
    return this.#young.get(name) ?? this.#revive(name);
  }

  /**
   * @param version the database's version before the thing was read
   * @returns whether it is kept
   */
  set(name: N, thing: T, version: Version): boolean {
    if (version === undefined || version !== this.#version) return false;
    const hash = hashOf(name);
    if (this.#onlyRepeated && !this.#isRepeated(name, hash)) return false;
    this.#put(name, thing, hash);
    return true;
  }

  /** Two maps that take turns: what nobody asked for during a whole turn goes, without any bookkeeping. */
  #put(name: N, thing: T, hash: number): void {
    if (this.#young.size >= this.#half) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#marks.fill(0);
      for (const kept of this.#old.keys()) this.#mark(hashOf(kept));
    }
    this.#young.set(name, thing);
    this.#mark(hash);
  }

  #mark(hash: number): void {
    this.#marks[hash & (this.#marks.length - 1)] = 1;
  }

  #revive(name: N): T | undefined {
    const thing = this.#old.get(name);
    if (thing !== undefined) this.#put(name, thing, hashOf(name));
    return thing;
  }

  #isRepeated(name: N, hash: number): boolean {
    const place = hash & (this.#asked.length - 1);
    if (this.#asked[place] === name) return true;
    this.#asked[place] = name;
    return false;
  }

  #drop(version: Version): void {
    this.#version = version;
    if (this.#young.size === 0 && this.#old.size === 0) return;
    this.#young = new Map();
    this.#old = new Map();
    this.#marks.fill(0);
  }
}

/** The next power of two. */
const powerFor = (size: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, size)));

const HIGH = 2 ** 32;

/** Spreads names over all numbers of 32 bits (the mixing of MurmurHash3, FNV-1a for texts). */
function hashOf(name: string | number): number {
  if (typeof name === 'number') return mixed((name | 0) ^ (name / HIGH));
  let hash = 0x811c9dc5;
  for (let place = 0; place < name.length; place++) hash = Math.imul(hash ^ name.charCodeAt(place), 0x01000193);
  return mixed(hash);
}

function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return once ^ (once >>> 13);
}
