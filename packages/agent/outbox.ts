import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readLine } from '../sender/event.ts';
import type { Event } from '../sender/index.ts';
import { type Beginning, beginningOfFile, bytesOfFile, linesOf, MAX_BEGINNING, openIfPresent } from './log-files.ts';

/** The positions in the files `outbox.ndjson`. */
export type OutboxState = Record<string, { beginning: Beginning; offset: number }>;

export interface OutboxChunk {
  events: Event[];
  state: OutboxState;
  /** Lines that are not events. */
  damaged: number;
  /** Lines that exceed the maximum length of an event. */
  tooLong: number;
}

/** A plugin that sends its outbox itself updates the time of its `outbox.lock` every ten seconds. */
const LOCK_MS = 60_000;

/** `outbox.ndjson` itself, and large ones that a plugin has renamed. */
const OUTBOX = /^outbox(\.\d{1,16})?\.ndjson$/;

/**
 * Reads the events that plugins append to `outbox.ndjson`, in the server's folder or in that of a plugin. These have
 * ids already, so reading a line twice has no effect.
 */
export class Outbox {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The files that no plugin sends itself, renamed (finished) ones first. */
  async files(): Promise<string[]> {
    const found: string[] = [];
    for (const folder of await this.#folders()) {
      if (await this.#isSentByPlugin(folder)) continue;
      const names = await readdir(join(this.#folder, folder)).catch(() => []);
      const own = names.filter((name) => OUTBOX.test(name)).toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
      for (const path of own.map((name) => join(folder, name))) if (await this.#isFile(path)) found.push(path);
    }
    return found;
  }

  /** Whether a plugin sends its outbox itself. Such a plugin reports who is online, too. */
  async isSentByPlugin(): Promise<boolean> {
    for (const folder of await this.#folders()) if (await this.#isSentByPlugin(folder)) return true;
    return false;
  }

  async #folders(): Promise<string[]> {
    const plugins = await readdir(join(this.#folder, 'plugins')).catch(() => []);
    return ['', ...plugins.filter((name) => /^scorehall/i.test(name)).map((name) => join('plugins', name))];
  }

  async #isSentByPlugin(folder: string): Promise<boolean> {
    const lock = await stat(join(this.#folder, folder, 'outbox.lock')).catch(() => undefined);
    return lock !== undefined && Math.abs(Date.now() - lock.mtimeMs) < LOCK_MS;
  }

  async #isFile(path: string): Promise<boolean> {
    const found = await stat(join(this.#folder, path)).catch(() => undefined);
    return found?.isFile() === true;
  }

  async *read(state: OutboxState, files: readonly string[]): AsyncGenerator<OutboxChunk> {
    for (const path of files) {
      for await (const chunk of this.#readFile(path, state)) {
        yield chunk;
        ({ state } = chunk);
      }
      if (path.endsWith('outbox.ndjson')) continue;
      // The plugin no longer writes to a renamed file, and all its events are queued.
      await rm(join(this.#folder, path), { force: true });
      const { [path]: _, ...others } = state;
      state = others;
      yield { events: [], state, damaged: 0, tooLong: 0 };
    }
  }

  async *#readFile(path: string, state: OutboxState): AsyncGenerator<OutboxChunk> {
    const handle = await openIfPresent(join(this.#folder, path));
    if (handle === undefined) return;
    try {
      const known = state[path];
      const { size } = await handle.stat();
      const same =
        known !== undefined &&
        size >= known.offset &&
        (await beginningOfFile(handle, known.beginning.length)).hash === known.beginning.hash;
      const offset = same ? known.offset : 0;
      for await (const { lines, end, tooLong } of linesOf((at) => bytesOfFile(handle, at), offset, MAX_EVENT_BYTES)) {
        const read = lines.map(({ text }) => readEvent(text));
        const events = read.filter((event) => event !== undefined);
        const beginning = await beginningOfFile(handle, Math.min(end, MAX_BEGINNING));
        state = { ...state, [path]: { beginning, offset: end } };
        yield { events, state, damaged: read.length - events.length, tooLong };
      }
    } finally {
      await handle.close();
    }
  }
}

/** The maximum bytes of an event that the service accepts. */
const MAX_EVENT_BYTES = 1024 * 1024;

function readEvent(text: string): Event | undefined {
  const event: Partial<Event> | undefined = readLine(text)?.event;
  return typeof event?.id === 'string' && typeof event.type === 'string' ? (event as Event) : undefined;
}
