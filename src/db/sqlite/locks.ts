import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '#platform/errors.ts';
import { chownSync, closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs';

/** The primary result code of an error: the low byte of its extended code; 0 if it is not SQLite's. */
export const resultCode = (error: unknown): number => ((error as { errcode?: number } | null)?.errcode ?? 0) % 256;

const SQLITE_BUSY = 5;

/**
 * Runs work that needs a lock of a file, which another connection may hold. Retries with pauses, because waiting inside
 * SQLite would block the event loop and thus the readers of this process.
 * @param pauseMs the next pause, from the number of the pauses so far
 * @throws Unavailable once `timeoutMs` have passed
 */
async function retryWhileLocked<T>(work: () => T, timeoutMs: number, pauseMs: (pauses: number) => number): Promise<T> {
  const started = performance.now();
  for (let pauses = 0; ; pauses++) {
    try {
      return work();
    } catch (error) {
      if (resultCode(error) !== SQLITE_BUSY) throw error;
      if (performance.now() - started > timeoutMs) throw new Unavailable(error);
    }
    await pause(pauseMs(pauses));
  }
}

const LOCK_TIMEOUT_MS = 15_000;

/** Opens a connection; another process may hold a lock that this needs for a moment. */
export const opened = <C>(connection: () => C): Promise<C> =>
  retryWhileLocked(connection, LOCK_TIMEOUT_MS, () => 1 + Math.random() * 4);

/**
 * After this time a connection asks for the write lock without a turn: the thread that has it may be busy or stopped, and
 * the lock must not be idle meanwhile.
 */
const TURN_TIMEOUT_MS = 100;

/** Connections that have waited longer ask more often, so that they get the next turn before newcomers. */
const turnPauseMs = (pauses: number): number => Math.max(1, 6 - pauses);

/**
 * Gives the connections that write to one SQLite file, in all threads and processes, their turns. SQLite itself gives the
 * write lock to the connection that happens to ask first after a commit, so a connection that writes without a break keeps
 * it from others, which can only ask every few milliseconds.
 *
 * A connection takes the turn, asks for the write lock, and gives the turn back when it has the lock. So one connection is
 * next while another one writes, and the writer waits behind it before it writes again. The turn is the write lock of an
 * empty SQLite file next to the database, because Node has no file locks; the system releases it when a process ends.
 */
export class WriteTurns {
  readonly #path: string;
  readonly #writer: DatabaseSync;
  #turn: DatabaseSync | undefined;

  constructor(path: string, writer: DatabaseSync) {
    this.#path = path;
    this.#writer = writer;
  }

  /** Runs a statement of the writer that takes the write lock of the database: by default, begins a transaction. */
  async begin(statement = 'begin immediate'): Promise<void> {
    const hasTurn = await this.#take();
    const pauseMs = (): number => (hasTurn ? 1 : 1 + Math.random() * 4);
    try {
      await retryWhileLocked(() => this.#writer.exec(statement), LOCK_TIMEOUT_MS, pauseMs);
    } finally {
      if (hasTurn) this.#turn!.exec('rollback');
    }
  }

  /** Whether another connection has the turn: it waits for the write lock, or gets it at this moment. */
  othersWait(): boolean {
    try {
      this.#turn ??= this.#open();
      this.#turn.exec('begin immediate');
      this.#turn.exec('rollback');
      return false;
    } catch (error) {
      return resultCode(error) === SQLITE_BUSY;
    }
  }

  close(): void {
    this.#turn?.close();
  }

  #open(): DatabaseSync {
    createLike(this.#path, `${this.#path}-turn`);
    const turn = new DatabaseSync(`${this.#path}-turn`, { timeout: 0 });
    // Otherwise each transaction would create a journal file.
    turn.exec('pragma journal_mode = memory');
    return turn;
  }

  /** @returns whether this connection has the turn; only the order depends on it, so no failure stops the transaction */
  async #take(): Promise<boolean> {
    try {
      const turn = (this.#turn ??= this.#open());
      await retryWhileLocked(() => turn.exec('begin immediate'), TURN_TIMEOUT_MS, turnPauseMs);
      return true;
    } catch {
      return false;
    }
  }
}

/**
 * Creates an empty file if it does not exist; by default only its owner may read it. An existing one is not opened: closing
 * it would release the locks that SQLite holds on it in this process (POSIX locks belong to the process, not to the
 * descriptor).
 */
export function createPrivately(file: string, mode = 0o600): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', mode));
}

/** Creates an empty file with the mode and the owner of a database, as SQLite does, so that the service of another user can open it. */
export function createLike(database: string, file: string): void {
  if (existsSync(file)) return;
  const { mode, uid, gid } = statSync(database);
  createPrivately(file, mode & 0o777);
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
}

/**
 * Holds a lock for a process of the service while it runs: a shared one if the processes share their rate limits, otherwise an
 * exclusive one. It is a lock of an empty SQLite file next to the database; the system releases it when the process ends, also
 * after SIGKILL, so it is never stale.
 * @returns undefined if another process holds a lock that excludes this one
 */
export function lockService(file: string, isShared: boolean): Disposable | undefined {
  const path = realpathSync(file);
  createLike(path, `${path}-service`);
  const lock = new DatabaseSync(`${path}-service`, { timeout: 0 });
  try {
    lock.exec('pragma journal_mode = memory');
    // A transaction that has read keeps its shared lock.
    lock.exec(isShared ? 'begin; select count(*) from sqlite_schema' : 'begin exclusive');
    return { [Symbol.dispose]: () => lock.close() };
  } catch (error) {
    lock.close();
    if (resultCode(error) === SQLITE_BUSY) return undefined;
    throw error;
  }
}
