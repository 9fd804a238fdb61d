import { randomUUID } from 'node:crypto';
import { UsageError } from '#platform/errors.ts';
import { uuidOf } from '#platform/text.ts';
import { ingestEvents } from '#events/ledger.ts';
import { isLinked } from '#store/accounts/account-changes.ts';
import { pseudonymise } from '#store/accounts/pseudonyms.ts';
import { findPlayer, playerByKey, playerByUuid } from '#store/game/players.ts';
import { CONFIRMATION, isConfirmed } from './confirmation.ts';
import { finishingJob } from './job.ts';
import { type Command, type Input, JSON_OPTION, print, required, withAppContext } from './command.ts';

export const commands: Command[] = [
  {
    words: 'player merge',
    audit: { action: 'player.merge', about: 'from' },
    summary: 'Merge one UUID into another, for past and future events; this cannot be undone',
    options: {
      from: { type: 'string', value: 'UUID', help: 'The UUID to give up, for example of offline mode or Bedrock' },
      into: { type: 'string', value: 'UUID', help: 'The UUID that gets all events of the other' },
      json: JSON_OPTION,
      ...CONFIRMATION,
    },
    run: merge,
  },
  {
    words: 'player erase',
    audit: { action: 'player.erase', about: 'pseudonym' },
    summary: 'Replace a player without account by a pseudonym, in all stored and future events; this cannot be undone',
    options: {
      uuid: { type: 'string', help: 'The UUID of the game account' },
      json: JSON_OPTION,
      ...CONFIRMATION,
    },
    run: erase,
  },
];

async function merge(input: Input): Promise<void> {
  const [from, into] = [readUuid(input, 'from'), readUuid(input, 'into')];
  await withAppContext(async (context) => {
    const { db, clock } = context;
    const [merged, survivor] = [await findPlayer(db, from), await findPlayer(db, into)];
    const act = `This gives all records of ${merged?.name ?? from} to ${survivor?.name ?? into}.`;
    if (!isConfirmed(input, act, { from, into, merged: merged?.name ?? null, survivor: survivor?.name ?? null }))
      return;
    const time = new Date(clock.now()).toISOString();
    const event = { version: 1, id: `command ${randomUUID()}`, type: 'player.merged', time, data: { from, into } };
    const [receipt] = await finishingJob(context, () => ingestEvents(db, clock, { kind: 'operator' }, [event]));
    if (receipt!.status === 'rejected') {
      throw new UsageError(`--${receipt!.place.replace(/^data\./, '')} ${receipt!.reason}.`);
    }
    const player = await findPlayer(db, into);
    print(input, { from, into, name: player?.name ?? null });
  });
}

async function erase(input: Input): Promise<void> {
  const uuid = readUuid(input, 'uuid');
  await withAppContext(async (context) => {
    const { db, clock } = context;
    const player = await playerByUuid(db, uuid);
    if (player === undefined) throw new UsageError(`No player has the UUID ${uuid}.`);
    if (await isLinked(db, player.uuid)) {
      throw new UsageError(`${player.name} is linked to an account; delete that: scorehall account delete --help`);
    }
    const act = `This replaces ${player.name} by a pseudonym in all events; the matches stay.`;
    if (!isConfirmed(input, act, { uuid, name: player.name })) return;
    await finishingJob(context, () => db.transaction((tx) => pseudonymise(tx, clock.now(), player.uuid)));
    print(input, { pseudonym: (await playerByKey(db, player.key))!.name, erased: true });
  });
}

function readUuid(input: Input, name: string): string {
  const text = required(input, name);
  const uuid = uuidOf(text);
  if (uuid === undefined) throw new UsageError(`--${name} must be a UUID (it is "${text}").`);
  // The audit log records the normalised UUID.
  input.values[name] = uuid;
  return uuid;
}
