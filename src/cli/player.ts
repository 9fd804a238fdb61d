import { idOf } from '#platform/ids.ts';
import { jsonPieces, Members } from '#platform/streams/json-stream.ts';
import type { Db } from '#db/db.ts';
import { playerExport } from '#admin/player-export.ts';
import type { AppContext } from '#context/context.ts';
import { erasePlayer, mergePlayers, removePlayerName } from '#admin/players.ts';
import { findOpenMerge } from '#events/handlers/merge-records.ts';
import { punishmentsOfNamed } from '#admin/punishments.ts';
import { accountsOfPlayer } from '#store/accounts/accounts.ts';
import { findForStaff, strippedPunishment } from '#store/accounts/deleted-players.ts';
import { eventsOfPlayer } from '#store/game/player-events.ts';
import { readAliases, findPlayer, namesOf, type Player } from '#store/game/players.ts';
import { privacyOf } from '#store/game/private-players.ts';
import { listPunishmentsOf } from '#store/game/punishments.ts';
import { outputFile, writeOutput } from './command/file-output.ts';
import { command, type RowOption } from './command/operation-command.ts';
import {
  type NamedPlayer,
  playerImpact,
  playerOption,
  requireNamedPlayer,
  requirePlayer,
  shownPlayer,
} from './command/player-option.ts';
import { runWithProgress } from './job.ts';
import {
  type Command,
  type Input,
  JSON_OPTION,
  mandatory,
  reading,
  timestampOf,
  withAppContext,
} from './command/command.ts';

/** The player whom `--player` names, for a command that takes something away. */
const namedRow: RowOption<{ uuid: string; named: NamedPlayer }> = {
  options: {
    player: { ...playerOption('The player'), required: true },
    json: JSON_OPTION,
  },
  find: async ({ db }: AppContext, input: Input) => {
    const named = await requireNamedPlayer(db, input, 'player');
    return { uuid: named.uuid, named };
  },
};

export const commands: Command[] = [
  command(mergePlayers, 'player merge', {
    row: {
      options: {
        from: {
          ...playerOption('The player who disappears, for example of offline mode or Bedrock'),
          required: true,
        },
        into: { ...playerOption('The player who gets all events of the other'), required: true },
        json: JSON_OPTION,
      },
      find: async ({ db }: AppContext, input: Input) => {
        const [merged, survivor] = [
          await requireNamedPlayer(db, input, 'from'),
          await requireNamedPlayer(db, input, 'into'),
        ];
        const question = `This gives all records of ${shownPlayer(merged)} to ${shownPlayer(survivor)}. Are these the players?`;
        return { from: merged.uuid, into: survivor.uuid, question };
      },
    },
    confirm: ({ from, into, question }, { merged, survivor }) => ({
      act: question,
      impact: { from, into, merged, survivor },
    }),
    result: async (context, { from, into }) => {
      const job = await findOpenMerge(context.db, from);
      if (job !== undefined) await runWithProgress(context, job);
      return { from, into, name: (await findPlayer(context.db, into))?.name ?? null };
    },
  }),
  reading('player show', 'Show a player: account, names, punishments and the newest events', show, {
    player: mandatory('WHO', 'The UUID or the name of the player'),
  }),
  {
    words: 'player export',
    summary: 'Write all data about a player as JSON, as the export of an account has it',
    operands: 'FILE|-',
    options: {
      player: { ...playerOption('The player'), required: true },
    },
    run: exportPlayer,
  },
  command(erasePlayer, 'player erase', {
    row: {
      ...namedRow,
      find: async (context: AppContext, input: Input) => {
        const { uuid, named } = await namedRow.find(context, input);
        return { uuid: (await findPlayer(context.db, uuid))?.uuid ?? uuid, named };
      },
    },
    confirm: ({ named }, { keeping }) => {
      const reasons = keeping.map(({ key, reason }) => ({ id: idOf(key), reason }));
      return {
        act: `This replaces a player by a pseudonym in all events; the matches stay: ${shownPlayer(named)}. ${remainingNames(reasons)}Is this the player?`,
        impact: { ...playerImpact(named), ...(reasons.length > 0 && { reasons_with_name: reasons }) },
      };
    },
    result: async (context, _, { uuid, job }) => {
      if (job !== undefined) await runWithProgress(context, job);
      return { erased: true, pseudonym: uuid };
    },
  }),
  command(removePlayerName, 'player remove-name', {
    row: namedRow,
    confirm: ({ named }) => ({
      act: `This removes a former name everywhere, and the present one takes its place: ${shownPlayer(named)}. Is this the player?`,
      impact: playerImpact(named),
    }),
    result: async (context, { uuid }, { job }) => {
      await runWithProgress(context, job);
      return { uuid, removed: true };
    },
  }),
];

const NEWEST = 20;

async function show({ db, clock }: AppContext, input: Input) {
  const who = input.required('player');
  const { erased } = (await findForStaff(db, who)) ?? {};
  const shown =
    erased === undefined
      ? await describe(db, clock.now(), await requirePlayer(db, 'player', who))
      : await describeErased(db, clock.now(), erased);
  return shown;
}

async function exportPlayer(input: Input): Promise<void> {
  const file = outputFile(input);
  await withAppContext(input, async ({ db, clock }) => {
    const now = clock.now();
    const { uuid } = await requireNamedPlayer(db, input, 'player');
    const player = await playerExport(db, await requirePlayer(db, 'player', uuid), now);
    await writeOutput(file, jsonPieces(new Members({ exported: timestampOf(now), player })));
  });
}

/** Which reasons of punishments keep a name of one or two characters. */
function remainingNames(reasons: readonly { id: string; reason: string }[]): string {
  if (reasons.length === 0) return '';
  const listed = reasons.map(({ id, reason }) => `${id} "${reason}"`).join(', ');
  return `Reasons keep a name of fewer than three characters; change them first (punishment change): ${listed}. `;
}

/** Of an erased player only the punishments in force, without what leads to the pseudonym. */
async function describeErased(db: Db, now: number, uuid: string): Promise<Record<string, unknown>> {
  const { punishments } = (await punishmentsOfNamed(db, uuid, { before: 0, limit: 0, now }))!;
  const shown = punishments.map((punishment) => strippedPunishment(punishment, uuid));
  return { uuid, erased: true, punishments: shown.map(({ type, state, reason }) => ({ type, state, reason })) };
}

async function describe(db: Db, now: number, { key, uuid, name }: Player): Promise<Record<string, unknown>> {
  const [accounts, names] = [await accountsOfPlayer(db, uuid), await namesOf(db, key)];
  const punishments = await listPunishmentsOf(db, key, Number.MAX_SAFE_INTEGER, NEWEST, now);
  const events = await eventsOfPlayer(db, key, Number.MAX_SAFE_INTEGER, NEWEST);
  return {
    ...{ uuid, id: idOf(key), name, aliases: await readAliases(db, uuid, NEWEST) },
    privacy: await privacyOf(db, uuid),
    accounts: accounts.map((account) => account.name),
    names: names.map((seen) => ({ name: seen.name, last_seen: timestampOf(seen.last_seen) })),
    punishments: punishments.map(({ key: id, type, state, reason }) => ({ id: idOf(id), type, state, reason })),
    events: events.map(({ key: id, type, time }) => ({ id: idOf(id), type, time: timestampOf(time) })),
  };
}
