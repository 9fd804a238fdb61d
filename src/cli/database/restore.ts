import { isDeepStrictEqual } from 'node:util';
import { systemClock } from '#platform/clock.ts';
import { type Config, readConfig } from '#platform/config/config.ts';
import { environment } from '#platform/config/environment.ts';
import { existingSecret, secretKeyFile, secretKeyOf, writeSecretKeyFile } from '#platform/crypto/secret-key.ts';
import { UsageError } from '#platform/errors.ts';
import { openDb } from '#db/open.ts';
import { type Manifest, openBackup, restoredFrom, restoreBackup } from '#db/transfer/backup-file.ts';
import type { AppContext } from '#context/context.ts';
import { reportAsOperator } from '#events/ingest/operator-events.ts';
import { runJobs } from '#events/jobs/runner.ts';
import { recordAudit } from '#store/audit/audit.ts';
import { playerByKey } from '#store/game/players.ts';
import { type Privacy, privacyOf } from '#store/game/private-players.ts';
import { secretFingerprint } from '#store/installation/installation.ts';
import { restoredCounts } from '#store/installation/restored-counts.ts';
import { readRevocationLogs, type Revocations } from '#store/revocations/log-reader.ts';
import { dropNotices } from '#store/mail/punishment-notices.ts';
import { replayRevocations } from '#store/revocations/replay.ts';
import { openExisting, progressLines, singleFile, summaryOf } from './backup.ts';
import {
  type Command,
  commandActor,
  type Input,
  JSON_OPTION,
  repeatable,
  withAppContext,
} from '#cli/command/command.ts';
import { errorOutput } from '#platform/process/output.ts';

export const commands: Command[] = [
  {
    words: 'restore',
    summary: 'Fill the empty database of DATABASE_URL from a backup, and say what came back with it',
    operands: 'FILE',
    options: {
      'since-log': repeatable(
        'LOG',
        'Delete and revoke again what this revocation log names since the backup; may be repeated. Without FILE: in a database that was restored before',
      ),
      json: JSON_OPTION,
    },
    run: restore,
  },
];

async function restore(input: Input): Promise<void> {
  const logs = input.repeated('since-log');
  const config = readConfig(environment());
  if (input.positionals.length === 0 && logs.length > 0) return await replayInto(config, input, logs);
  const file = singleFile(input);
  await using opened = await openBackup(file);
  const { created } = opened.manifest;
  // Read before the database is filled, so that a wrong file changes nothing.
  await readRevocationLogs(logs, created, systemClock.now());
  const restoresKey = checkSecretKey(config, opened.manifest);
  {
    await using db = await openDb(config.DATABASE_URL, {
      foreignKeys: false,
      prepared: config.DATABASE_PREPARED === 'on',
    });
    const act = { action: 'database.restore', detail: { backup: new Date(created).toISOString() } };
    await restoreBackup(opened, db, progressLines('restored'), (tx) =>
      recordAudit(tx, systemClock.now(), commandActor(), act),
    );
    if (restoresKey) writeSecretKeyFile(config, opened.manifest.secretKey!);
  }
  await withAppContext(input, async (context) => {
    await dropNotices(context.db);
    const replayed = logs.length === 0 ? {} : await replay(context, logs, created);
    const returned = await restoredCounts(context.db, systemClock.now());
    input.print({ ...summaryOf(file, opened.manifest), ...replayed, ...returned });
  });
  errorOutput().write(logs.length === 0 ? warningOf(created) : PASSWORDS);
}

/** Continues a replay that was interrupted, or adds a log that was found later. */
async function replayInto(config: Config, input: Input, logs: readonly string[]): Promise<void> {
  await (await openExisting(config)).close();
  await withAppContext(input, async (context) => {
    const created = await restoredFrom(context.db);
    if (created === undefined) {
      throw new UsageError('This database was not restored from a backup: name the FILE of the backup as well.');
    }
    input.print({
      ...(await replay(context, logs, created)),
      ...(await restoredCounts(context.db, systemClock.now())),
    });
  });
  errorOutput().write(PASSWORDS);
}

async function replay(context: AppContext, logs: readonly string[], created: number): Promise<Record<string, unknown>> {
  const { db, clock } = context;
  const { revocations, lines, newest, unreadable } = await readRevocationLogs(logs, created, clock.now());
  const detail = { replay_lines: lines, replay_until: newest === undefined ? null : new Date(newest).toISOString() };
  // Before, because it takes many transactions.
  await db.transaction((tx) => recordAudit(tx, clock.now(), commandActor(), { action: 'database.replay', detail }));
  const { last_operators, ...replayed } = await replayRevocations(db, clock.now(), revocations);
  const privacy_changed = await chooseAgain(context, revocations['private player']);
  await runJobs(context);
  if (unreadable.length > 0)
    errorOutput().write(`These lines are incomplete and were skipped: ${unreadable.join(', ')}.\n`);
  for (const id of last_operators) {
    errorOutput().write(
      `Account ${id} was deleted, disabled or is no longer an operator, but is the only operator of the backup: create ` +
        `another operator, then run \`scorehall restore\` with --since-log alone again.\n`,
    );
  }
  return { ...detail, ...replayed, privacy_changed };
}

/** Reports what persons chose last to keep private, so that the ledger has it too. @returns the number of players */
async function chooseAgain({ db, clock }: AppContext, states: Revocations['private player']): Promise<number> {
  let changed = 0;
  for (const [key, state] of states) {
    const player = await playerByKey(db, Number(key));
    if (player === undefined) continue;
    const [profile, online, names] = state.split(' ').map((flag) => flag === '1') as [boolean, boolean, boolean];
    const privacy: Privacy = { profile, online, names };
    if (isDeepStrictEqual(await privacyOf(db, player.uuid), privacy)) continue;
    await reportAsOperator(db, clock, { type: 'player.privacy', data: { player: player.uuid, ...privacy } });
    changed++;
  }
  return changed;
}

const PASSWORDS =
  'Deletions and revocations of the log are done again. Passwords, mail addresses and game accounts of accounts are as they ' +
  'were at the backup, and so are withdrawn events and punishments, links that undo a change of an address, and entries of the ' +
  'lists of hidden players that were removed since or name nobody whom the backup knows.\n';

/**
 * @returns whether the key of the backup has to be written to a file
 * @throws UsageError if the installation has no key, or another one than the backup
 */
function checkSecretKey(config: Config, { secretKey, secretKeyFingerprint }: Manifest): boolean {
  if (secretKeyFingerprint === null) return false;
  const own = existingSecret(config) ?? secretKey;
  if (own === null) {
    throw new UsageError(
      `The backup needs the secret key with fingerprint ${secretKeyFingerprint}, and there is none here. Set SECRET_KEY, ` +
        `or put its file at ${secretKeyFile(config)}.`,
    );
  }
  if (secretFingerprint(secretKeyOf(own)) !== secretKeyFingerprint) {
    throw new UsageError(
      `The secret key here is not that of the backup, which has fingerprint ${secretKeyFingerprint}. Set SECRET_KEY, or ` +
        `replace the file ${secretKeyFile(config)}.`,
    );
  }
  return existingSecret(config) === undefined;
}

const warningOf = (created: number): string =>
  `Everything is as it was at ${new Date(created).toISOString()}: tokens, keys and sessions that were revoked since then ` +
  `work again, and people who were erased since then are back. Before you open the service, run \`scorehall restore ` +
  `--since-log LOG\` with the revocation log; without one, revoke and erase them again by hand.\n`;
