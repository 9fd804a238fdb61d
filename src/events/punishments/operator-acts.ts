import { randomUUID } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import { idOf } from '#platform/ids.ts';
import { uuidOf } from '#platform/text.ts';
import type { Db, Queryable } from '#db/db.ts';
import { findPlayer } from '#store/game/players.ts';
import { reportAsOperator } from '../ingest/operator-events.ts';
import type { Receipt } from '../ledger/receipts.ts';
import type { WireEvent } from '../schema/index.ts';

/** What operators and moderators do to punishments, by command and in the console. */

type DataOf<T extends WireEvent['type']> = Extract<WireEvent, { type: T }>['data'];

export type NewPunishment = Omit<DataOf<'punishment.issued'>, 'punishment'>;
export type ChangedTerms = Omit<DataOf<'punishment.changed'>, 'punishment_id' | 'punishment' | 'server'>;
export type RevocationFacts = Pick<DataOf<'punishment.revoked'>, 'reason' | 'revoker'>;

/** Issues a punishment of the network; its receipt is its id. */
export async function issuePunishment(db: Db, clock: Clock, data: NewPunishment): Promise<Receipt> {
  const named = { punishment: randomUUID(), ...data };
  return await reportAsOperator(db, clock, { type: 'punishment.issued', data: named });
}

export async function changePunishment(db: Db, clock: Clock, key: number, terms: ChangedTerms): Promise<Receipt> {
  const data = { punishment_id: idOf(key), ...terms };
  return await reportAsOperator(db, clock, { type: 'punishment.changed', data });
}

export async function revokePunishment(db: Db, clock: Clock, key: number, facts: RevocationFacts): Promise<Receipt> {
  const data = { punishment_id: idOf(key), ...facts };
  return await reportAsOperator(db, clock, { type: 'punishment.revoked', data });
}

/**
 * The player that an operator names by name, UUID or id. A player whom the network does not know yet needs both UUID and
 * name.
 */
export async function findPunished(
  db: Queryable,
  text: string,
  name: string | undefined,
): Promise<{ uuid: string; name: string } | undefined> {
  const known = await findPlayer(db, text);
  if (known !== undefined) return { uuid: known.uuid, name: known.name };
  const uuid = uuidOf(text);
  return uuid === undefined || name === undefined ? undefined : { uuid, name };
}
