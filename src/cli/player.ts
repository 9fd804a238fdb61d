import { UsageError } from '#platform/errors.ts';
import { uuidOf } from '#platform/text/text.ts';
import { idOf } from '#platform/ids.ts';
import type { Db } from '#db/db.ts';
import { erasePlayer, mergePlayers } from '#admin/players.ts';
import { findOpenMerge } from '#events/handlers/merge-records.ts';
import { accountsOfPlayer } from '#store/accounts/accounts.ts';
import { eventsOfPlayer } from '#store/game/player-events.ts';
import { readAliases, findPlayer, namesOf, type Player } from '#store/game/players.ts';
import { listPunishmentsOf } from '#store/game/punishments.ts';
import { command } from './command/operation-command.ts';
import { runWithProgress } from './job.ts';
import { type Command, type Input, JSON_OPTION, print, required, withAppContext } from './command/command.ts';

export const commands: Command[] = [
  command(mergePlayers, {
    words: 'player merge',
    summary: 'Merge one UUID into another, for past and future events; this cannot be undone',
    row: {
      options: {
        from: {
          type: 'string',
          value: 'UUID',
          required: true,
          help: 'The UUID that disappears, for example of offline mode or Bedrock',
        },
        into: { type: 'string', value: 'UUID', required: true, help: 'The UUID that gets all events of the other' },
        json: JSON_OPTION,
      },
      find: async (_, input) => ({ from: readUuid(input, 'from'), into: readUuid(input, 'into') }),
    },
    options: {},
    confirm: ({ from, into }, { merged, survivor }) => ({
      act: `This gives all records of ${merged ?? from} to ${survivor ?? into}.`,
      impact: { from, into, merged, survivor },
    }),
    refused: {},
    result: async (context, { from, into }) => {
      const job = await findOpenMerge(context.db, from);
      if (job !== undefined) await runWithProgress(context, job);
      return { from, into, name: (await findPlayer(context.db, into))?.name ?? null };
    },
  }),
  {
    words: 'player show',
    summary: 'Show a player: account, names, punishments and the newest events',
    options: {
      player: { type: 'string', value: 'WHO', required: true, help: 'The UUID or the name of the player' },
      json: JSON_OPTION,
    },
    run: show,
  },
  command(erasePlayer, {
    words: 'player erase',
    summary: 'Erase a player without an account: the matches stay, under a random name and UUID; this cannot be undone',
    row: {
      options: {
        player: { type: 'string', value: 'UUID', required: true, help: 'The UUID of the player' },
        json: JSON_OPTION,
      },
      find: ({ db }, input) => requirePlayer(db, readUuid(input, 'player')),
    },
    options: {},
    confirm: ({ name, uuid }) => ({
      act: `This replaces ${name} by a pseudonym in all events; the matches stay.`,
      impact: { uuid, name },
    }),
    refused: {
      'no player': () => 'No player has this UUID.',
      'has an account': () =>
        'The player has an account; delete it, which erases the player as well: scorehall account delete',
      'erased already': () => 'The player is erased already.',
    },
    result: async (context, _, { uuid, job }) => {
      if (job !== undefined) await runWithProgress(context, job);
      return { erased: true, pseudonym: uuid };
    },
  }),
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

function readUuid(input: Input, name: string): string {
  const text = required(input, name);
  const uuid = uuidOf(text);
  if (uuid === undefined) throw new UsageError(`--${name} must be a UUID (it is "${text}").`);
  return uuid;
}
