/**
 * Maps by UUID. V8 looks a string up in the table of all its strings before it is found in a `Map`, which for one that has
 * just come from JSON costs several times the rest; the first eight digits are a number, which is found as it stands.
 */

const BEGINNING = 8;

/** The first eight digits of a UUID, in lower case, as 32 bits. */
export function beginningOf(uuid: string): number {
  let number = 0;
  for (let place = 0; place < BEGINNING; place++) {
    const code = uuid.charCodeAt(place);
    number = (number << 4) | (code < CODE_OF_A ? code - CODE_OF_0 : code - CODE_OF_A + 10);
  }
  return number;
}

const CODE_OF_0 = 48;
const CODE_OF_A = 97;

/** What has a UUID by that. Who begins as another does costs no more than in a `Map`: nobody can make it slow. */
export class UuidMap<T extends { uuid: string }> {
  readonly #first = new Map<number, T>();
  readonly #others = new Map<string, T>();

  constructor(all: Iterable<T> = []) {
    for (const one of all) this.add(one);
  }

  get size(): number {
    return this.#first.size + this.#others.size;
  }

  get(uuid: string): T | undefined {
    const first = this.#first.get(beginningOf(uuid));
    return first === undefined || first.uuid === uuid ? first : this.#others.get(uuid);
  }

  has(uuid: string): boolean {
    return this.get(uuid) !== undefined;
  }

  add(one: T): void {
    const beginning = beginningOf(one.uuid);
    const first = this.#first.get(beginning);
    if (first === undefined || first.uuid === one.uuid) this.#first.set(beginning, one);
    else this.#others.set(one.uuid, one);
  }

  clear(): void {
    this.#first.clear();
    this.#others.clear();
  }
}
