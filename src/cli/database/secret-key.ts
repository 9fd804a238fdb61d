import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { environment } from '#platform/config/environment.ts';
import { openSecretKey, type SecretKey, secretKeyOf } from '#platform/crypto/secret-key.ts';
import { UsageError } from '#platform/errors.ts';
import { migrate } from '#db/migrate.ts';
import type { Db, Transaction } from '#db/db.ts';
import { recordAudit } from '#store/audit/audit.ts';
import { changeSecretKey, readLoss, resetSecretKey } from '#store/installation/secret-key-change.ts';
import { openExisting } from './backup.ts';
import { type Command, commandActor, flag, type Input, JSON_OPTION, mandatory } from '#cli/command/command.ts';
import { errorOutput } from '#platform/process/output.ts';

export const commands: Command[] = [
  {
    words: 'secret-key change',
    summary: 'Seal everything under the new key of SECRET_KEY or the file secret.key; stop the service first',
    options: {
      from: mandatory('FILE|-', 'The file with the old key, or - to read it from stdin'),
      json: JSON_OPTION,
    },
    run: change,
  },
  {
    words: 'secret-key reset',
    summary: 'Give a database whose secret key is lost a new one; without --yes it only says what is lost',
    options: { yes: flag('Do it'), json: JSON_OPTION },
    run: reset,
  },
];

async function change(input: Input): Promise<void> {
  const from = secretKeyOf(await readSecret(input.required('from')));
  await withDatabase(async (db, to) => {
    const changed = await db.transaction(async (tx) => {
      const result = await changeSecretKey(tx, from, to);
      await audit(tx, 'secret-key.change');
      return result;
    });
    input.print({ ...changed });
  });
}

async function reset(input: Input): Promise<void> {
  const config = readConfig(environment());
  if (input.has('yes')) {
    return await withDatabase(async (db, to) => {
      const loss = await db.transaction(async (tx) => {
        const lost = await resetSecretKey(tx, to);
        await audit(tx, 'secret-key.reset');
        return lost;
      });
      input.print({ lost: true, ...loss });
    });
  }
  await using db = await openExisting(config);
  input.print({ lost: false, ...(await readLoss(db)) });
  errorOutput().write(
    'With --yes, ID tokens issued so far no longer verify, erased players are recorded under their own names when they play again, ' +
      'and their punishments no longer apply to them. Nothing has been changed.\n',
  );
}

async function withDatabase(work: (db: Db, to: SecretKey) => Promise<void>): Promise<void> {
  const config = readConfig(environment());
  await using db = await openExisting(config);
  await migrate(db);
  await work(db, openSecretKey(config));
}

async function audit(tx: Transaction, action: string): Promise<void> {
  await recordAudit(tx, systemClock.now(), commandActor(), { action });
}

async function readSecret(file: string): Promise<string> {
  const read = file === '-' ? text(process.stdin) : readFile(file, 'utf8');
  const secret = await read.catch((error: Error) => {
    throw new UsageError(`--from names the file with the old key, which cannot be read: ${error.message}`);
  });
  return secret.trim();
}
