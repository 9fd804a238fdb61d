import type { Rejection } from './schema.ts';

/**
 * What became of one event: on disk and visible, known already, or refused with the reason and the place. `retry` says
 * that the event itself is sound and may be taken later: it came before what it speaks of, or before its own moment.
 */
export type Receipt =
  | { id: string; status: 'accepted'; receipt: string; note?: string }
  | { id: string; status: 'duplicate'; receipt?: string }
  | ({ id: string; status: 'rejected'; retry?: true } & Rejection);

/**
 * Who speaks: a game server for itself, by one of its keys (`credential`), or the operator for everybody (importers,
 * commands, the console).
 */
export type Sender =
  { kind: 'server'; serverKey: number; serverName: string; credential: number } | { kind: 'operator' };
