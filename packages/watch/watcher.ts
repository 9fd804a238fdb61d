import { randomUUID } from 'node:crypto';
import type { PolledMatch, PollOutcome, PollReason, WatchCore, WatchedServer } from './core.ts';
import { GamedigClient } from './gamedig-client.ts';
import { type Names, resolveHost, systemNames } from './minecraft-address.ts';
import { pollMinecraft } from './minecraft-client.ts';
import { decideGamemodes } from './pgm-gamemode.ts';
import { polledMatch, progressIn } from './polled-match.ts';
import { type GameStatus, PollFailed } from './status.ts';

/** How often a server is polled, unless its presence expires sooner. */
const EVERY_MS = 30_000;
const MIN_EVERY_MS = 1_000;
const TIMEOUT_MS = 5_000;
/** Maximum concurrent polls: 1,000 servers of which none answers need 170. */
const MAX_RUNNING = 200;
/** Maximum polls started per tick, so that they spread over the interval: enough for 1,500 servers. */
const MAX_STARTED = 50;

/** A poll that has ended. `started` is the earliest time of its answer's state. */
interface Polled extends WatchedServer {
  started: number;
  ended: number;
  result: GameStatus | PollReason;
}

type Answered = Polled & { result: GameStatus };

export interface WatcherOptions {
  names?: Names;
  timeoutMs?: number;
  /** Measures time spans, in milliseconds. */
  monotonic?: () => number;
}

/**
 * Polls the watched game servers and reports their answers as heartbeats and running matches. Several processes may do
 * this at the same time: the one that has the lease of a server polls it. A failed poll reports nothing, so that the server
 * counts as empty after PRESENCE_TIMEOUT.
 */
export class Watcher implements AsyncDisposable {
  readonly #core: WatchCore;
  readonly #names: Names;
  readonly #timeoutMs: number;
  readonly #monotonic: () => number;
  readonly #gamedig = new GamedigClient();
  /** By the key of the server. */
  readonly #running = new Map<number, Promise<void>>();
  /** The servers that this process holds, with the monotonic times of their next polls. */
  #schedule = new Map<number, WatchedServer & { next: number }>();
  readonly #stop = new AbortController();
  #ended: Polled[] = [];

  constructor(
    core: WatchCore,
    { names = systemNames, timeoutMs = TIMEOUT_MS, monotonic = () => performance.now() }: WatcherOptions = {},
  ) {
    this.#core = core;
    this.#names = names;
    this.#timeoutMs = timeoutMs;
    this.#monotonic = monotonic;
  }

  /** Stores the polls that have ended, and starts those that are due. */
  async tick(): Promise<void> {
    await this.#store();
    const due = this.#due(await this.#core.hold(MAX_STARTED));
    for (const server of await this.#needed(due)) {
      const { serverKey } = server;
      this.#running.set(
        serverKey,
        this.#poll(server).finally(() => this.#running.delete(serverKey)),
      );
    }
  }

  /** The servers to poll now, those that wait longest first. New ones and those with another address are polled at once. */
  #due(held: readonly WatchedServer[]): WatchedServer[] {
    const now = this.#monotonic();
    const scheduled = held.map((server) => {
      const before = this.#schedule.get(server.serverKey);
      const isSame = before?.address === server.address && before.protocol === server.protocol;
      return { ...server, next: isSame ? before.next : now };
    });
    this.#schedule = new Map(scheduled.map((server) => [server.serverKey, server]));
    const due = scheduled
      .filter(({ serverKey, next }) => next <= now && !this.#running.has(serverKey))
      .toSorted((one, other) => one.next - other.next)
      .slice(0, Math.min(MAX_STARTED, MAX_RUNNING - this.#running.size));
    const everyMs = Math.min(EVERY_MS, Math.max(MIN_EVERY_MS, this.#core.presenceTimeoutMs / 2));
    for (const server of due) server.next = now + everyMs;
    return due;
  }

  /** Resolves when no poll runs and all of them are stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
    await this.#store();
  }

  /** The heartbeats of a server that reports itself take precedence, because they contain more than its status. */
  async #needed(polls: readonly WatchedServer[]): Promise<WatchedServer[]> {
    const themselves = await this.#core.reportingThemselves(polls.map(({ serverKey }) => serverKey));
    return polls.filter(({ serverKey }) => !themselves.has(serverKey));
  }

  async #poll(poll: WatchedServer): Promise<void> {
    const core = this.#core;
    const started = core.now();
    let result: GameStatus | PollReason;
    try {
      result = await this.#statusOf(poll);
    } catch (error) {
      result = error instanceof PollFailed ? error.reason : 'wrong_answer';
      if (!(error instanceof PollFailed)) core.log.error({ err: error, server: poll.serverName }, 'a poll failed');
    }
    // A poll that the end of the process interrupted has no result.
    if (this.#stop.signal.aborted && typeof result === 'string') return;
    this.#ended.push({ ...poll, started, ended: core.now(), result });
  }

  async #statusOf({ address, protocol }: WatchedServer): Promise<GameStatus> {
    const place = this.#core.readAddress(address);
    if (place === undefined) throw new PollFailed('not_found');
    if (protocol === 'minecraft') return await pollMinecraft(place, this.#deadline(), this.#names);
    const { host, port = 0 } = place;
    const addresses = await resolveHost(host, this.#names);
    return await this.#gamedig.poll({ protocol, addresses, port, timeoutMs: this.#timeoutMs });
  }

  #deadline(): AbortSignal {
    return AbortSignal.any([AbortSignal.timeout(this.#timeoutMs), this.#stop.signal]);
  }

  /**
   * Reports the answers, in one transaction. A heartbeat has the time at which its poll started, so that a newer one of
   * the server itself is not replaced.
   */
  async #store(): Promise<void> {
    const ended = this.#ended;
    this.#ended = [];
    if (ended.length === 0) return;
    const core = this.#core;
    const targets = await core.stillWatched(ended.map(({ serverKey }) => serverKey));
    const current = ended.filter(({ serverKey, address, protocol }) => {
      const target = targets.get(serverKey);
      return target?.address === address && target.protocol === protocol;
    });
    const answered = (await this.#needed(current.filter(({ result }) => typeof result === 'object'))) as Answered[];
    const gamemodes = await decideGamemodes(
      core,
      answered.map(({ result }) => result),
    );
    const gamemodeOf = ({ result }: Answered): string => gamemodes.get(result)!;
    const matches = new Map(
      answered.map(({ serverKey, result, started }) => {
        return [serverKey, polledMatch(targets.get(serverKey)!.match, result, started)];
      }),
    );
    const hiddenOn = await core.hiddenPlayers();
    const events = [
      ...answered.map((poll) => this.#heartbeat(poll, gamemodeOf(poll), hiddenOn(poll.serverKey))),
      ...(await this.#progressOf(answered, gamemodeOf, matches)),
    ];
    const rejected = this.#rejected(answered, events.length === 0 ? [] : await core.report(events));
    await core.record(current.map((poll) => toOutcome(poll, rejected, matches)));
  }

  /** The reports of the matches that the answers show, unless the server reports them itself. */
  async #progressOf(
    answered: readonly Answered[],
    gamemodeOf: (poll: Answered) => string,
    matches: ReadonlyMap<number, PolledMatch | null>,
  ): Promise<Record<string, unknown>[]> {
    const seen = answered.flatMap((poll) => {
      const data = progressIn(poll.result, gamemodeOf(poll), matches.get(poll.serverKey)!);
      return data === undefined ? [] : { poll, data };
    });
    const themselves = await this.#core.reportingMatches(seen.map(({ poll }) => poll.serverKey));
    return seen
      .filter(({ poll }) => !themselves.has(poll.serverKey))
      .map(({ poll, data }) => this.#event(poll, 'match.progress', data));
  }

  #rejected(polls: readonly WatchedServer[], isRejected: readonly boolean[]): ReadonlySet<number> {
    const rejected = polls.filter((_, index) => isRejected[index]);
    for (const { serverName } of rejected)
      this.#core.log.warn({ server: serverName }, 'the answer of a game server was refused');
    return new Set(rejected.map(({ serverKey }) => serverKey));
  }

  /** A hidden player is left out here by the UUID, too: events of heartbeats have names alone. */
  #heartbeat(poll: Answered, gamemode: string, hidden: ReadonlySet<string>): Record<string, unknown> {
    const { playing, playerCount, names, uuids, map, nextMap } = poll.result;
    const shown = names.filter((name) => !hidden.has(uuids?.get(name) ?? ''));
    const count = playerCount - (names.length - shown.length);
    return this.#event(poll, 'server.presence', {
      current: Math.min(playing, count),
      player_count: count,
      players: shown,
      gamemode,
      current_map: map,
      next_map: nextMap,
    });
  }

  /** An event with the time at which the poll started. */
  #event({ serverName, started }: Polled, type: string, data: object): Record<string, unknown> {
    const head = { version: 1, id: `${this.#core.idPrefix}${randomUUID()}`, type };
    return { ...head, time: new Date(started).toISOString(), server: serverName, data };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#gamedig[Symbol.asyncDispose]();
    await this.settled();
    // A lease that is not released expires.
    await this.#core
      .release()
      .catch((error: unknown) => this.#core.log.error({ err: error }, 'cannot release the servers'));
  }
}

function toOutcome(
  poll: Polled,
  rejected: ReadonlySet<number>,
  matches: ReadonlyMap<number, PolledMatch | null>,
): PollOutcome {
  const { serverKey, address, protocol, ended, result } = poll;
  const target = { serverKey, address, protocol, ended };
  if (typeof result === 'string') return { ...target, result: { error: result } };
  if (rejected.has(serverKey)) return { ...target, result: { error: 'rejected' } };
  const { playerCount, max } = result;
  return { ...target, result: { playerCount, max, match: matches.get(serverKey) ?? null } };
}
