import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The threads of libuv's pool, unless UV_THREADPOOL_SIZE says otherwise. */
const THREADS = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);

/**
 * Occupies the threads of the pool, so that password hashes begin and do not end. Opening a named pipe to read blocks a
 * thread until it is opened to write, without CPU time. Take it with `await using`: hooks of a failed test that stop a
 * service would wait for its hashes.
 */
export class OccupiedThreadPool {
  readonly #folder: string;
  readonly #pipes: string[];
  readonly #opened: Promise<FileHandle>[];
  #isFree = false;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#pipes = Array.from({ length: THREADS }, (_, index) => join(folder, `${index}`));
    execFileSync('mkfifo', this.#pipes);
    this.#opened = this.#pipes.map((pipe) => open(pipe));
  }

  static async open(): Promise<OccupiedThreadPool> {
    return new OccupiedThreadPool(await mkdtemp(join(tmpdir(), 'scorehall-pipes-')));
  }

  free(): void {
    if (this.#isFree) return;
    this.#isFree = true;
    for (const pipe of this.#pipes) closeSync(openSync(pipe, constants.O_WRONLY));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.free();
    for (const file of this.#opened) await (await file).close();
    await rm(this.#folder, { recursive: true });
  }
}
