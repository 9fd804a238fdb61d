import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { ConnectionLost, type ManagedServer, type ManagementCore, type ManageReason, NoLongerHeld } from './core.ts';
import { Objections } from './objections.ts';
import { reportSteps } from './reporter.ts';
import { type Arrived, ManagementSocket, type SocketLimits } from './socket.ts';
import { splitSteps, stepsOf } from './steps.ts';

export interface ConnectionDeps {
  core: ManagementCore;
  limits: SocketLimits;
  /** The first pause after a failure; it doubles with each further failure. */
  backoffMs: number;
  /** Maximum joins and leaves per minute that are reported immediately. */
  sessionsPerMinute: number;
  /** Measures time spans, in milliseconds. */
  monotonic: () => number;
}

/** How often the lists are requested, to check the connection and to find changes without a notification. */
const PLAYERS_MS = 30_000;
const BANS_MS = 300_000;
const MAX_BACKOFF_MS = 60_000;

/** Follows one server, and reconnects after failures. */
export class ServerConnection {
  readonly #deps: ConnectionDeps;
  readonly #server: ManagedServer;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  readonly #objections: Objections;
  #contact: number | null;
  #failures = 0;
  #isStopping = false;
  /** The number of joins and leaves since the beginning of a minute. */
  readonly #sessions = { since: Number.NEGATIVE_INFINITY, count: 0 };
  #isOver = false;

  constructor(deps: ConnectionDeps, server: ManagedServer) {
    this.#deps = deps;
    this.#server = server;
    this.#objections = new Objections(deps.core, server);
    this.#contact = server.contact;
    this.#ended = this.#run().finally(() => (this.#isOver = true));
  }

  /** Whether it no longer follows the server. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get revision(): number {
    return this.#server.revision;
  }

  /** Ends the connection; resolves when its last write has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const reason = await this.#follow();
      if (reason === undefined || signal.aborted) return;
      await this.#record(reason);
      await wait(this.#backoff(), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Follows one connection to its end. @returns why it ended; undefined if this process no longer follows the server */
  async #follow(): Promise<ManageReason | undefined> {
    try {
      await this.#connect();
    } catch (error) {
      if (error instanceof NoLongerHeld) return undefined;
      if (error instanceof ConnectionLost) return error.reason;
      // The database cannot be written; the lists of the next connection contain the missing changes.
      this.#deps.core.log.error({ err: error, server: this.#server.serverName }, 'following a server failed');
      return 'closed';
    }
    return undefined;
  }

  async #connect(): Promise<void> {
    const { core, limits } = this.#deps;
    const { url, ca } = this.#server;
    const secret = this.#server.secret();
    if (secret === undefined) throw new ConnectionLost('secret_unreadable');
    using socket = await ManagementSocket.open({ url, ca, secret }, limits, {
      now: () => core.now(),
      signal: this.#stop.signal,
    });
    this.#isStopping = false;
    socket.request('players');
    socket.request('bans');
    using timers = new DisposableStack();
    timers.adopt(
      setInterval(() => socket.request('players'), this.#playersMs()),
      clearInterval,
    );
    timers.adopt(
      setInterval(() => socket.request('bans'), BANS_MS),
      clearInterval,
    );
    for (;;) for (const arrived of await socket.next()) await this.#report(arrived, socket);
  }

  /** The heartbeats must arrive before the presence of the server expires. */
  #playersMs(): number {
    return Math.min(PLAYERS_MS, Math.max(1_000, this.#deps.core.presenceTimeoutMs / 2));
  }

  async #report(arrived: Arrived, socket: ManagementSocket): Promise<void> {
    const { report } = arrived;
    const { kind } = report;
    // The server still lists its players for a moment.
    if (this.#isStopping && kind === 'players') return;
    if ((kind === 'joined' || kind === 'left') && !this.#allowsSession()) return;
    if (kind === 'banned' && this.#objections.has(report.ban)) return;
    const { core } = this.#deps;
    const state = core.reportedState(this.#server);
    const steps = await stepsOf(arrived, { state, keyedHash: core.keyedHash, contact: this.#contact });
    if (kind === 'stopping') this.#isStopping = true;
    let isReportingItself = steps.length === 0 && (await reportSteps(core, this.#server, [], false));
    for (const chunk of splitSteps(steps)) {
      isReportingItself = await reportSteps(core, this.#server, chunk, kind === 'bans');
      // Writes to SQLite block the thread.
      await setImmediate();
    }
    this.#contact = arrived.time;
    // The bans of a server that reports itself may come from its file, which a program of an earlier version reads.
    if ((kind === 'banned' || kind === 'bans') && !isReportingItself) {
      const replaced = await this.#objections.replacements(kind === 'bans' ? report.entries : [report.ban.entry]);
      if (replaced.length > 0) socket.replaceBans(replaced);
    }
    if (kind !== 'bans') return;
    // Both lists were compared, so the connection works.
    this.#failures = 0;
    await this.#record('connected');
  }

  /**
   * The limit of new players does not count known players, and each join is a transaction and two permanent rows. Joins
   * and leaves beyond this limit are reported with the next list if they still apply.
   */
  #allowsSession(): boolean {
    const { core, monotonic, sessionsPerMinute } = this.#deps;
    const now = monotonic();
    if (now - this.#sessions.since >= 60_000) Object.assign(this.#sessions, { since: now, count: 0 });
    this.#sessions.count++;
    if (this.#sessions.count === sessionsPerMinute + 1)
      core.log.warn(
        { server: this.#server.serverName },
        'too many joins and leaves: its list of players replaces them',
      );
    return this.#sessions.count <= sessionsPerMinute;
  }

  #backoff(): number {
    const longest = Math.min(MAX_BACKOFF_MS, this.#deps.backoffMs * 2 ** this.#failures++);
    return longest * (0.5 + Math.random() / 2);
  }

  async #record(state: ManageReason | 'connected'): Promise<void> {
    const { core } = this.#deps;
    const { log } = core;
    const { serverName } = this.#server;
    try {
      const isNew = await core.record(this.#server, state);
      if (isNew && state === 'connected') log.info({ server: serverName }, 'a managed server is followed');
      else if (isNew) log.warn({ server: serverName, reason: state }, 'a managed server cannot be followed');
    } catch (error) {
      log.error({ err: error, server: serverName }, 'the state of a managed server could not be stored');
    }
  }
}
