import { hash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isIP } from 'node:net';
import { uuidOf } from '../text/text.ts';
import { ImportRefusal } from '../importers/finding.ts';
import { banEvent, changeEvent, referenceOf } from '../importers/minecraft/ban-events.ts';
import { type Ban, readBan } from '../importers/minecraft/bans.ts';
import { readEntries, readJson } from '../importers/minecraft/entries.ts';
import { namedEvent, readNamed } from '../importers/minecraft/names.ts';
import { readStats } from '../importers/minecraft/stats.ts';
import type { Event } from '../sender/index.ts';
import { eventOf } from './sessions.ts';

/** The reported state of the files that the server rewrites as a whole. */
export interface FilesState {
  /** Size and modification time of each file when it was last read. */
  stamps: Record<string, string>;
  /** The newest name of each player of usercache.json, by UUID. */
  names: Record<string, string>;
  /** The bans in force, by reference. */
  bans: Record<string, { expires: number | null; reason: string }>;
}

export const newFilesState = (): FilesState => ({ stamps: {}, names: {}, bans: {} });

/** One changed file: its events, and the state once they are sent. */
export interface FileChange {
  events: Event[];
  state: FilesState;
}

const STATS_FOLDERS = ['stats', 'players/stats'];
const MAX_STATS_PER_POLL = 500;
const MAX_PROPERTIES = 1_000_000;

/**
 * The files of a server's folder other than logs. `banned-ips.json` is never opened, because it contains addresses of
 * players.
 */
export class ServerFiles {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #onTrouble: (sentence: string) => void;

  constructor(folder: string, now: () => number, onTrouble: (sentence: string) => void) {
    this.#folder = folder;
    this.#now = now;
    this.#onTrouble = onTrouble;
  }

  /** Yields a change for each file that was written since. A partly written file is read again later. */
  async *changes(state: FilesState): AsyncGenerator<FileChange> {
    const read = [
      { path: 'usercache.json', apply: this.#names.bind(this) },
      { path: 'banned-players.json', apply: this.#bans.bind(this) },
      ...(await this.#statsFiles()).map((path) => ({ path, apply: this.#stats.bind(this) })),
    ];
    let count = 0;
    for (const { path, apply } of read) {
      const change = await this.#changeOf(path, state, apply);
      if (change === undefined) continue;
      yield change;
      ({ state } = change);
      if (++count >= MAX_STATS_PER_POLL) return;
    }
  }

  /** The UUID of a player by name in usercache.json, which the server writes when the player joins. */
  async uuidNamed(name: string): Promise<string | undefined> {
    if ((await this.#fileAt('usercache.json')) === undefined) return undefined;
    const entries = await readEntries(join(this.#folder, 'usercache.json')).catch(() => []);
    const named = readable(entries, readNamed).filter((one) => one.name.toLowerCase() === name.toLowerCase());
    return named.toSorted((a, b) => b.seen - a.seen)[0]?.uuid;
  }

  /** Undefined unless it is a regular file, because reading a named pipe or a device might never end. */
  async #fileAt(path: string): Promise<Stats | undefined> {
    const file = await stat(join(this.#folder, path)).catch(() => undefined);
    return file?.isFile() ? file : undefined;
  }

  async #properties(): Promise<string> {
    const file = await this.#fileAt('server.properties');
    if (file === undefined || file.size > MAX_PROPERTIES) return '';
    return await readFile(join(this.#folder, 'server.properties'), 'utf8').catch(() => '');
  }

  async #changeOf(
    path: string,
    state: FilesState,
    apply: (path: string, written: number, state: FilesState) => Promise<FileChange>,
  ): Promise<FileChange | undefined> {
    const file = await this.#fileAt(path);
    if (file === undefined) return undefined;
    const stamp = `${file.size} ${file.mtimeMs}`;
    if (state.stamps[path] === stamp) return undefined;
    try {
      const written = Math.max(0, Math.floor(file.mtimeMs));
      const change = await apply(path, written, state);
      return { ...change, state: { ...change.state, stamps: { ...change.state.stamps, [path]: stamp } } };
    } catch (error) {
      if (!(error instanceof ImportRefusal)) throw error;
      // The server writes these files in place, so a partly written one is soon complete.
      if (this.#now() - file.mtimeMs > 60_000) this.#onTrouble(`${path} ${error.message}.`);
      return undefined;
    }
  }

  async #names(path: string, _written: number, state: FilesState): Promise<FileChange> {
    const found = readable(await readEntries(join(this.#folder, path)), readNamed);
    const names = { ...state.names };
    const events: Event[] = [];
    for (const named of found.toSorted((a, b) => a.seen - b.seen)) {
      if (isAddress(named.name) || names[named.uuid] === named.name) continue;
      names[named.uuid] = named.name;
      events.push(namedEvent({ ...named, seen: Math.min(named.seen, this.#now()) }));
    }
    return { events, state: { ...state, names } };
  }

  async #bans(path: string, written: number, state: FilesState): Promise<FileChange> {
    const file = { written, now: this.#now() };
    const found = readable(await readEntries(join(this.#folder, path)), (entry) => readBan(entry, file));
    const bans: FilesState['bans'] = {};
    const events: Event[] = [];
    for (const ban of found) {
      const reference = referenceOf(ban);
      const known = state.bans[reference];
      const event = known === undefined ? issued(ban, state.names) : changed(ban, known, written, this.#now());
      if (known === undefined && event === undefined) continue;
      if (event !== undefined) events.push(event);
      bans[reference] = { expires: ban.expires, reason: ban.reason };
    }
    for (const [reference, { expires }] of Object.entries(state.bans)) {
      // The server itself removes expired bans.
      if (bans[reference] !== undefined || (expires !== null && expires <= written)) continue;
      const id = `${reference}:revoked:${written.toString(36)}`;
      events.push(eventOf(id, 'punishment.revoked', Math.min(written, this.#now()), { punishment: reference }));
    }
    return { events, state: { ...state, bans } };
  }

  async #stats(path: string, written: number, state: FilesState): Promise<FileChange> {
    const uuid = uuidOf(basename(path, '.json'));
    const name = uuid === undefined ? undefined : state.names[uuid];
    if (uuid === undefined || name === undefined) return { events: [], state };
    const counters = readStats(await readJson(join(this.#folder, path)));
    const content = hash('sha256', JSON.stringify(counters), 'base64url').slice(0, 27);
    const data = { player: { uuid, name }, gamemode: 'vanilla' as const, ...counters };
    const time = Math.min(written, this.#now());
    return { events: [eventOf(`minecraft-stats:${uuid}:${content}`, 'player.statistics', time, data)], state };
  }

  async #statsFiles(): Promise<string[]> {
    const properties = await this.#properties();
    const world = /^level-name=(.+?)\r?$/m.exec(properties)?.[1]?.trim() ?? 'world';
    const found: string[] = [];
    for (const stats of STATS_FOLDERS) {
      const folder = join(world, stats);
      const names = await readdir(join(this.#folder, folder)).catch(() => []);
      found.push(...names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name)));
    }
    return found;
  }
}

function issued(ban: Ban, names: FilesState['names']): Event | undefined {
  const name = ban.name || names[ban.uuid];
  if (name === undefined || isAddress(name)) return undefined;
  const [punisher] = Object.entries(names).find(([, name]) => name.toLowerCase() === ban.source.toLowerCase()) ?? [];
  return banEvent(ban, name, punisher === undefined ? null : { uuid: punisher, name: names[punisher]! });
}

function changed(ban: Ban, known: FilesState['bans'][string], written: number, now: number): Event | undefined {
  const same = known.expires === ban.expires && known.reason === ban.reason;
  return same ? undefined : changeEvent(ban, written, now);
}

const isAddress = (text: string): boolean => isIP(text) !== 0;

/** The valid entries; invalid ones are left out. */
function readable<T>(entries: readonly unknown[], read: (value: unknown) => T): T[] {
  return entries.flatMap((entry) => {
    try {
      return [read(entry)];
    } catch (error) {
      if (error instanceof ImportRefusal) return [];
      throw error;
    }
  });
}
