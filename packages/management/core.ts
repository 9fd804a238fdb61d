import type { Event } from '../sender/event.ts';

/** The interface between the followed servers and the core: events and states out, questions and stored state in. */

export interface OnlinePlayer {
  uuid: string;
  name: string;
}

/** A ban that the server listed, with the keyed hash of the player's UUID. */
export interface ListedBan {
  uuidHash: string;
  /** The reference of the punishment; empty if another reporter issued it. */
  reference: string;
  /** A hash of reason and expiry, to detect changes. */
  content: string;
  expires: number | null;
}

/** The newest ban in force of a player that the server issued. */
export interface IssuedBan {
  reference: string;
  /** The id of the punishment. */
  id: string;
}

/** Why a server is not followed at the moment. */
export type ManageReason =
  | 'timeout'
  | 'refused'
  | 'unreachable'
  | 'not_found'
  | 'certificate'
  | 'unauthorized'
  | 'wrong_answer'
  | 'too_large'
  | 'too_many_players'
  | 'closed'
  | 'secret_unreadable';

/** The connection ended or could not be established. */
export class ConnectionLost extends Error {
  readonly reason: ManageReason;

  constructor(reason: ManageReason) {
    super(`The connection is lost: ${reason}.`);
    this.reason = reason;
  }
}

/** Another process follows the server now, or an operator changed its connection. */
export class NoLongerHeld extends Error {}

/** A server that this process follows. */
export interface ManagedServer {
  serverKey: number;
  serverName: string;
  url: string;
  /** Certificates of the authorities that the server's certificate must come from, in PEM; empty: those of Node. */
  ca: string;
  /** The secret of the connection; undefined if it cannot be read. */
  secret(): string | undefined;
  /** Changes with each change of the connection. */
  revision: number;
  /** The last contact with the server; null before the first. */
  contact: number | null;
}

/** The last reports of a server, as far as they are stored. */
export interface ReportedState {
  online(): Promise<OnlinePlayer[]>;
  /** The listed bans of some players, by hash. */
  listedBans(uuidHashes: readonly string[]): Promise<Map<string, ListedBan>>;
  /** The players of the listed bans whose hashes follow `after`, in their order. */
  bansAfter(after: string, limit: number): Promise<string[]>;
  /** The newest bans in force that the server issued, by the UUID of the player; none of erased players. */
  issuedBans(uuids: readonly string[]): Promise<ReadonlyMap<string, IssuedBan>>;
}

/** A transaction in which changes of a server and their events are committed. */
export interface ServerTransaction extends ReportedState {
  /** Whether the server sends its own events. */
  isReportingItself: boolean;
  /** Whether the watcher reports the players of the server, together with its map. */
  isWatched: boolean;
  save(changes: StateChanges): Promise<void>;
  /** Ingests events. @param isListed whether they come from a list: what it has may be old */
  report(events: readonly Event[], isListed: boolean): Promise<unknown>;
}

/** Changes of the reported state. */
export interface StateChanges {
  joined: readonly OnlinePlayer[];
  /** UUIDs of players. */
  left: readonly string[];
  /** Replaces the listed bans of these players. */
  banned: readonly ListedBan[];
  /** Hashes of the UUIDs of players. */
  unbanned: readonly string[];
}

export interface ManagementCore {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  log: Record<'error' | 'warn' | 'info', (facts: object, message: string) => void>;
  /** How long a heartbeat counts. */
  presenceTimeoutMs: number;
  /** How a punished person objects; empty if the network names no contact. */
  appeal: string;
  /** The prefix of the ids of heartbeats, by which the core tells them from those of the server itself. */
  presencePrefix: string;
  keyedHash: (uuid: string) => string;

  /** Takes at most `limit` more servers. @returns all servers that this process follows */
  hold(limit: number): Promise<ManagedServer[]>;
  /** Lets other processes take the servers. */
  release(): Promise<void>;
  reportedState(server: ManagedServer): ReportedState;
  /**
   * Runs `work` in a transaction that locks the server and records the contact.
   * @param uuids the players that `work` may add
   * @throws NoLongerHeld if another process follows the server now, or an operator changed its connection
   * @throws ConnectionLost if the events would add more players than a server may; nothing is committed
   */
  change(
    server: ManagedServer,
    uuids: readonly string[],
    work: (tx: ServerTransaction) => Promise<void>,
  ): Promise<void>;
  /** Stores the state of the connection. @returns whether it differs from the stored one */
  record(server: ManagedServer, state: ManageReason | 'connected'): Promise<boolean>;
}
