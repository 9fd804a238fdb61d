import { UsageError } from '#platform/errors.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import { punishmentsOfNamed } from '#admin/punishments.ts';
import type { AppContext } from '#context/context.ts';
import type { Queryable } from '#db/db.ts';
import { strippedPunishment } from '#store/accounts/deleted-players.ts';
import { ACTIVE, type Punishment, punishmentByKey } from '#store/game/punishments.ts';
import { type Command, type Input, JSON_OPTION, option, timestampOf, withAppContext } from './command/command.ts';
import { erasedSentence, refuseSharedName } from './command/player-option.ts';

/** How commands name one punishment, and how they show it. */

/** Maximum punishments of a player among which a command looks for the one in force. */
const MAX_READ = 10_000;

/** The options of every command about one punishment. */
export const PUNISHMENT: NonNullable<Command['options']> = {
  punishment: option('ID', 'The id of the punishment, as the data API shows it'),
  player: option(
    'WHO',
    'Instead of --punishment: the one in force against a player; for a deleted account by the UUID',
  ),
  issued: option('TIME', 'With --player: which of several, by its time in "punishment list"'),
  json: JSON_OPTION,
};
/** Runs `work` on the punishment that `--punishment` or `--player` names; `deleted` is the UUID of a deleted account. */
export async function onPunishment(
  input: Input,
  work: (context: AppContext, punishment: Punishment, deleted: string | undefined) => Promise<void>,
): Promise<void> {
  const [id, player] = [input.optional('punishment'), input.optional('player')];
  if ((id === undefined) === (player === undefined)) throw new UsageError('Give either --punishment or --player.');
  await withAppContext(input, async (context) => {
    const { db, clock } = context;
    if (player !== undefined) return await onPunishmentOf(input, context, player, work);
    const punishment = await punishmentByKey(db, keyOf(id!) ?? 0, clock.now());
    if (punishment === undefined) throw new UsageError(`No punishment has the id ${id}.`);
    await work(context, punishment, undefined);
  });
}

async function onPunishmentOf(
  input: Input,
  context: AppContext,
  player: string,
  work: (context: AppContext, punishment: Punishment, deleted: string | undefined) => Promise<void>,
): Promise<void> {
  const issued = input.optional('issued');
  const page = { before: Number.MAX_SAFE_INTEGER, limit: MAX_READ, now: context.clock.now() };
  const { deleted, punishments } = await requirePunishments(context.db, player, page);
  const inForce = punishments.filter(({ state }) => state === ACTIVE);
  const [found, ...others] = inForce.filter(({ time }) => issued === undefined || timestampOf(time) === issued);
  if (found === undefined) throw new UsageError(`No such punishment is in force against "${player}".`);
  if (others.length > 0) {
    const times = inForce.map(({ type, time }) => `${type} ${timestampOf(time)}`).join(', ');
    throw new UsageError(`Several punishments are in force (${times}): choose one with --issued TIME.`);
  }
  await work(context, found, deleted);
}

export async function requirePunishments(db: Queryable, text: string, page: Parameters<typeof punishmentsOfNamed>[2]) {
  await refuseSharedName(db, 'player', text);
  const found = await punishmentsOfNamed(db, text, page);
  if (found === undefined) throw new UsageError(`--player: no player has the name, UUID or id "${text}".`);
  if (found.deleted !== undefined && found.punishments.length === 0)
    throw new UsageError(`--player: ${erasedSentence(found.deleted)} No punishment is in force.`);
  return found;
}

export function wire({
  key,
  time,
  expires,
  revocation,
  changed: _,
  ...punishment
}: Punishment): Record<string, unknown> {
  const { punished, punisher, ...terms } = punishment;
  return {
    ...{ id: idOf(key), time: timestampOf(time), punished: punished.name, uuid: punished.uuid, ...terms },
    ...{ punisher: punisher?.name ?? null, expires: timestampOf(expires) },
    revocation: revocation && { ...revocation, time: timestampOf(revocation.time) },
  };
}

export const wireFor = (punishment: Punishment, deleted: string | undefined): Record<string, unknown> =>
  deleted === undefined ? wire(punishment) : { ...wire(strippedPunishment(punishment, deleted)), id: '' };
