import type { Person } from '#test/auth/person.ts';
import { ByteSearch } from './byte-search.ts';

/** Collects the secrets that the service issued and that people chose. */
export class Issued {
  readonly search = new ByteSearch();
  readonly #seen = new Set<string>();
  readonly kinds = new Map<string, number>();

  add(kind: string, value: string | undefined): void {
    if (value === undefined || value === '') throw new Error(`There is no ${kind}.`);
    if (this.#seen.has(value)) return;
    this.#seen.add(value);
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    this.search.add(kind, value);
  }

  /** Adds a code in groups with hyphens, which may also be stored without them. */
  addCode(kind: string, code: string): void {
    this.add(kind, code);
    this.add(`${kind} without hyphens`, code.replaceAll('-', ''));
  }

  /** Adds the cookies of a browser, and the challenges and ids in its page and address. */
  addFrom(person: Person): void {
    for (const [name, value] of person.cookies) if (value.length > MIN_COOKIE) this.add(`cookie ${name}`, value);
    const uid = /\/sign-in\/([\w-]{20,})/.exec(person.page.url)?.[1];
    if (uid !== undefined) this.add('sign-in', uid);
    for (const [, challenge] of person.page.html.matchAll(/&quot;challenge&quot;:&quot;([\w-]+)&quot;/g))
      this.add('challenge', challenge);
  }
}

/** Shorter cookies, such as that of the language, hold no secret. */
const MIN_COOKIE = 16;
