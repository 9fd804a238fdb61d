import { type FileHandle, open } from 'node:fs/promises';

/**
 * Brings SQLite's write-ahead log to the disk while others go on writing to it: one sync at a time, and whoever asks
 * while one is under way gets the next. SQLite holds no lock on this file, so it may be opened and closed beside it.
 */
export class LogSync {
  readonly #path: string;
  readonly #recover: () => Promise<void>;
  #file: FileHandle | undefined;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #failed = false;

  /** @param recover makes everything durable in another way: once a sync has failed, the next may pass for nothing */
  constructor(path: string, recover: () => Promise<void>) {
    this.#path = path;
    this.#recover = recover;
  }

  /** Settles when all that stands in the log now is on disk. */
  sync(): Promise<void> {
    return (this.#next ??= this.#running.catch(() => undefined).then(() => this.#begin()));
  }

  async close(): Promise<void> {
    await this.#running.catch(() => undefined);
    await this.#file?.close();
    this.#file = undefined;
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    this.#running = this.#sync();
    return this.#running;
  }

  async #sync(): Promise<void> {
    if (this.#failed) await this.#recover();
    this.#failed = true;
    this.#file ??= await open(this.#path, 'r+');
    await this.#file.datasync();
    this.#failed = false;
  }
}
