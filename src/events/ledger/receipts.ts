import type { Problem } from '../schema/problems.ts';

/**
 * The result of one event: `accepted` (stored on disk and visible), `duplicate` (accepted before) or `rejected`.
 * - warnings: values that were accepted although they are not plausible; the operator sees them too
 * - reason, place: the first problem; `problems` lists all if there are several
 * - new_players: the number of players of a server's event that were not known before
 * - retry: the event itself is valid and may be accepted later: it refers to something that does not exist yet, its time
 *   lies in the future, or its server exceeds a limit
 * - receipt of a rejected event: another event with its id was accepted before, under this receipt
 */
export type Receipt =
  | { id: string; status: 'accepted'; receipt: string; note?: string; warnings?: Problem[]; new_players?: number }
  | { id: string; status: 'duplicate'; receipt?: string }
  | Rejected;

export type Rejected = {
  id: string;
  status: 'rejected';
  problems?: Problem[];
  retry?: true;
  receipt?: string;
} & Problem;

export function rejectedFor(id: string, problems: readonly Problem[], retry = false): Rejected {
  const { reason, place } = problems[0]!;
  return {
    id,
    status: 'rejected',
    reason,
    place,
    ...(problems.length > 1 ? { problems: [...problems] } : {}),
    ...(retry ? { retry: true } : {}),
  };
}

/**
 * The sender of an event: a game server, with the key of the credential that authenticated it, or the operator (importers,
 * commands, the console), who may report for any server. What another program has recorded before is imported, and no
 * player gets a mail about it.
 */
export type Sender =
  | { kind: 'server'; serverKey: number; serverName: string; credential: number }
  | { kind: 'operator'; isImport?: boolean };
