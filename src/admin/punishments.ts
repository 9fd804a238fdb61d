import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { idOf, keyOf } from '#platform/ids.ts';
import { uuidOf } from '#text/text.ts';
import { UNTIL_FORMS } from '#platform/text/until.ts';
import type { Clock } from '#platform/clock.ts';
import type { Queryable, Transaction } from '#db/db.ts';
import { reportAsOperator } from '#events/ingest/operator-events.ts';
import { undoChange } from '#events/punishments/changes.ts';
import { deletedPlayer, findForStaff, isErased } from '#store/accounts/deleted-players.ts';
import { pseudonymOf } from '#store/accounts/pseudonyms.ts';
import {
  listPunishmentsOf,
  type Punishment,
  punishmentByKey,
  punishmentsInForce,
  type PunishmentTarget,
} from '#store/game/punishments.ts';
import type { Named } from '#store/game/players.ts';
import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { Keys } from '#store/sequence.ts';
import { ofOperators, operation, refuse, rejection } from './operation.ts';

/** As the events have them. */
const terms = z.strictObject({
  type: z.string(),
  level: z.int().optional(),
  reason: z.string().optional(),
  expires: z.string().nullable().optional(),
});

const TERMS = {
  type: 'ban, mute, kick, warn, or a type of the network',
  level: { value: 'N', help: 'The severity on the scale of the network' },
  reason: { value: 'TEXT', help: 'The reason; public' },
  expires: { value: 'WHEN', help: `When it expires: ${UNTIL_FORMS}` },
};

const ofModerators = { ...ofOperators, who: 'moderator' } as const;

const subject = ({ key, punished }: Punishment) => ({ subject: idOf(key), label: punished.name });

/** What a form or command was made from: a change, a revocation, or a merge or erasure of the player makes it stale. */
export const versionOf = ({ changed, revocation, punished }: Punishment): string =>
  `${changed} ${revocation?.time ?? ''} ${punished.uuid}`;

/** The audit entry names the player as the row has it, so the row must not be older than an erasure. */
async function isStale(tx: Transaction, clock: Clock, punishment: Punishment): Promise<boolean> {
  await Keys.lock(tx);
  const present = await punishmentByKey(tx, punishment.key, clock.now());
  return present !== undefined && versionOf(present) !== versionOf(punishment);
}

const stale = { changed_meanwhile: () => 'Somebody changed this punishment meanwhile. Look at it again.' };

/** Its receipt is the id of the punishment. */
export const issuePunishment = operation({
  ...ofModerators,
  name: 'punishment.issue',
  summary: 'Issue a punishment of the network',
  subject: ({ punished }: { punished: Named; punisher: Named | null }, { receipt }: { receipt: string }) => ({
    subject: receipt,
    label: punished.name,
  }),
  fields: terms,
  options: TERMS,
  changes: NAMED_KINDS,
  run: async ({ tx, clock }, row, fields) => {
    const { uuid, name } = row.punished;
    await Keys.lock(tx);
    if (await isErased(tx, uuid)) return refuse('erased_meanwhile');
    const data = { punishment: randomUUID(), ...row, punished: { uuid, name }, ...fields };
    const receipt = await reportAsOperator(tx, clock, { type: 'punishment.issued', data });
    return rejection(receipt) ?? { receipt: receipt.receipt! };
  },
  refused: { erased_meanwhile: () => 'The player was erased meanwhile.' },
  detail: (fields, { receipt }) => ({ receipt, ...fields }),
});

/** Changes what is given; the rest stays. */
export const changePunishment = operation({
  ...ofModerators,
  name: 'punishment.change',
  summary: 'Change the type, level, reason or expiry of a punishment',
  subject,
  fields: terms.partial(),
  options: TERMS,
  changes: ['punishment'],
  run: async ({ tx, clock }, punishment: Punishment, fields) => {
    if (await isStale(tx, clock, punishment)) return refuse('changed_meanwhile');
    const data = { punishment_id: idOf(punishment.key), ...fields };
    const receipt = await reportAsOperator(tx, clock, { type: 'punishment.changed', data });
    return rejection(receipt) ?? { receipt: receipt.receipt! };
  },
  refused: stale,
  detail: (fields, { receipt }) => ({ receipt, ...fields }),
});

export const revokePunishment = operation({
  ...ofModerators,
  name: 'punishment.revoke',
  summary: 'Revoke a punishment; the reason is public',
  subject: ({ punishment }: { punishment: Punishment; revoker: Named | null }) => subject(punishment),
  fields: z.strictObject({ reason: z.string() }),
  options: { reason: { value: 'TEXT', help: 'The reason for the revocation' } },
  loss: 'restorable',
  changes: ['punishment'],
  run: async ({ tx, clock }, { punishment, revoker }, { reason }) => {
    if (await isStale(tx, clock, punishment)) return refuse('changed_meanwhile');
    const data = { punishment_id: idOf(punishment.key), reason, revoker };
    const receipt = await reportAsOperator(tx, clock, { type: 'punishment.revoked', data });
    // A second revocation is in the ledger as well: it is in force again if the first one is withdrawn.
    const repeated = receipt.status === 'accepted' && receipt.note !== undefined;
    return rejection(receipt) ?? { receipt: receipt.receipt!, repeated };
  },
  refused: stale,
  detail: ({ reason }, { receipt }, { punishment: { type } }) => ({ receipt, type, reason }),
});

/** Withdraws one event about a punishment, whose issue may be withdrawn already. */
export const undoPunishmentChange = operation({
  ...ofOperators,
  name: 'punishment.undo',
  summary: 'Withdraw one change of a punishment; all that a key did: scorehall server withdraw --key',
  subject: (target: PunishmentTarget | undefined) => ({
    subject: target === undefined ? '' : idOf(target.key),
    label: target?.punished ?? '',
  }),
  fields: z.strictObject({ receipt: z.string() }),
  options: {
    receipt: { value: 'ID', help: 'The receipt of the change; see: scorehall punishment changes' },
  },
  loss: 'permanent',
  reauthenticate: 'always',
  changes: NAMED_KINDS,
  run: async ({ tx, clock }, _, { receipt }) => {
    const job = await undoChange(tx, clock, keyOf(receipt) ?? 0);
    return job === undefined ? refuse('not_in_force') : { job };
  },
  refused: {
    not_in_force: (_, { receipt }) => `There is no change of a punishment by ${receipt} that is in force.`,
  },
  // A member `receipt` would name the operator as the sender of the change.,
  detail: ({ receipt }) => ({ undone: receipt }),
});

/** A player whom staff names by a UUID whose account was deleted; staff must not learn the pseudonym from it. */
interface Punished extends Named {
  /** The UUID as staff gave it. */
  deleted?: string;
}

/**
 * The player that staff names by name, UUID or id. A player who is not known yet needs both UUID and name. The UUID of a
 * deleted account means its pseudonym, as in the events of game servers.
 */
export async function findPunished(
  db: Queryable,
  text: string,
  name: string | undefined,
): Promise<Punished | undefined> {
  const { player, erased } = (await findForStaff(db, text)) ?? {};
  if (player !== undefined) return { uuid: player.uuid, name: player.name };
  if (erased !== undefined) {
    const { uuid, name: pseudonym } = (await pseudonymOf(db, erased))!;
    return { uuid, name: pseudonym, deleted: erased };
  }
  const uuid = uuidOf(text);
  return uuid === undefined || name === undefined ? undefined : { uuid, name };
}

/**
 * The punishments of the player that staff names, newest first; those in force of a deleted player.
 * @returns undefined if there is no such player
 */
export async function punishmentsOfNamed(
  db: Queryable,
  text: string,
  page: { before: number; limit: number; now: number },
): Promise<{ deleted: string | undefined; punishments: Punishment[] } | undefined> {
  const named = await findForStaff(db, text);
  if (named === undefined) return undefined;
  if (named.player !== undefined)
    return {
      deleted: undefined,
      punishments: await listPunishmentsOf(db, named.player.key, page.before, page.limit, page.now),
    };
  const player = await deletedPlayer(db, named.erased);
  const punishments = player === undefined ? [] : await punishmentsInForce(db, player.key, page.now);
  return { deleted: named.erased, punishments };
}
