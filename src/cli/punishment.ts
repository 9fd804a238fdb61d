import { UsageError } from '#platform/errors.ts';
import { boundOf, idOf, keyOf } from '#platform/ids.ts';
import { readUntil, UNTIL_FORMS } from '#platform/text/until.ts';
import type { Queryable } from '#db/db.ts';
import type { AppContext } from '#context/context.ts';
import { fieldOptions, performOrThrow } from './command/operation-command.ts';
import {
  changePunishment,
  findPunished,
  issuePunishment,
  revokePunishment,
  undoPunishmentChange,
} from '#admin/punishments.ts';
import { runWithProgress } from './job.ts';
import { punishmentHistory, listChanges, type PunishmentChange, targetOfChange } from '#events/punishments/changes.ts';
import { listPunishments, punishmentByKey, targetByKey } from '#store/game/punishments.ts';
import { type Command, type Input, JSON_OPTION, option, timestampOf, withAppContext } from './command/command.ts';
import { CONFIRMATION, isConfirmed } from './command/confirmation.ts';
import { refuseSharedName, requirePlayer } from './command/player-option.ts';
import { onPunishment, PUNISHMENT, requirePunishments, wire, wireFor } from './named-punishment.ts';

const PLAYER = {
  type: 'string',
  value: 'WHO',
  help: 'The UUID or id of the player, or a name that no other player has or had',
} as const;
const PAGE: NonNullable<Command['options']> = {
  before: option('ID', 'Entries before this id: the last one of the previous page'),
  limit: option('N', 'The number of entries (default: 50)'),
  json: JSON_OPTION,
};
const MAX_LIMIT = 10_000;

export const commands: Command[] = [
  {
    words: 'punishment list',
    summary: 'List the punishments of the network or of one player, newest first',
    options: { player: PLAYER, ...PAGE },
    run: listAll,
  },
  {
    words: 'punishment show',
    summary: 'Show a punishment and who issued, changed and revoked it',
    options: PUNISHMENT,
    run: (input) =>
      onPunishment(input, async (context, { key }, deleted) => input.print(await shown(context, key, deleted))),
  },
  {
    words: 'punishment issue',
    operations: [issuePunishment],
    summary: issuePunishment.summary,
    options: {
      player: { ...PLAYER, required: true },
      name: option('VALUE', 'The name of the player, where the network does not know the UUID'),
      ...fieldOptions(issuePunishment),
      punisher: option('WHO', 'The player who issues it (default: the network)'),
      json: JSON_OPTION,
    },
    run: issue,
  },
  {
    words: 'punishment change',
    operations: [changePunishment],
    summary: changePunishment.summary,
    options: { ...PUNISHMENT, ...fieldOptions(changePunishment) },
    run: change,
  },
  {
    words: 'punishment revoke',
    operations: [revokePunishment],
    summary: revokePunishment.summary,
    options: {
      ...PUNISHMENT,
      ...fieldOptions(revokePunishment),
      revoker: option('WHO', 'The player who revokes it (default: the network)'),
      ...CONFIRMATION,
    },
    run: revoke,
  },
  {
    words: 'punishment changes',
    summary: 'List what the keys of game servers and operators did to punishments, newest first',
    options: {
      key: option('ID', 'Only what one key did; see: scorehall server key list'),
      ...PAGE,
    },
    run: listAllChanges,
  },
  {
    words: 'punishment undo',
    operations: [undoPunishmentChange],
    summary: undoPunishmentChange.summary,
    options: {
      ...fieldOptions(undoPunishmentChange),
      ...CONFIRMATION,
      json: JSON_OPTION,
    },
    run: undo,
  },
];

async function listAll(input: Input): Promise<void> {
  const { before, limit } = readPage(input);
  const player = input.optional('player');
  await withAppContext(input, async ({ db, clock }) => {
    const page = { before, limit, now: clock.now() };
    if (player === undefined) {
      input.print((await listPunishments(db, before, limit, page.now)).map(wire));
      return;
    }
    const { deleted, punishments } = await requirePunishments(db, player, page);
    input.print(punishments.map((one) => wireFor(one, deleted)));
  });
}

async function issue(input: Input): Promise<void> {
  const who = input.required('player');
  const type = input.required('type');
  await withAppContext(input, async (context) => {
    const { db, clock } = context;
    await refuseSharedName(db, 'player', who);
    const punished = await findPunished(db, who, input.optional('name'));
    if (punished === undefined)
      throw new UsageError(`No player has the name, UUID or id "${who}"; for a new one give the UUID and --name.`);
    const row = { punished, punisher: await playerOption(input, db, 'punisher') };
    const terms = { ...readTerms(input, clock.now()), type };
    const { receipt } = await performOrThrow(issuePunishment, context, row, terms, optionAbout);
    input.print(await shown(context, keyOf(receipt)!, punished.deleted));
  });
}

async function change(input: Input): Promise<void> {
  await onPunishment(input, async (context, punishment, deleted) => {
    const terms = readTerms(input, context.clock.now());
    if (Object.keys(terms).length === 0)
      throw new UsageError('Give at least one of --type, --level, --reason and --expires.');
    await performOrThrow(changePunishment, context, punishment, terms);
    input.print(await shown(context, punishment.key, deleted));
  });
}

async function revoke(input: Input): Promise<void> {
  const reason = input.required('reason');
  await onPunishment(input, async (context, punishment, deleted) => {
    const row = { punishment, revoker: await playerOption(input, context.db, 'revoker') };
    const { id, type, punished, uuid } = wireFor(punishment, deleted);
    const act = `This revokes the ${punishment.type} of ${deleted ?? punishment.punished.name}.`;
    if (!isConfirmed(input, act, { id, type, punished, uuid, reason })) return;
    await performOrThrow(revokePunishment, context, row, { reason });
    input.print(await shown(context, punishment.key, deleted));
  });
}

async function listAllChanges(input: Input): Promise<void> {
  const page = readPage(input);
  const key = input.optional('key');
  const credential = key === undefined ? {} : { credential: readKey(key) };
  await withAppContext(input, async ({ db }) =>
    input.print((await listChanges(db, { ...credential, ...page })).map(wireChange)),
  );
}

async function undo(input: Input): Promise<void> {
  const receipt = input.required('receipt');
  await withAppContext(input, async (context) => {
    const target = await targetOfChange(context.db, keyOf(receipt) ?? 0);
    const impact = { receipt, punished: target?.punished ?? null };
    if (!isConfirmed(input, 'This withdraws 1 change of a punishment.', impact)) return;
    const { job } = await performOrThrow(undoPunishmentChange, context, target, { receipt });
    const { cursor } = await runWithProgress(context, job);
    const { events, cascaded } = JSON.parse(cursor) as { events: number; cascaded: number };
    input.print({ undone: receipt, events: events + cascaded, cascaded });
  });
}

/** The option that a place in the event is about. */
const optionAbout = (place: string): string => place.replace('punished', 'player');

/** Of a deleted player without the history, which has the id and the pseudonym. */
async function shown({ db, clock }: AppContext, key: number, deleted: string | undefined) {
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

function readTerms(input: Input, now: number) {
  const [type, reason, level, expires] = ['type', 'reason', 'level', 'expires'].map((name) => input.optional(name));
  if (level !== undefined && !/^\d{1,9}$/.test(level))
    throw new UsageError(`--level must be a whole number from 0 (it is "${level}").`);
  const until = expires === undefined ? undefined : readUntil(expires, now);
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
  const [before, limit] = [input.optional('before'), input.optional('limit') ?? '50'];
  if (!/^[1-9]\d{0,4}$/.test(limit) || Number(limit) > MAX_LIMIT)
    throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT} (it is "${limit}").`);
  return { before: before === undefined ? Number.MAX_SAFE_INTEGER : boundOf(before), limit: Number(limit) };
}

function readKey(text: string): number {
  const key = keyOf(text);
  if (key !== undefined) return key;
  throw new UsageError(`--key must be the id of a key, as "server key list" prints it (it is "${text}").`);
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
