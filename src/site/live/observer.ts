import { setImmediate as turn } from 'node:timers/promises';
import type { Queryable } from '#db/db.ts';
import { systemClock } from '#platform/clock.ts';
import { type Change, CHANGE_TYPES, changesWithFeed } from '#store/game/changes.ts';
import { serverReports, type ServerReports, serversOfMatches } from '#store/game/server-reports.ts';
import type { Deps } from '../page-request.ts';

/** What has changed since the last look at the database. */
export interface Observation {
  /** `all`: too much, or something that many pages show. */
  servers: Set<number> | 'all';
  matches: Set<number> | 'all';
}

const POLL_MS = 500;
/** More changes at once are as good as everything. */
const MAX_CHANGES = 500;

type Observed = (seen: Observation | undefined) => Promise<void>;

/** Looks at the database every half second while somebody follows. On SQLite the data version tells whether to read. */
export class Observer {
  readonly #deps: Pick<Deps, 'db' | 'clock' | 'config' | 'log'>;
  readonly #observed: Observed;
  #started: Promise<void> | undefined;
  #stop = new AbortController();
  #version: number | undefined;
  #head = Number.MAX_SAFE_INTEGER;
  #reports: ServerReports[] = [];
  #states = new Map<number, string>();

  /** @param observed gets what has changed, after each look */
  constructor(deps: Pick<Deps, 'db' | 'clock' | 'config' | 'log'>, observed: Observed) {
    this.#deps = deps;
    this.#observed = observed;
  }

  /** Resolves when everything that changes from now on will be observed. */
  start(): Promise<void> {
    return (this.#started ??= this.#begin((this.#stop = new AbortController()).signal));
  }

  async #begin(signal: AbortSignal): Promise<void> {
    this.#head = Number.MAX_SAFE_INTEGER;
    this.#version = undefined;
    try {
      await this.#look();
      void this.#run(signal);
    } catch (error) {
      this.#started = undefined;
      throw error;
    }
  }

  stop(): void {
    this.#stop.abort();
    this.#started = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await systemClock.wait(POLL_MS, signal);
      if (signal.aborted) return;
      try {
        await this.#observed(await this.#look());
      } catch (error) {
        this.#deps.log.debug({ err: error }, 'the live pages cannot be read');
      }
      await turn();
    }
  }

  async #look(): Promise<Observation | undefined> {
    const { db } = this.#deps;
    const { anything } = db.versions();
    const isSame = anything !== undefined && anything === this.#version;
    const { servers, matches } = isSame
      ? { servers: new Set<number>(), matches: new Set<number>() }
      : await this.#read();
    this.#version = anything;
    const changed = this.#changedServers();
    if (servers !== 'all') for (const server of changed) servers.add(server);
    const isNothing = servers !== 'all' && matches !== 'all' && servers.size + matches.size === 0;
    return isNothing ? undefined : { servers, matches };
  }

  /** Reads the reports of the servers and what is new in the feed of changes. */
  async #read(): Promise<Observation> {
    const { db } = this.#deps;
    const { feed, changes } = await changesWithFeed(db, this.#head, MAX_CHANGES);
    this.#reports = await serverReports(db);
    const seen = await observationOf(db, changes);
    this.#head = feed.head;
    return seen;
  }

  /** The servers that have reported something, or are no longer present. */
  #changedServers(): number[] {
    const { clock, config } = this.#deps;
    const since = clock.now() - config.PRESENCE_TIMEOUT * 1000;
    const states = this.#reports.map(({ serverKey, received, content }): [number, string] => [
      serverKey,
      JSON.stringify([content, received.map((time) => time !== null && time >= since)]),
    ]);
    const changed = states.filter(([key, state]) => this.#states.get(key) !== state).map(([key]) => key);
    this.#states = new Map(states);
    return changed;
  }
}

async function observationOf(db: Queryable, changes: readonly Change[]): Promise<Observation> {
  if (changes.length === MAX_CHANGES) return { servers: 'all', matches: 'all' };
  const matches = changes.filter(({ kind }) => kind === 'match');
  const concernsAll = changes.some(
    ({ kind, type }) => kind === 'map' || kind === 'server' || CHANGE_TYPES[type].removes,
  );
  const keys = matches.map(({ key }) => key);
  return { servers: concernsAll ? 'all' : new Set(await serversOfMatches(db, keys)), matches: new Set(keys) };
}
