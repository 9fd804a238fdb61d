import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A JSON file that is replaced as a whole, so that a crash leaves the old or the new content. */
export class StateFile<T> {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * @returns undefined if there is none. Throws if it is damaged, because starting without it would report everything
   * again.
   */
  async load(): Promise<T | undefined> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new Error(`${this.#path} is damaged. Restore it, or delete it to read the present log from its beginning.`);
    }
  }

  async save(state: T): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const temporary = `${this.#path}.new`;
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(state));
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.#path);
  }
}
