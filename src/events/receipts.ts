import type { Rejection } from './schema.ts';

/**
 * The result of one event: `accepted` (stored on disk and visible), `duplicate` (accepted before) or `rejected`, with the
 * reason and the member that is wrong. `retry` marks a valid event that may be accepted later: it refers to something
 * that does not exist yet, or its time lies in the future.
 */
export type Receipt =
  | { id: string; status: 'accepted'; receipt: string; note?: string }
  | { id: string; status: 'duplicate'; receipt?: string }
  | ({ id: string; status: 'rejected'; retry?: true } & Rejection);

/**
 * The sender of an event: a game server, with the key of the credential that authenticated it, or the operator (importers,
 * commands, the console), who may report for any server.
 */
export type Sender =
  { kind: 'server'; serverKey: number; serverName: string; credential: number } | { kind: 'operator' };
