import { amount } from '../text/amount.ts';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Event, openSender, type Rejection, type Sender } from '../sender/index.ts';
import type { LogLine } from './log-line.ts';
import { foreignProgram } from '../importers/minecraft/foreign-folder.ts';
import { LogReader, type LogPosition, type TimedLine, Unfinished } from './log-reader.ts';
import { Outbox, type OutboxState } from './outbox.ts';
import { type FilesState, newFilesState, ServerFiles } from './server-files.ts';
import { newestOutboxWrite, sessionReporter } from './session-reporter.ts';
import { applyLine, eventOf, isOnline, type LogState, newLogState, uuidOfLogin } from './sessions.ts';
import { StateFile } from './state.ts';
import { MissedLines, UnknownLines } from './unknown-lines.ts';

export interface AgentOptions {
  serverFolder: string;
  /** The folder of the queue and the state. */
  dataFolder: string;
  url: string;
  key: string;
  trustLinks: boolean;
  /** Receives one sentence for each problem, which never quotes the log. */
  onTrouble: (sentence: string) => void;
  now?: () => number;
}

interface StateFiles {
  log: StateFile<LogState>;
  files: StateFile<FilesState>;
  outbox: StateFile<OutboxState>;
  heartbeat: StateFile<PluginHeartbeat>;
}

/** The newest `server.presence` of a plugin. */
interface PluginHeartbeat {
  /** Epoch milliseconds */
  time: number;
}

const POLL_MS = 1_000;
const FILES_MS = 5_000;
const PRESENCE_MS = 30_000;
/** How long a heartbeat of a plugin replaces those of the agent: two may be missing. */
const PLUGIN_PRESENCE_MS = 3 * PRESENCE_MS;
/** How long a login waits for the server to write the UUID of the player. */
const UUID_WAIT_MS = 10_000;
/** How often a position is stored while no events come; after a crash, reading continues from the stored position. */
const IDLE_SAVE_MS = 10_000;

/**
 * Reports events from the files of a game server. Each event is in the sender's queue on disk before the position after
 * it is stored, and its id is derived from its position in the file, so that after a crash it is sent again under the
 * same id.
 */
export class Agent implements AsyncDisposable {
  readonly #options: AgentOptions;
  readonly #now: () => number;
  readonly #sender: Sender;
  readonly #reader: LogReader;
  readonly #files: ServerFiles;
  readonly #outbox: Outbox;
  readonly #stateFiles: StateFiles;
  readonly #unknownLines: UnknownLines;
  readonly #missedLines: MissedLines;
  #log: LogState;
  #filesState: FilesState;
  #outboxState: OutboxState;
  #pluginHeartbeat: PluginHeartbeat;
  #savedAt = 0;
  #folderChecked = false;
  #filesAt = -Infinity;
  #presenceAt = -Infinity;
  #unknown: { at: number; since: number } | undefined;

  private constructor(
    options: AgentOptions,
    sender: Sender,
    stateFiles: StateFiles,
    states: [LogState, FilesState, OutboxState, PluginHeartbeat],
  ) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#sender = sender;
    this.#stateFiles = stateFiles;
    [this.#log, this.#filesState, this.#outboxState, this.#pluginHeartbeat] = states;
    const { serverFolder, onTrouble } = options;
    this.#reader = new LogReader(join(serverFolder, 'logs'), this.#now, onTrouble);
    this.#files = new ServerFiles(serverFolder, this.#now, onTrouble);
    this.#outbox = new Outbox(serverFolder);
    this.#unknownLines = new UnknownLines(this.#now, onTrouble);
    this.#missedLines = new MissedLines(onTrouble);
  }

  static async open(options: AgentOptions): Promise<Agent> {
    const path = (name: string): string => join(options.dataFolder, name);
    const stateFiles = {
      log: new StateFile<LogState>(path('log.json')),
      files: new StateFile<FilesState>(path('files.json')),
      outbox: new StateFile<OutboxState>(path('outbox.json')),
      heartbeat: new StateFile<PluginHeartbeat>(path('heartbeat.json')),
    };
    const { url, key, onTrouble } = options;
    // The reason is left out, because it may quote the event; type and position are enough to find it in
    // refused.ndjson.
    const onRefused = (event: Event | string, { place }: Rejection): void =>
      onTrouble(`refused: ${typeof event === 'string' ? 'a line' : event.type} ${place}; see queue/refused.ndjson`);
    const sender = await openSender({ url, key, folder: path('queue'), onTrouble, onRefused });
    try {
      const { log, files, outbox, heartbeat } = stateFiles;
      const states: [LogState, FilesState, OutboxState, PluginHeartbeat] = [
        (await log.load()) ?? newLogState(),
        (await files.load()) ?? newFilesState(),
        (await outbox.load()) ?? {},
        (await heartbeat.load()) ?? { time: 0 },
      ];
      return new Agent(options, sender, stateFiles, states);
    } catch (error) {
      await sender.close();
      throw error;
    }
  }

  /** Polls until the signal; a failed poll is reported and retried. */
  async run(signal: AbortSignal): Promise<void> {
    let pause = POLL_MS;
    while (!signal.aborted) {
      try {
        await this.poll();
        pause = POLL_MS;
      } catch (error) {
        this.#options.onTrouble(describeError(error));
        pause = Math.min(pause * 2, 30_000);
      }
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Reads what was written since the last poll into the queue. */
  async poll(): Promise<void> {
    const now = this.#now();
    if (now - this.#filesAt >= FILES_MS || now < this.#filesAt) await this.#pollFiles();
    await this.#pollOutbox();
    const caughtUp = await this.#pollLog();
    this.#missedLines.report();
    if (caughtUp && (now - this.#presenceAt >= PRESENCE_MS || now < this.#presenceAt)) await this.#sendPresence(now);
  }

  /** Resolves when the service has received all queued events. */
  flush(): Promise<void> {
    return this.#sender.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader[Symbol.asyncDispose]();
    await this.#sender.close();
  }

  async #pollLog(): Promise<boolean> {
    try {
      for await (const { lines, count, next } of this.#reader.read(this.#log.position)) {
        if (!(await this.#apply(lines, next))) return false;
        this.#unknownLines.add(count, this.#log.understood);
      }
      await this.#checkFolder();
      return true;
    } catch (error) {
      if (error instanceof Unfinished || (error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  /** A wrong folder looks like that of a server that has never run. A program that writes an outbox may have no log. */
  async #checkFolder(): Promise<void> {
    if (this.#folderChecked) return;
    this.#folderChecked = true;
    if ((await this.#outbox.files()).length > 0) return;
    const { serverFolder, onTrouble } = this.#options;
    const foreign = await foreignProgram(serverFolder);
    if (foreign !== undefined) return onTrouble(`${serverFolder} ${foreign}.`);
    if (this.#log.position !== undefined) return;
    onTrouble(
      `There is no logs/latest.log in ${serverFolder} yet. Until the game server writes it, nobody is reported as online.`,
    );
  }

  /** @returns false if the log has to be read again from a login whose player is not known yet */
  async #apply(lines: readonly TimedLine[], next: LogPosition): Promise<boolean> {
    const state: LogState = { ...structuredClone(this.#log), position: next };
    const { serverFolder, trustLinks } = this.#options;
    const pluginWrote = await newestOutboxWrite(serverFolder);
    const events: Event[] = [];
    for (const timed of lines) {
      const reporter = sessionReporter(timed, pluginWrote, this.#now());
      if (reporter === 'undecided') {
        await this.#store({ ...state, position: { ...next, offset: timed.offset } }, events);
        return false;
      }
      const { line, uuid } = await this.#resolved(timed, state);
      if (line.kind === 'login' && uuid === undefined && this.#mayWait(timed.offset)) {
        const position = { ...next, offset: timed.offset };
        await this.#store({ ...state, position }, events);
        return false;
      }
      if (reporter === 'agent') this.#countMissed(line, uuid);
      events.push(
        ...applyLine(state, { ...timed, line }, next.file, { trustLinks, reportSessions: reporter === 'agent' }, uuid),
      );
    }
    await this.#store(state, events);
    return true;
  }

  /** The line with the UUID of the player of a login. A line that may be chat counts if its player is known. */
  async #resolved({ line, time }: TimedLine, state: LogState): Promise<{ line: LogLine; uuid?: string | undefined }> {
    const unsure = line.kind === 'other' ? line.unsure : undefined;
    const named = unsure === undefined ? line : { seconds: line.seconds, ...unsure };
    if (named.kind === 'login') {
      const uuid = uuidOfLogin(state, named.name, time) ?? (await this.#files.uuidNamed(named.name));
      return uuid === undefined ? { line } : { line: named, uuid };
    }
    return { line: unsure !== undefined && isOnline(state, unsure.name) ? named : line };
  }

  #countMissed(line: LogLine, uuid: string | undefined): void {
    if (line.kind === 'login' && uuid === undefined) this.#missedLines.add('uuid');
    if (line.kind !== 'other') return;
    if (line.missed !== undefined) this.#missedLines.add(line.missed);
    else if (line.unsure !== undefined && line.unsure.kind !== 'link') this.#missedLines.add('name');
  }

  #mayWait(offset: number): boolean {
    if (this.#unknown?.at !== offset) this.#unknown = { at: offset, since: this.#now() };
    return this.#now() - this.#unknown.since < UUID_WAIT_MS;
  }

  async #store(state: LogState, events: Event[]): Promise<void> {
    const isNewFile = state.position?.file !== this.#log.position?.file;
    if (events.length > 0) await this.#sender.send(...events);
    if (events.length > 0 || isNewFile || this.#now() - this.#savedAt >= IDLE_SAVE_MS) {
      await this.#stateFiles.log.save(state);
      this.#savedAt = this.#now();
    }
    this.#log = state;
  }

  async #pollFiles(): Promise<void> {
    for await (const { events, state } of this.#files.changes(this.#filesState)) {
      if (events.length > 0) await this.#sender.send(...events);
      await this.#stateFiles.files.save(state);
      this.#filesState = state;
    }
    this.#filesAt = this.#now();
  }

  async #pollOutbox(): Promise<void> {
    const files = await this.#outbox.files();
    for await (const { events, state, damaged, tooLong } of this.#outbox.read(this.#outboxState, files)) {
      if (damaged > 0) this.#options.onTrouble(damagedLines(damaged));
      if (tooLong > 0) this.#options.onTrouble(tooLongLines(tooLong));
      if (events.length > 0) await this.#sender.send(...events);
      await this.#rememberHeartbeat(events);
      await this.#stateFiles.outbox.save(state);
      this.#outboxState = state;
    }
  }

  async #rememberHeartbeat(events: readonly Event[]): Promise<void> {
    const times = events.filter(({ type }) => type === 'server.presence').map(({ time }) => Date.parse(time));
    const time = Math.max(this.#pluginHeartbeat.time, ...times.filter((at) => !Number.isNaN(at)));
    if (time === this.#pluginHeartbeat.time) return;
    this.#pluginHeartbeat = { time };
    await this.#stateFiles.heartbeat.save(this.#pluginHeartbeat);
  }

  /** A plugin that reports presence knows which players are hidden; the log names them all. */
  async #sendPresence(now: number): Promise<void> {
    const { running, online, map, position } = this.#log;
    this.#presenceAt = now;
    if (!running || position === undefined) return;
    if (Math.abs(now - this.#pluginHeartbeat.time) < PLUGIN_PRESENCE_MS) return;
    if (await this.#outbox.isSentByPlugin()) return;
    const players = Object.keys(online);
    const data = { current: players.length, players, ...(map !== '' && { current_map: map }) };
    await this.#sender.sendNow(eventOf(`presence:${randomUUID()}`, 'server.presence', now, data));
  }
}

/** Errors of the file system name a path, never the content of a file. */
function describeError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : `${code}: ${message}`;
}

const damagedLines = (count: number): string =>
  `${amount(count, 'line of outbox.ndjson is not an event and was', 'lines of outbox.ndjson are not events and were')} left out.`;

const tooLongLines = (count: number): string =>
  `${amount(count, 'line of outbox.ndjson is', 'lines of outbox.ndjson are')} longer than the 1 MiB that an event ` +
  `may have, and ${count === 1 ? 'was' : 'were'} left out.`;
