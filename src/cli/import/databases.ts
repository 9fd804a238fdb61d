import { Unavailable, UsageError } from '#platform/errors.ts';
import { plainHttpProblem } from '#platform/config/plain-http.ts';
import { withSecretFiles } from '#platform/config/secret-files.ts';
import { untilSignalled } from '#platform/process/signals.ts';
import { type TimerClock, systemClock } from '#platform/clock.ts';
import type { AppContext } from '#context/context.ts';
import type { ImportedDatabase } from '#importers/index.ts';
import { type Command, type CommandOption, type Input, JSON_OPTION, withAppContext } from '../command/command.ts';
import { FollowReport } from './follow-report.ts';
import { ImportReport } from './import-report.ts';
import { importCore } from './core.ts';
import { type Importers, withImporters } from './importers.ts';
import { runImport, tryImport } from './run.ts';

const OPTIONS: Record<string, CommandOption> = {
  follow: { type: 'string', value: 'SECONDS', help: 'Go on importing changes, that often, until SIGINT or SIGTERM' },
  'dry-run': {
    type: 'boolean',
    help: 'Check everything without changing anything; other writes wait until the check ends',
  },
  json: JSON_OPTION,
};

const SERVER_OPTIONS: Record<string, CommandOption> = {
  'password-file': {
    type: 'string',
    value: 'FILE',
    help: 'A file with the password of the database user (default: $IMPORT_PASSWORD or $IMPORT_PASSWORD_FILE)',
  },
  tls: {
    type: 'boolean',
    help: 'Encrypt the connection and check the certificate; needed outside of private networks',
  },
};

const CREATE: CommandOption = {
  type: 'boolean',
  help: 'Add servers that are not known yet (default: leave their sessions out)',
};

const MYSQL = 'mysql://USER@HOST/DATABASE';

export const commands: Command[] = [
  {
    words: 'import litebans',
    begins: true,
    summary: 'Import the punishments of LiteBans from MySQL, MariaDB or PostgreSQL, and follow them',
    operands: `${MYSQL}|postgres://USER@HOST/DATABASE`,
    options: {
      ...OPTIONS,
      ...SERVER_OPTIONS,
      'table-prefix': { type: 'string', value: 'TEXT', help: 'The prefix of the tables (default: litebans_)' },
      'server-scope': {
        type: 'string',
        multiple: true,
        value: 'NAME',
        help: 'Only punishments with this server_scope; * is the whole network; may be repeated (default: all)',
      },
    },
    run: (input) => importProgram(input, 'litebans'),
  },
  {
    words: 'import advancedban',
    begins: true,
    summary: 'Import the punishments of AdvancedBan from MySQL or MariaDB, and follow them',
    operands: MYSQL,
    options: { ...OPTIONS, ...SERVER_OPTIONS },
    run: (input) => importProgram(input, 'advancedban'),
  },
  {
    words: 'import pgmdev',
    begins: true,
    summary: "Import punishments and sessions of PGMDev's Community plugin, and follow them",
    operands: `FILE|${MYSQL}`,
    options: { ...OPTIONS, ...SERVER_OPTIONS, create: CREATE },
    run: (input) => importProgram(input, 'pgmdev'),
  },
  {
    words: 'import plan',
    begins: true,
    summary: 'Import the sessions of Plan (Player Analytics), and follow them',
    operands: `FILE|${MYSQL}`,
    options: { ...OPTIONS, ...SERVER_OPTIONS, create: CREATE },
    run: (input) => importProgram(input, 'plan'),
  },
];

async function importProgram(input: Input, name: keyof Importers['PROGRAMS']): Promise<void> {
  await withImporters((importers) => importDatabase(input, importers, name));
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
    if (seconds === undefined) await importOnce(input, context, open);
    else await follow(context, importers.followDatabase, open, seconds);
  });
}

async function importOnce(
  input: Input,
  { db, clock }: AppContext,
  open: () => Promise<ImportedDatabase>,
): Promise<void> {
  await using database = await open();
  const report = new ImportReport(input);
  const runOrTry = input.has('dry-run') ? tryImport : runImport;
  const outcome = await runOrTry(db, clock, database.findings('all'), report);
  report.end(outcome);
  if (outcome.taken === 0 && outcome.unchanged === 0 && outcome.refused > 0)
    throw new UsageError(`Nothing was imported from ${database.label}: everything was refused, see above.`);
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
    clock: timerOf(clock),
    onTrouble: (sentence) => report.line(sentence),
    signal: stop.signal,
  });
  await signalled;
}

/** The time is that of the context; waiting takes the clock of the process. */
const timerOf = (clock: AppContext['clock']): TimerClock => ({
  now: () => clock.now(),
  wait: (ms, signal) => systemClock.wait(ms, signal),
});

const MOST_SECONDS = 86_400;

function followSecondsIn(input: Input): number | undefined {
  const text = input.optional('follow');
  if (text === undefined) return undefined;
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > MOST_SECONDS)
    throw new UsageError(`--follow must be a number of seconds from 1 to ${MOST_SECONDS} (it is "${text}").`);
  for (const other of ['dry-run', 'json'])
    if (input.values[other] === true) throw new UsageError(`--follow cannot be combined with --${other}.`);
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
