import { systemClock } from '#platform/clock.ts';
import { dataFolder, readConfig } from '#platform/config/config.ts';
import { environment } from '#platform/config/environment.ts';
import { withoutPassword } from '#platform/config/postgres-url.ts';
import { UsageError } from '#platform/errors.ts';
import type { Transaction } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { readMoveMark } from '#db/transfer/closing.ts';
import { cancelMove, move } from '#db/transfer/move.ts';
import { recordAudit } from '#store/audit/audit.ts';
import { openExisting, progressLines } from './backup.ts';
import { type Command, commandActor, flag, type Input, JSON_OPTION, option } from '#cli/command/command.ts';
import { errorOutput } from '#platform/process/output.ts';

export const commands: Command[] = [
  {
    words: 'move',
    summary: 'Move the network of DATABASE_URL, which stays in use meanwhile, into another, empty database',
    options: {
      to: option('URL', 'The empty database: postgres://…, or the path of a SQLite file'),
      cancel: flag('Give up an unfinished move and open the database again'),
      json: JSON_OPTION,
    },
    run,
  },
];

async function run(input: Input): Promise<void> {
  const to = input.optional('to');
  const cancel = input.has('cancel');
  if ((to === undefined) !== cancel) throw new UsageError('Give either --to URL or --cancel.');
  const config = readConfig(environment());
  await using source = await openExisting(config);
  if (to === undefined) {
    await cancelMove(source, (tx) => audit(tx, 'database.move-cancel', {}));
    return input.print({ move: 'cancelled', database: withoutPassword(config.DATABASE_URL) });
  }
  const address = withoutPassword(to);
  if (to === config.DATABASE_URL) throw new UsageError('--to is the database of DATABASE_URL itself.');
  await using target = await openDb(to, { foreignKeys: false, prepared: config.DATABASE_PREPARED === 'on' });
  const isNew = (await readMoveMark(source)) === undefined;
  const tables = await move(source, target, {
    target: address,
    // In the log of both databases, since the source is copied. A repeated attempt belongs to the first one.
    started: async () => {
      if (isNew) await source.transaction((tx) => audit(tx, 'database.move', { to: address }));
    },
    ended: (tx) => audit(tx, 'database.move', { from: withoutPassword(config.DATABASE_URL) }),
    now: () => systemClock.now(),
    progress: progressLines('read'),
    step: (sentence) => void errorOutput().write(`${sentence}\n`),
  });
  input.print(Object.entries(tables).map(([table, { rows, checksum }]) => ({ table, rows, checksum })));
  errorOutput().write(
    `Moved. Stop the service, set DATABASE_URL to ${address} and, unless SECRET_KEY is set, DATA_FOLDER to ` +
      `${dataFolder(config)}, then start it.\n`,
  );
}

async function audit(tx: Transaction, action: string, detail: Record<string, string>): Promise<void> {
  await recordAudit(tx, systemClock.now(), commandActor(), { action, detail });
}
