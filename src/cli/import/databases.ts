import { Unavailable, UsageError } from '#platform/errors.ts';
import { plainHttpProblem } from '#platform/config/plain-http.ts';
import { withSecretFiles } from '#platform/config/environment.ts';
import { untilSignalled } from '#platform/process/signals.ts';
import type { AppContext } from '#context/context.ts';
import type { ImportedDatabase } from '#importers/index.ts';
import {
  type Command,
  type CommandOption,
  flag,
  type Input,
  option,
  repeatable,
  wholeNumber,
  withAppContext,
} from '../command/command.ts';
import { FollowReport, importOnce, ONCE_OPTIONS } from './import-report.ts';
import { importCore } from './core.ts';
import { type Importers, withImporters } from './importers.ts';
import { runImport } from './run.ts';

const MYSQL = 'mysql://USER@HOST/DATABASE';

const { isOf } = wholeNumber(1, 86_400);
const SECONDS = { name: 'a number of seconds from 1 to 86400', isOf };

const CREATE = flag('Add servers that are not known yet (default: leave their sessions out)');

export const commands: Command[] = [
  program(
    'litebans',
    `${MYSQL}|postgres://USER@HOST/DATABASE`,
    'the punishments of LiteBans from MySQL, MariaDB or PostgreSQL',
    {
      'table-prefix': option('TEXT', 'The prefix of the tables (default: litebans_)'),
      'server-scope': repeatable(
        'NAME',
        'Only punishments with this server_scope; * is the whole network; may be repeated (default: all)',
      ),
    },
  ),
  program('advancedban', MYSQL, 'the punishments of AdvancedBan from MySQL or MariaDB', {}),
  program('pgmdev', `FILE|${MYSQL}`, "punishments and sessions of PGMDev's Community plugin", { create: CREATE }),
  program('plan', `FILE|${MYSQL}`, 'the sessions of Plan (Player Analytics)', { create: CREATE }),
];

/** The command that imports the database of one program. */
function program(
  name: keyof Importers['PROGRAMS'],
  operands: string,
  what: string,
  options: Record<string, CommandOption>,
): Command {
  return {
    ...{ words: `import ${name}`, begins: true, summary: `Import ${what}, and follow them`, operands },
    options: {
      follow: option('SECONDS', 'Go on importing changes, that often, until SIGINT or SIGTERM', SECONDS),
      ...ONCE_OPTIONS,
      'password-file': option(
        'FILE',
        'A file with the password of the database user (default: $IMPORT_PASSWORD or $IMPORT_PASSWORD_FILE)',
      ),
      tls: flag('Encrypt the connection and check the certificate; needed outside of private networks'),
      ...options,
    },
    run: (input) => withImporters((importers) => importDatabase(input, importers, name)),
  };
}

async function importDatabase(input: Input, importers: Importers, name: keyof Importers['PROGRAMS']): Promise<void> {
  const program = importers.PROGRAMS[name];
  const seconds = followSecondsIn(input);
  const tablePrefix = tablePrefixIn(input);
  const address = await importers.readSourceAddress(sourceIn(input), program.dialects);
  const create = input.has('create');
  const serverScopes = input.repeated('server-scope');
  await withAppContext(input, async (context) => {
    const core = importCore(context.db, context.clock);
    const open = (): Promise<ImportedDatabase> =>
      importers.ImportedDatabase.open(program, address, core, { create, tablePrefix, serverScopes });
    if (seconds === undefined) await importOpened(input, context, open);
    else await follow(context, importers.followDatabase, open, seconds);
  });
}

async function importOpened(input: Input, context: AppContext, open: () => Promise<ImportedDatabase>): Promise<void> {
  await using database = await open();
  await importOnce(input, context, database.findings('all'), database.label);
}

async function follow(
  { db, clock }: AppContext,
  followDatabase: Importers['followDatabase'],
  open: () => Promise<ImportedDatabase>,
  seconds: number,
): Promise<void> {
  const stop = new AbortController();
  const signalled = untilSignalled().then(() => stop.abort());
  const report = new FollowReport();
  await followDatabase({
    open,
    ingest: async (findings) => report.end(await runImport(db, clock, findings, report)),
    isOutage: (error) => error instanceof Unavailable,
    everyMs: seconds * 1000,
    clock,
    onTrouble: (sentence) => report.line(sentence),
    signal: stop.signal,
  });
  await signalled;
}

function followSecondsIn(input: Input): number | undefined {
  const seconds = input.number('follow');
  const other = ['dry-run', 'json'].find((name) => input.has(name));
  if (seconds !== undefined && other !== undefined)
    throw new UsageError(`--follow cannot be combined with --${other}.`);
  return seconds;
}

function tablePrefixIn(input: Input): string | undefined {
  const prefix = input.optional('table-prefix');
  if (prefix === undefined || /^\w{0,50}$/.test(prefix)) return prefix;
  throw new UsageError('--table-prefix may have letters, digits and underscores, at most 50.');
}

function sourceIn(input: Input): Parameters<Importers['readSourceAddress']>[0] {
  const { positionals } = input;
  if (positionals.length > 1) throw new UsageError('Import one database at a time.');
  const [operand] = positionals;
  return {
    operand: operand === '' ? undefined : operand,
    passwordFile: input.optional('password-file'),
    tls: input.has('tls'),
    environment: withSecretFiles(process.env, ['IMPORT_URL', 'IMPORT_PASSWORD']),
    isPrivate: (host) => plainHttpProblem(`http://${host}`, 'private-network') === undefined,
  };
}
