import { randomUUID } from 'node:crypto';
import { UsageError } from '#platform/errors.ts';
import { uuidOf } from '#platform/text.ts';
import { idOf } from '#platform/ids.ts';
import type { Db } from '#db/db.ts';
import { reasonAbout } from '#events/schema/problems.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { accountsOfPlayer } from '#store/accounts/accounts.ts';
import { type ErasureRefusal, erasePlayer } from '#store/accounts/player-erasure.ts';
import { eventsOfPlayer } from '#store/game/player-events.ts';
import { readAliases, findPlayer, namesOf, type Player } from '#store/game/players.ts';
import { listPunishmentsOf } from '#store/game/punishments.ts';
import { CONFIRMATION, isConfirmed } from './command/confirmation.ts';
import { finishingJob } from './job.ts';
import { type Command, type Input, JSON_OPTION, print, required, withAppContext } from './command/command.ts';

export const commands: Command[] = [
  {
    words: 'player merge',
    audit: { action: 'player.merge', about: 'from' },
    summary: 'Merge one UUID into another, for past and future events; this cannot be undone',
    options: {
      from: {
        type: 'string',
        value: 'UUID',
        required: true,
        help: 'The UUID to give up, for example of offline mode or Bedrock',
      },
      into: { type: 'string', value: 'UUID', required: true, help: 'The UUID that gets all events of the other' },
      json: JSON_OPTION,
      ...CONFIRMATION,
    },
    run: merge,
  },
  {
    words: 'player show',
    summary: 'Show a player: account, names, punishments and the newest events',
    options: {
      player: { type: 'string', value: 'WHO', required: true, help: 'The UUID or the name of the player' },
      json: JSON_OPTION,
    },
    run: show,
  },
  {
    words: 'player erase',
    audit: { action: 'player.erase', about: 'pseudonym' },
    summary: 'Erase a player without an account: the matches stay, under a random name and UUID; this cannot be undone',
    options: {
      player: { type: 'string', value: 'UUID', required: true, help: 'The UUID of the player' },
      json: JSON_OPTION,
      ...CONFIRMATION,
    },
    run: erase,
  },
];

const NEWEST = 20;

async function show(input: Input): Promise<void> {
  const who = required(input, 'player');
  await withAppContext(input, async ({ db, clock }) =>
    print(input, await describe(db, clock.now(), await requirePlayer(db, who))),
  );
}

async function requirePlayer(db: Db, who: string): Promise<Player> {
  const player = await findPlayer(db, who);
  if (player === undefined) throw new UsageError(`No player has the UUID, name or id "${who}".`);
  return player;
}

const timestampOf = (ms: number): string => new Date(ms).toISOString();

async function describe(db: Db, now: number, { key, uuid, name }: Player): Promise<Record<string, unknown>> {
  const [accounts, names] = [await accountsOfPlayer(db, uuid), await namesOf(db, key)];
  const punishments = await listPunishmentsOf(db, key, Number.MAX_SAFE_INTEGER, NEWEST, now);
  const events = await eventsOfPlayer(db, key, Number.MAX_SAFE_INTEGER, NEWEST);
  return {
    ...{ uuid, id: idOf(key), name, aliases: await readAliases(db, uuid, NEWEST) },
    accounts: accounts.map((account) => account.name),
    names: names.map((seen) => ({ name: seen.name, last_seen: timestampOf(seen.last_seen) })),
    punishments: punishments.map(({ key: id, type, state, reason }) => ({ id: idOf(id), type, state, reason })),
    events: events.map(({ key: id, type, time }) => ({ id: idOf(id), type, time: timestampOf(time) })),
  };
}

async function erase(input: Input): Promise<void> {
  const uuid = readUuid(input, 'player');
  await withAppContext(input, async (context) => {
    const { db, clock } = context;
    const { name } = await requirePlayer(db, uuid);
    const act = `This replaces ${name} by a pseudonym in all events; the matches stay.`;
    if (!isConfirmed(input, act, { uuid, name })) return;
    const erased = await finishingJob(context, () => erasePlayer(db, clock.now(), uuid));
    if ('refusal' in erased) throw new UsageError(REFUSALS[erased.refusal]);
    // The audit log must not hold the UUID of the person who wants to be forgotten.
    delete input.values['player'];
    print(input, { erased: true, pseudonym: erased.uuid });
  });
}

const REFUSALS: Record<ErasureRefusal, string> = {
  'no player': 'No player has this UUID.',
  'has an account': 'The player has an account; delete it, which erases the player as well: scorehall account delete',
  'erased already': 'The player is erased already.',
};

async function merge(input: Input): Promise<void> {
  const [from, into] = [readUuid(input, 'from'), readUuid(input, 'into')];
  await withAppContext(input, async (context) => {
    const { db, clock } = context;
    const [merged, survivor] = [await findPlayer(db, from), await findPlayer(db, into)];
    const act = `This gives all records of ${merged?.name ?? from} to ${survivor?.name ?? into}.`;
    if (!isConfirmed(input, act, { from, into, merged: merged?.name ?? null, survivor: survivor?.name ?? null }))
      return;
    const time = new Date(clock.now()).toISOString();
    const event = { version: 1, id: `command ${randomUUID()}`, type: 'player.merged', time, data: { from, into } };
    const [receipt] = await finishingJob(context, () => ingestEvents(db, clock, { kind: 'operator' }, [event]));
    if (receipt!.status === 'rejected')
      throw new UsageError(reasonAbout(`--${receipt!.place.replace(/^data\./, '')}`, receipt!));
    const player = await findPlayer(db, into);
    print(input, { from, into, name: player?.name ?? null });
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
