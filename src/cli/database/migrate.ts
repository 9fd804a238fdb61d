import { existsSync } from 'node:fs';
import { readConfig } from '#platform/config/config.ts';
import { environment } from '#platform/config/environment.ts';
import { sqliteFileOf } from '#platform/config/setting.ts';
import { effectOf, latestMigration, schemaVersion, type SchemaVersion, versionWithoutTables } from '#db/migrate.ts';
import { openDb } from '#db/open.ts';
import { type Command, flag, type Input, JSON_OPTION, withAppContext } from '#cli/command/command.ts';

export const commands: Command[] = [
  {
    words: 'migrate',
    summary: 'Migrate the database to this version, as a start of the service does',
    options: { check: flag('Only list the migrations that the database lacks'), json: JSON_OPTION },
    run,
  },
];

async function run(input: Input): Promise<void> {
  if (input.has('check')) return input.print(shown(await currentVersion()));
  await withAppContext(input, async ({ db }) => input.print(shown(await schemaVersion(db))));
}

/** Without a migration; a SQLite file that does not exist is not created. */
async function currentVersion(): Promise<SchemaVersion> {
  const { DATABASE_URL, DATABASE_PREPARED } = readConfig(environment());
  const file = sqliteFileOf(DATABASE_URL);
  if (file !== undefined && !existsSync(file)) return versionWithoutTables();
  await using db = await openDb(DATABASE_URL, { prepared: DATABASE_PREPARED === 'on' });
  return await schemaVersion(db);
}

/** `required` is how many migrations a program must know to use the database. */
function shown({ applied, missing, required }: SchemaVersion): Record<string, unknown> {
  const names = (effect: string): string[] => missing.filter((one) => effectOf(one) === effect).map(({ name }) => name);
  return { applied, known: latestMigration(), required, online: names('online'), offline: names('offline') };
}
