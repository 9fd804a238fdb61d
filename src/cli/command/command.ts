import type { ParseArgsConfig } from 'node:util';
import { UsageError } from '#platform/errors.ts';
import { errorOutput, output } from '#platform/process/output.ts';
import { didYouMean } from '#text/suggestion.ts';
import type { AnyOperation, Target } from '#admin/operation.ts';
import type { AppContext } from '#context/context.ts';
import { recordOf, tableOf } from './lines.ts';
import { missingOptions } from './missing-options.ts';
import type { Queryable, Transaction } from '#db/db.ts';
import type { Actor } from '#store/audit/audit.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** What the value of an option must be. */
interface Form {
  /** As a refusal says it: `a whole number from 1 to 9`. */
  name: string;
  isOf: (text: string) => boolean;
}

export const oneOf = (values: readonly string[]): Form => ({
  name: `one of ${values.join(', ')}`,
  isOf: (text) => values.includes(text),
});

export const wholeNumber = (least: number, most: number): Form => ({
  name: `a whole number from ${least} to ${most}`,
  isOf: (text) => /^-?\d{1,12}$/.test(text) && Number(text) >= least && Number(text) <= most,
});

/** An option of a command: the settings of `parseArgs`, the help text and the name of its value. */
export type CommandOption = Options[string] & {
  help: string;
  value?: string;
  required?: true;
  form?: Form;
  /** Another option: exactly one of the two has to be given. */
  either?: string;
  mayBeEmpty?: true;
};

/** An option with a value, which the help text calls `value`. */
export const option = (value: string, help: string, form?: Form): CommandOption => ({
  ...{ type: 'string', value, help, ...(form && { form }) },
});

export const mandatory = (value: string, help: string, form?: Form): CommandOption => ({
  ...{ ...option(value, help, form), required: true },
});

export const repeatable = (value: string, help: string): CommandOption => ({ ...option(value, help), multiple: true });

/** An option without a value. */
export const flag = (help: string): CommandOption => ({ type: 'boolean', help });

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** What a command prints: a record, or the rows of a table. */
type Result = Record<string, unknown> | readonly Record<string, unknown>[];

/** The arguments of a command, and where it prints. */
export class Input {
  readonly command: Command;
  readonly values: Values;
  readonly positionals: string[];

  constructor(command: Command, values: Values, positionals: string[]) {
    this.command = command;
    this.values = values;
    this.positionals = positionals;
  }

  /** Whether an option without a value is given. */
  has(name: string): boolean {
    return this.values[name] === true;
  }

  optional(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** The value of a mandatory option. @throws UsageError if it is missing or empty */
  required(name: string): string {
    const value = this.optional(name) ?? '';
    if (value === '') throw new UsageError(`--${name} is missing.`);
    return value;
  }

  /** What the option of a target names. @throws UsageError if there is none */
  find<Row>({ option: name, find }: Target<Row>, db: Queryable): Promise<Row> {
    return find(db, this.required(name));
  }

  /** @throws UsageError that names all options that are missing or empty */
  requireAll(options: readonly string[]): void {
    const names = options.filter((name) => (this.values[name] ?? '') === '').map((name) => `--${name}`);
    if (names.length === 0) return;
    throw new UsageError(`${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} missing.`);
  }

  /** The values of an option that may be repeated. @throws UsageError if one is empty */
  repeated(name: string): string[] {
    const values = ((this.values[name] ?? []) as string[]).map(String);
    if (values.includes('')) throw new UsageError(`--${name} has no value.`);
    return values;
  }

  /** The value of an option whose form is `wholeNumber`; undefined if it is not given. */
  number(name: string): number | undefined {
    const text = this.optional(name);
    return text === undefined ? undefined : Number(text);
  }

  /** Prints a record, one line per member, or the rows of a table; JSON with `--json`. */
  print(result: Result): void {
    if (this.has('json')) return void output().write(`${JSON.stringify(result)}\n`);
    const lines = Array.isArray(result) ? tableOf(result) : recordOf(result as Record<string, unknown>);
    for (const line of lines) output().write(`${line}\n`);
  }
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

const HELP = flag('Show this help');

export function parse(command: Command, args: string[]): Input {
  const options: Record<string, CommandOption> = { ...command.options, help: HELP };
  const input = parsed(command, args, options);
  const isRequired = ([name, option]: [string, CommandOption]): boolean =>
    option.required === true && !(option.mayBeEmpty && input.values[name] === '');
  input.requireAll(
    Object.entries(command.options ?? {})
      .filter(isRequired)
      .map(([name]) => name),
  );
  for (const [name, { form, either }] of Object.entries(options)) {
    const text = input.optional(name);
    if (either !== undefined && (text === undefined) === (input.optional(either) === undefined))
      throw new UsageError(`Give either --${name} or --${either}.`);
    if (form === undefined || text === undefined || form.isOf(text)) continue;
    throw new UsageError(`--${name} must be ${form.name} (it is "${text}").`);
  }
  return input;
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
    return new Input(command, values, positionals);
  } catch (error) {
    const { message } = error as Error;
    const [, unknown] = /^Unknown option '(--[^']+)'/.exec(message) ?? [];
    const names = Object.keys(options).map((name) => `--${name}`);
    const hint = unknown === undefined ? '' : didYouMean(unknown, names) || missingOptions(command.options, args);
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
  const rows = Object.entries({ ...command.options, help: HELP });
  const names = rows.map(([name, row]) => `--${name}${row.type === 'string' ? ` ${row.value ?? 'VALUE'}` : ''}`);
  const width = Math.max(...names.map((name) => name.length));
  const lines = rows.map(
    ([, row], index) => `  ${names[index]!.padEnd(width)}  ${row.help}${row.required === true ? ' (required)' : ''}`,
  );
  return `${command.summary}\n\nscorehall ${command.words}${command.operands ? ` ${command.operands}` : ''} [options]\n\n${lines.join('\n')}\n`;
}

/** Opens the database and the other parts of the context for one command. */
export async function withAppContext<T>(input: Input, work: (context: AppContext) => Promise<T>): Promise<T> {
  // Imported here, because a command without a database (`agent`) needs a third of the memory without them.
  const [{ openAppContext }, { readSettings }, { systemClock }] = await Promise.all([
    import('#context/context.ts'),
    import('./settings.ts'),
    import('#platform/clock.ts'),
  ]);
  const isReading = input.has('dry-run') || input.has('export');
  // Log lines go to stderr: stdout holds the result alone.
  await using appContext = await openAppContext(readSettings(), systemClock, {
    terminal: process.stderr,
    create: input.command.begins === true && !isReading,
    longStatements: true,
  });
  const result = await work(appContext);
  await logRevocations(appContext);
  return result;
}

/** The run of a command that works with the database, and prints what `work` returns. */
export const inContext =
  (work: (context: AppContext, input: Input) => Promise<Result | void>): Command['run'] =>
  (input) =>
    withAppContext(input, async (context) => {
      const result = await work(context, input);
      if (result !== undefined) input.print(result);
    });

/** A command that prints what it reads from the database. */
export const reading = (
  words: string,
  summary: string,
  read: (context: AppContext, input: Input) => Promise<Result>,
  options: Record<string, CommandOption> = {},
): Command => ({ words, summary, options: { ...options, json: JSON_OPTION }, run: inContext(read) });

/** A command that prints what the database has about one account, application, server … */
export const commandAbout = <Row>(
  target: Target<Row>,
  words: string,
  summary: string,
  read: (context: AppContext, row: Row, input: Input) => Promise<Result>,
  options: Record<string, CommandOption> = {},
): Command => ({
  ...{ words, summary, options: { ...optionsOf(target), ...options } },
  run: inContext(async (context, input) => await read(context, await input.find(target, context.db), input)),
});

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

export function timestampOf<T extends number | null>(ms: T): string | T {
  return ms === null ? ms : new Date(ms).toISOString();
}

export const JSON_OPTION = flag('Print JSON, with the member names of the API');

/** The options of a command about one account, application, server … */
export const optionsOf = ({
  option: name,
  value,
  help,
}: Omit<Target<unknown>, 'find'>): Record<string, CommandOption> => ({
  ...{ [name]: mandatory(value, help), json: JSON_OPTION },
});
