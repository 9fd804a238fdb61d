import type { Refusal } from './events.ts';

/** What became of one event: on disk and visible, known already, or refused with the reason and the place. */
export type Receipt =
  | { id: string; status: 'accepted'; receipt: string; note?: string }
  | { id: string; status: 'duplicate'; receipt?: string }
  | ({ id: string; status: 'rejected' } & Refusal);

/** Who speaks: a game server for itself, or the operator for everybody (importers, commands, the console). */
export type Sender = { kind: 'server'; serverKey: number; serverName: string } | { kind: 'operator' };
