import { readConfig } from '#platform/config/config.ts';
import { environment } from '#platform/config/environment.ts';
import { sqliteFileOf } from '#platform/config/setting.ts';
import { UsageError } from '#platform/errors.ts';
import { vacuum } from '#db/sqlite/vacuum.ts';
import { carryOut, type Command, type Input, JSON_OPTION, withAppContext } from '#cli/command/command.ts';

export const commands: Command[] = [
  {
    words: 'vacuum',
    audit: { action: 'database.vacuum', about: 'file' },
    summary:
      'Rewrite the SQLite file, so that nothing of deleted rows is left; writers wait, about 5 seconds a gigabyte',
    options: { json: JSON_OPTION },
    run,
  },
];

async function run(input: Input): Promise<void> {
  const file = sqliteFileOf(readConfig(environment()).DATABASE_URL);
  if (file === undefined)
    throw new UsageError(
      'This is for SQLite. PostgreSQL reuses the space of deleted rows by itself (autovacuum); its own statement is VACUUM FULL.',
    );
  await withAppContext(input, async (context) => {
    await carryOut(input, context, async () => ({ file }));
    const { before, after } = await vacuum(file);
    input.print({ file, bytes_before: before, bytes_after: after });
  });
}
