import { UsageError } from '#platform/errors.ts';
import { boundOf, idOf, keyOf } from '#platform/ids.ts';
import { readUntil, UNTIL_FORMS } from '#platform/text/until.ts';
import type { Queryable } from '#db/db.ts';
import type { AppContext } from '#context/context.ts';
import { systemClock } from '#platform/clock.ts';
import { command } from './command/operation-command.ts';
import {
  changePunishment,
  findPunished,
  issuePunishment,
  revokePunishment,
  undoPunishmentChange,
  punishmentsOfNamed,
} from '#admin/punishments.ts';
import { runWithdrawal } from './job.ts';
import { punishmentHistory, listChanges, type PunishmentChange, targetOfChange } from '#events/punishments/changes.ts';
import { listPunishments, punishmentByKey, targetByKey, ACTIVE, type Punishment } from '#store/game/punishments.ts';
import {
  type Command,
  inContext,
  type Input,
  JSON_OPTION,
  option,
  reading,
  timestampOf,
  wholeNumber,
} from './command/command.ts';
import { refuseSharedName, requirePlayer, erasedSentence } from './command/player-option.ts';
import { strippedPunishment } from '#store/accounts/deleted-players.ts';

const PLAYER = {
  type: 'string',
  value: 'WHO',
  help: 'The UUID or id of the player, or a name that no other player has or had',
} as const;
const PAGE: NonNullable<Command['options']> = {
  before: option('ID', 'Entries before this id: the last one of the previous page'),
  limit: option('N', 'The number of entries (default: 50)', wholeNumber(1, 10_000)),
};
const KEY = {
  name: 'the id of a key, as "server key list" prints it',
  isOf: (text: string) => keyOf(text) !== undefined,
};

/** The options of every command about one punishment. */
const PUNISHMENT: NonNullable<Command['options']> = {
  punishment: { ...option('ID', 'The id of the punishment, as the data API shows it'), either: 'player' },
  player: option(
    'WHO',
    'Instead of --punishment: the one in force against a player; for a deleted account by the UUID',
  ),
  issued: option('TIME', 'With --player: which of several, by its time in "punishment list"'),
  json: JSON_OPTION,
};

export const commands: Command[] = [
  reading('punishment list', 'List the punishments of the network or of one player, newest first', listAll, {
    ...{ player: PLAYER, ...PAGE },
  }),
  {
    words: 'punishment show',
    summary: 'Show a punishment and who issued, changed and revoked it',
    options: PUNISHMENT,
    run: inContext(async (context, input) => await shown(context, await findPunishment(context, input))),
  },
  command(issuePunishment, 'punishment issue', {
    row: {
      options: {
        player: { ...PLAYER, required: true },
        name: option('VALUE', 'The name of the player, where the network does not know the UUID'),
        punisher: option('WHO', 'The player who issues it (default: the network)'),
        json: JSON_OPTION,
      },
      find: async ({ db }, input) => ({
        punished: await findPlayer(db, input),
        punisher: await playerOption(input, db, 'punisher'),
      }),
    },
    read: readTerms,
    optionAbout: (place) => place.replace('punished', 'player'),
    result: (context, { punished: { deleted } }, { receipt }) => shown(context, { key: keyOf(receipt)!, deleted }),
  }),
  command(changePunishment, 'punishment change', {
    row: {
      options: PUNISHMENT,
      find: async (context: AppContext, input: Input) => {
        const found = await findPunishment(context, input);
        if (Object.keys(readTerms(input)).length > 0) return found;
        throw new UsageError('Give at least one of --type, --level, --reason and --expires.');
      },
    },
    read: readTerms,
    result: (context, found) => shown(context, found),
  }),
  command(revokePunishment, 'punishment revoke', {
    row: {
      options: { ...PUNISHMENT, revoker: option('WHO', 'The player who revokes it (default: the network)') },
      find: async (context: AppContext, input: Input) => ({
        punishment: await findPunishment(context, input),
        revoker: await playerOption(input, context.db, 'revoker'),
      }),
    },
    confirm: ({ punishment: { deleted, ...punishment } }, _, { reason }) => {
      const { id, type, punished, uuid } = wireFor(punishment, deleted);
      return {
        act: `This revokes the ${punishment.type} of ${deleted ?? punishment.punished.name}.`,
        impact: { id, type, punished, uuid, reason },
      };
    },
    result: (context, { punishment }) => shown(context, punishment),
  }),
  reading(
    'punishment changes',
    'List what the keys of game servers and operators did to punishments, newest first',
    listAllChanges,
    {
      key: option('ID', 'Only what one key did; see: scorehall server key list', KEY),
      ...PAGE,
    },
  ),
  command(undoPunishmentChange, 'punishment undo', {
    row: {
      options: { json: JSON_OPTION },
      find: ({ db }, input) => targetOfChange(db, keyOf(input.required('receipt')) ?? 0),
    },
    confirm: (target, _, { receipt }) => ({
      act: 'This withdraws 1 change of a punishment.',
      impact: { receipt, punished: target?.punished ?? null },
    }),
    result: async (context, _, { job }, { receipt }) => ({ undone: receipt, ...(await runWithdrawal(context, job)) }),
  }),
];

async function listAll({ db, clock }: AppContext, input: Input) {
  const { before, limit } = readPage(input);
  const player = input.optional('player');
  const now = clock.now();
  if (player === undefined) return (await listPunishments(db, before, limit, now)).map(wire);
  const { deleted, punishments } = await requirePunishments(db, player, { before, limit, now });
  return punishments.map((one) => wireFor(one, deleted));
}

async function findPlayer(db: Queryable, input: Input) {
  const who = input.required('player');
  await refuseSharedName(db, 'player', who);
  const punished = await findPunished(db, who, input.optional('name'));
  if (punished !== undefined) return punished;
  throw new UsageError(`No player has the name, UUID or id "${who}"; for a new one give the UUID and --name.`);
}

async function listAllChanges({ db }: AppContext, input: Input) {
  const key = input.optional('key');
  const credential = key === undefined ? {} : { credential: keyOf(key)! };
  return (await listChanges(db, { ...credential, ...readPage(input) })).map(wireChange);
}

/** Of a deleted player without the history, which has the id and the pseudonym. */
async function shown({ db, clock }: AppContext, { key, deleted }: Pick<NamedPunishment, 'key' | 'deleted'>) {
  const punishment = (await punishmentByKey(db, key, clock.now()))!;
  if (deleted !== undefined) return wireFor(punishment, deleted);
  const history = await punishmentHistory(db, (await targetByKey(db, key))!);
  return { ...wire(punishment), name: punishment.punished.name, history: history.map(wireChange) };
}

async function playerOption(input: Input, db: Queryable, option: string) {
  const text = input.optional(option);
  if (text === undefined) return null;
  await refuseSharedName(db, option, text);
  const { uuid, name } = await requirePlayer(db, option, text);
  return { uuid, name };
}

function readTerms(input: Input) {
  const [type, reason, level, expires] = ['type', 'reason', 'level', 'expires'].map((name) => input.optional(name));
  if (level !== undefined && !/^\d{1,9}$/.test(level))
    throw new UsageError(`--level must be a whole number from 0 (it is "${level}").`);
  const until = expires === undefined ? undefined : readUntil(expires, systemClock.now());
  if (expires !== undefined && until === undefined)
    throw new UsageError(`--expires must be ${UNTIL_FORMS} (it is "${expires}").`);
  return {
    ...(type !== undefined && { type }),
    ...(level !== undefined && { level: Number(level) }),
    ...(reason !== undefined && { reason }),
    ...(until !== undefined && { expires: until === null ? null : new Date(until).toISOString() }),
  };
}

function readPage(input: Input): { before: number; limit: number } {
  const before = input.optional('before');
  const limit = input.number('limit') ?? 50;
  return { before: before === undefined ? Number.MAX_SAFE_INTEGER : boundOf(before), limit };
}

function wireChange(change: PunishmentChange): Record<string, unknown> {
  const { key, type, received, credential, server, by, target, terms, withdrawn } = change;
  return {
    ...{ receipt: idOf(key), received: timestampOf(received), type, server, by },
    key: credential === 0 ? null : idOf(credential),
    ...{ punishment: target === undefined ? null : idOf(target.key), punished: target?.punished ?? null },
    ...{ terms, withdrawn },
  };
}

/** Maximum punishments of a player among which a command looks for the one in force. */
const MAX_READ = 10_000;

/** A punishment as a command names it: `deleted` is the UUID of a deleted account. */
type NamedPunishment = Punishment & { deleted: string | undefined };

/** The punishment that `--punishment` or `--player` names. @throws UsageError if there is none, or several */
async function findPunishment({ db, clock }: AppContext, input: Input): Promise<NamedPunishment> {
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

async function requirePunishments(db: Queryable, text: string, page: Parameters<typeof punishmentsOfNamed>[2]) {
  await refuseSharedName(db, 'player', text);
  const found = await punishmentsOfNamed(db, text, page);
  if (found === undefined) throw new UsageError(`--player: no player has the name, UUID or id "${text}".`);
  if (found.deleted !== undefined && found.punishments.length === 0)
    throw new UsageError(`--player: ${erasedSentence(found.deleted)} No punishment is in force.`);
  return found;
}

function wire({ key, time, expires, revocation, changed: _, ...punishment }: Punishment): Record<string, unknown> {
  const { punished, punisher, ...terms } = punishment;
  return {
    ...{ id: idOf(key), time: timestampOf(time), punished: punished.name, uuid: punished.uuid, ...terms },
    ...{ punisher: punisher?.name ?? null, expires: timestampOf(expires) },
    revocation: revocation && { ...revocation, time: timestampOf(revocation.time) },
  };
}

const wireFor = (punishment: Punishment, deleted: string | undefined): Record<string, unknown> =>
  deleted === undefined ? wire(punishment) : { ...wire(strippedPunishment(punishment, deleted)), id: '' };
