import type { ParseArgsConfig } from 'node:util';
import { UsageError } from '#platform/errors.ts';
import { errorOutput, output } from '#platform/process/output.ts';
import { didYouMean } from '#text/suggestion.ts';
import type { AnyOperation } from '#admin/operation.ts';
import type { AppContext } from '#context/context.ts';
import type { Transaction } from '#db/db.ts';
import type { Actor } from '#store/audit/audit.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** An option of a command: the settings of `parseArgs`, the help text and the name of its value. */
export type CommandOption = Options[string] & {
  help: string;
  value?: string;
  required?: true;
  /** Whether an empty value has a meaning. */
  mayBeEmpty?: true;
};

export interface Input {
  command: Command;
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  positionals: string[];
}

/** One command: `scorehall app create …` has the words `app create`. */
export interface Command {
  words: string;
  summary: string;
  /** The positional arguments as the help shows them: `FILE|-`. */
  operands?: string;
  options?: Record<string, CommandOption>;
  /** The operations that the command carries out, which record it in the audit log. */
  operations?: readonly AnyOperation[];
  /** For other commands that change something (`carryOut`): the action in the audit log, and the option or printed member with its subject. */
  audit?: { action: string; about: string };
  /** Whether the command may begin a network in an empty database. All others need one, so that a wrong path is an error. */
  begins?: true;
  /** @returns an exit code other than 0, for a command that has done its work and found something wrong */
  run(input: Input): Promise<number | void>;
}

export function parse(command: Command, args: string[]): Input {
  const options = { ...command.options, help: { type: 'boolean', help: 'Show this help' } } as Options;
  const input = parsed(command, args, options);
  const isRequired = ([name, option]: [string, CommandOption]): boolean =>
    option.required === true && !(option.mayBeEmpty && input.values[name] === '');
  requireAll(
    input,
    Object.entries(command.options ?? {})
      .filter(isRequired)
      .map(([name]) => name),
  );
  return input;
}

/** @throws UsageError that names all options that are missing or empty */
export function requireAll(input: Input, options: readonly string[]): void {
  const names = options.filter((name) => (input.values[name] ?? '') === '').map((name) => `--${name}`);
  if (names.length === 0) return;
  throw new UsageError(`${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} missing.`);
}

function parsed(command: Command, args: string[], options: Options): Input {
  try {
    const joined = joinValues(args, options);
    // An import of `node:util` reads all its exports, and so loads modules that the agent does not need (2 MB).
    const { values, positionals } = process.getBuiltinModule('node:util').parseArgs({
      args: joined,
      options,
      allowPositionals: command.operands !== undefined,
      strict: true,
    });
    return { command, values, positionals };
  } catch (error) {
    const { message } = error as Error;
    const [, unknown] = /^Unknown option '(--[^']+)'/.exec(message) ?? [];
    const names = Object.keys(options).map((name) => `--${name}`);
    const hint = unknown === undefined ? '' : didYouMean(unknown, names);
    throw new UsageError(`${message.replace(/\.?$/, '.')}${hint} See: scorehall ${command.words} --help`);
  }
}

/**
 * Joins an option and its value if the value begins with `-` (`--kid -x1` becomes `--kid=-x1`), which `parseArgs` refuses
 * as ambiguous: key ids and secrets are base64url, so one in 64 begins with it. The name of an option is no value.
 */
function joinValues(args: readonly string[], options: Options): string[] {
  const joined: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const [argument, value] = [args[index]!, args[index + 1]];
    if (argument === '--') return [...joined, ...args.slice(index)];
    const option = argument.startsWith('--') ? options[argument.slice(2)] : undefined;
    const isValue = value !== undefined && /^-[^-]/.test(value);
    if (option?.type !== 'string' || !isValue) {
      joined.push(argument);
      continue;
    }
    joined.push(`${argument}=${value}`);
    index++;
  }
  return joined;
}

export function helpOf(command: Command): string {
  const rows = Object.entries({
    ...command.options,
    help: { type: 'boolean', help: 'Show this help' } as CommandOption,
  });
  const names = rows.map(([name, row]) => `--${name}${row.type === 'string' ? ` ${row.value ?? 'VALUE'}` : ''}`);
  const width = Math.max(...names.map((name) => name.length));
  const lines = rows.map(
    ([, row], index) => `  ${names[index]!.padEnd(width)}  ${row.help}${row.required === true ? ' (required)' : ''}`,
  );
  return `${command.summary}\n\nscorehall ${command.words}${command.operands ? ` ${command.operands}` : ''} [options]\n\n${lines.join('\n')}\n`;
}

/** The value of a mandatory option. @throws UsageError if it is missing or empty */
export function required(input: Input, name: string): string {
  const value = input.values[name];
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is missing.`);
  return value;
}

export function optional(input: Input, name: string): string | undefined {
  const value = input.values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The values of an option that may be repeated. @throws UsageError if one is empty */
export function repeated(input: Input, name: string): string[] {
  const values = ((input.values[name] ?? []) as string[]).map(String);
  if (values.includes('')) throw new UsageError(`--${name} has no value.`);
  return values;
}

/** Opens the database and the other parts of the context for one command. */
export async function withAppContext<T>(input: Input, work: (context: AppContext) => Promise<T>): Promise<T> {
  // Imported here, because a command without a database (`agent`) needs a third of the memory without them.
  const [{ openAppContext }, { readSettings }, { systemClock }] = await Promise.all([
    import('#context/context.ts'),
    import('./settings.ts'),
    import('#platform/clock.ts'),
  ]);
  const isDryRun = input.values['dry-run'] === true;
  // Log lines go to stderr: stdout holds the result alone.
  await using appContext = await openAppContext(readSettings(), systemClock, {
    terminal: process.stderr,
    create: input.command.begins === true && !isDryRun,
    longStatements: true,
  });
  const result = await work(appContext);
  await logRevocations(appContext);
  return result;
}

/** Here and not only in the service, which may not run before the database is lost. What fails here, the service repeats. */
async function logRevocations({ db, config, clock }: AppContext): Promise<void> {
  const { revocationLog, writeRevocations } = await import('#store/revocations/outbox.ts');
  const all = async (): Promise<void> => {
    while (await writeRevocations(db, clock.now(), revocationLog(config)));
  };
  await all().catch(({ message }: Error) =>
    errorOutput().write(
      `scorehall: The command is done, but ${message[0]!.toLowerCase()}${message.slice(1)}; the service tries it again.\n`,
    ),
  );
}

/** Who runs the command, for the audit log. */
export function commandActor(): Actor {
  return {
    via: 'command',
    account_id: null,
    name: userName(),
    address: process.getBuiltinModule('node:os').hostname(),
  };
}

/** Node throws for a user without a name, for example one that `docker run --user` gives by number. */
function userName(): string {
  try {
    return process.getBuiltinModule('node:os').userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}

/** Options with secrets or personal data. The label names the account, and is erased with it. */
const NEVER_AUDITED = /^(json|yes|dry-run|password|password-stdin|help|name|email|uuid)$/;

/**
 * Carries out the act of a command that has `audit` and records it in the audit log, both or neither. The subject is an option
 * or, for something that the act has created, a member of what it returns, which is printed afterwards, such as `client_id`.
 * What takes many transactions returns its subject alone, and begins once it is recorded.
 */
export async function carryOut<T extends Record<string, unknown>>(
  { command, values }: Input,
  { db, clock }: Pick<AppContext, 'db' | 'clock'>,
  act: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const { findAccount } = await import('#store/accounts/accounts.ts');
  const { recordAudit } = await import('#store/audit/audit.ts');
  const { action, about } = command.audit!;
  return await db.transaction(async (tx) => {
    const result = await act(tx);
    const named = [values[about], result[about.replaceAll('-', '_')]];
    const subject = named.find((value) => typeof value === 'string') ?? '';
    const submitted = Object.entries(values).filter(([name]) => name !== about && !NEVER_AUDITED.test(name));
    const detail = Object.fromEntries(submitted.map(([name, value]) => [name, String(value)]));
    if (detail['account'] !== undefined) detail['account'] = (await findAccount(tx, detail['account']))?.id ?? subject;
    const label = typeof result['name'] === 'string' ? result['name'] : '';
    await recordAudit(tx, clock.now(), commandActor(), { action, subject, label, detail });
    return result;
  });
}

/** Prints a result: one JSON object with `--json`, otherwise one line per member. */
export function print(input: Input, result: Record<string, unknown>): void {
  if (input.values['json'] === true) return void output().write(`${JSON.stringify(result)}\n`);
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  const indent = `\n${' '.repeat(width + 2)}`;
  for (const [name, value] of Object.entries(result))
    output().write(`${name.padEnd(width)}  ${Array.isArray(value) ? linesOf(value).join(indent) : shown(value)}\n`);
}

/** One line per record, one line for all texts. */
const linesOf = (values: readonly unknown[]): string[] =>
  values.some((value) => typeof value === 'object') ? values.map(shown) : [values.join(' ')];

/** Prints rows: a JSON array with `--json`, otherwise a table. */
export function printTable(input: Input, rows: Record<string, unknown>[]): void {
  if (input.values['json'] === true) return void output().write(`${JSON.stringify(rows)}\n`);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [columns, ...rows.map((row) => columns.map((column) => shown(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]!.length)));
  for (const line of cells)
    output().write(
      `${line
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join('  ')
        .trimEnd()}\n`,
    );
}

export const JSON_OPTION: CommandOption = { type: 'boolean', help: 'Print JSON, with the member names of the API' };

/** The options of every command about one application. */
export const CLIENT: Record<string, CommandOption> = {
  'client-id': { type: 'string', value: 'ID', required: true, help: 'The Client ID of the application' },
  json: JSON_OPTION,
};

/** The options of every command about one game server. */
export const SERVER: Record<string, CommandOption> = {
  name: { type: 'string', required: true, help: 'The name of the server' },
  json: JSON_OPTION,
};

/** The options of every command about one account. */
export const ACCOUNT: Record<string, CommandOption> = {
  account: { type: 'string', value: 'WHO', required: true, help: 'The id, name or e-mail address of the account' },
  json: JSON_OPTION,
};

function shown(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
