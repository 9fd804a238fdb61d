import { UsageError } from '#platform/errors.ts';
import { idOf, keyOf } from '#platform/ids.ts';
import { punishmentsOfNamed } from '#admin/punishments.ts';
import type { AppContext } from '#context/context.ts';
import type { Queryable } from '#db/db.ts';
import { strippedPunishment } from '#store/accounts/deleted-players.ts';
import { ACTIVE, type Punishment, punishmentByKey } from '#store/game/punishments.ts';
import { type Command, type Input, JSON_OPTION, option, timestampOf } from './command/command.ts';
import { erasedSentence, refuseSharedName } from './command/player-option.ts';

/** How commands name one punishment, and how they show it. */

/** Maximum punishments of a player among which a command looks for the one in force. */
const MAX_READ = 10_000;

/** The options of every command about one punishment. */
export const PUNISHMENT: NonNullable<Command['options']> = {
  punishment: { ...option('ID', 'The id of the punishment, as the data API shows it'), either: 'player' },
  player: option(
    'WHO',
    'Instead of --punishment: the one in force against a player; for a deleted account by the UUID',
  ),
  issued: option('TIME', 'With --player: which of several, by its time in "punishment list"'),
  json: JSON_OPTION,
};

/** A punishment as a command names it: `deleted` is the UUID of a deleted account. */
export type NamedPunishment = Punishment & { deleted: string | undefined };

/** The punishment that `--punishment` or `--player` names. @throws UsageError if there is none, or several */
export async function findPunishment({ db, clock }: AppContext, input: Input): Promise<NamedPunishment> {
  const [id, player] = [input.optional('punishment'), input.optional('player')];
  if (player !== undefined) return await inForceAgainst(db, player, input.optional('issued'), clock.now());
  const punishment = await punishmentByKey(db, keyOf(id!) ?? 0, clock.now());
  if (punishment === undefined) throw new UsageError(`No punishment has the id ${id}.`);
  return { ...punishment, deleted: undefined };
}

async function inForceAgainst(
  db: Queryable,
  player: string,
  issued: string | undefined,
  now: number,
): Promise<NamedPunishment> {
  const page = { before: Number.MAX_SAFE_INTEGER, limit: MAX_READ, now };
  const { deleted, punishments } = await requirePunishments(db, player, page);
  const inForce = punishments.filter(({ state }) => state === ACTIVE);
  const [found, ...others] = inForce.filter(({ time }) => issued === undefined || timestampOf(time) === issued);
  if (found === undefined) throw new UsageError(`No such punishment is in force against "${player}".`);
  if (others.length > 0) {
    const times = inForce.map(({ type, time }) => `${type} ${timestampOf(time)}`).join(', ');
    throw new UsageError(`Several punishments are in force (${times}): choose one with --issued TIME.`);
  }
  return { ...found, deleted };
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
