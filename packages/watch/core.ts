/** The interface between the watcher and the core: events and outcomes out, questions and stored state in. */

/** The address of a game server; `port` is undefined for the default of the protocol. */
export interface GameAddress {
  host: string;
  port: number | undefined;
}

interface WatchTarget {
  /** In a form that `readAddress` accepts. */
  address: string;
  /** `minecraft`, or a protocol of gamedig that uses UDP alone. */
  protocol: string;
}

export interface WatchedServer extends WatchTarget {
  serverKey: number;
  serverName: string;
}

/** Why a poll failed. */
export type PollReason =
  'timeout' | 'refused' | 'unreachable' | 'not_found' | 'private_redirect' | 'too_large' | 'wrong_answer';

/** The match in the last answer of a server that runs PGM. */
export interface PolledMatch {
  /** As PGM counts it, from 0 at each start of the server. */
  number: number;
  /** By our clock; null before it begins. */
  started: number | null;
  /** How long it had been running, as PGM counts. */
  seconds: number;
}

export interface PollOutcome extends WatchTarget {
  serverKey: number;
  ended: number;
  result: { playerCount: number; max: number; match: PolledMatch | null } | { error: PollReason | 'rejected' };
}

/** A gamemode of PGM. */
export interface PgmGamemode {
  name: string;
  /** The tag of its maps, which several gamemodes may share. */
  tag: string | null;
  /** Whether it has its own group of statistics. */
  hasGroup: boolean;
}

export interface WatchCore {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  log: Record<'error' | 'warn', (facts: object, message: string) => void>;
  /** How long a heartbeat counts. */
  presenceTimeoutMs: number;
  /** The prefix of the ids of events, by which the core tells them from those of the server itself. */
  idPrefix: string;
  gamemodes: readonly PgmGamemode[];
  readAddress(text: string): GameAddress | undefined;

  /** Takes at most `limit` more servers. @returns all servers that this process polls */
  hold(limit: number): Promise<WatchedServer[]>;
  /** Lets other processes take the servers. */
  release(): Promise<void>;
  /** The servers of these that are still watched, with the match of their last answer. */
  stillWatched(
    serverKeys: readonly number[],
  ): Promise<ReadonlyMap<number, WatchTarget & { match: PolledMatch | null }>>;
  /** The servers of these that send their own heartbeats. */
  reportingThemselves(serverKeys: readonly number[]): Promise<ReadonlySet<number>>;
  /** The servers of these that report their running matches themselves. */
  reportingMatches(serverKeys: readonly number[]): Promise<ReadonlySet<number>>;
  /** The gamemodes of imported maps, by the names that are asked for. */
  gamemodesOfMaps(names: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** A function that gives the UUIDs of the hidden players of a server. */
  hiddenPlayers(): Promise<(serverKey: number) => ReadonlySet<string>>;

  /** Ingests events in one transaction. @returns for each whether it was rejected */
  report(events: readonly Record<string, unknown>[]): Promise<boolean[]>;
  /** Stores the outcomes of polls, except for those of a watch that was changed meanwhile. */
  record(outcomes: readonly PollOutcome[]): Promise<void>;
}
