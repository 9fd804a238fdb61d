import { TemporaryError, Unavailable, UsageError } from '#platform/errors.ts';
import { errorOutput, output } from '#platform/process/output.ts';
import { nearest } from '#text/suggestion.ts';
import { COMMIT, VERSION } from '#platform/version.ts';
import { type Command, helpOf, parse } from './command/command.ts';
import { reasonOf } from './doctor/finding.ts';

/** A file of commands is imported only when one of its commands is called. */
const MODULES: Record<string, () => Promise<{ commands: Command[] }>> = {
  serve: () => import('#cli/serve.ts'),
  demo: () => import('#cli/demo.ts'),
  setup: () => import('#cli/setup/command.ts'),
  config: () => import('#cli/config.ts'),
  apply: () => import('#cli/apply/command.ts'),
  app: () => import('#cli/app/app.ts'),
  token: () => import('#cli/app/token.ts'),
  webhook: () => import('#cli/webhook.ts'),
  import: () => import('#cli/import/command.ts'),
  account: () => import('#cli/account.ts'),
  passwords: () => import('#cli/passwords.ts'),
  'signing-key': () => import('#cli/signing-key.ts'),
  server: () => import('#cli/server.ts'),
  match: () => import('#cli/match.ts'),
  network: () => import('#cli/network.ts'),
  event: () => import('#cli/event.ts'),
  player: () => import('#cli/player.ts'),
  access: () => import('#cli/app/access.ts'),
  usage: () => import('#cli/app/usage.ts'),
  punishment: () => import('#cli/punishment.ts'),
  counter: () => import('#cli/counter.ts'),
  job: () => import('#cli/job.ts'),
  audit: () => import('#cli/audit.ts'),
  health: () => import('#cli/health.ts'),
  ready: () => import('#cli/ready.ts'),
  top: () => import('#cli/top.ts'),
  mail: () => import('#cli/mail.ts'),
  doctor: () => import('#cli/doctor/command.ts'),
  export: () => import('#cli/export.ts'),
  purge: () => import('#cli/purge.ts'),
  agent: () => import('#cli/agent.ts'),
  watch: () => import('#cli/watch.ts'),
  backup: () => import('#cli/database/backup.ts'),
  restore: () => import('#cli/database/restore.ts'),
  move: () => import('#cli/database/move.ts'),
  migrate: () => import('#cli/database/migrate.ts'),
  vacuum: () => import('#cli/database/vacuum.ts'),
  'secret-key': () => import('#cli/database/secret-key.ts'),
};

const WRONG_INPUT = 2;

async function main(args: string[]): Promise<number> {
  const [word = ''] = args;
  if (word === '--version') return written(`scorehall ${VERSION}${COMMIT && ` (commit ${COMMIT})`}\n`);
  const load = Object.hasOwn(MODULES, word) ? MODULES[word] : undefined;
  if (load === undefined) return await overview(args);
  const { commands } = await load();
  const command = commands.find(({ words }) => words.split(' ').every((word, index) => args[index] === word));
  if (command === undefined) return listOf(commands, wordsOf(args, commands));
  const rest = args.slice(command.words.split(' ').length);
  if (rest.includes('--help')) return written(helpOf(command));
  return (await command.run(parse(command, rest))) ?? 0;
}

export async function allCommands(): Promise<Command[]> {
  const modules = await Promise.all(Object.values(MODULES).map((load) => load()));
  return modules.flatMap(({ commands }) => commands);
}

async function overview(args: string[]): Promise<number> {
  const commands = await allCommands();
  if (args.length === 0 || args[0] === '--help' || args[0] === 'help') return listing(commands);
  return listOf(commands, wordsOf(args, commands));
}

function listOf(commands: Command[], word: string): number {
  const group = wordsOfGroup(commands);
  const asked = word === group || word.endsWith('--help');
  if (asked) return listing(commands);
  const names = commands.map(({ words }) => words);
  const near = nearest(word, names) ?? names.find((name) => name.split(' ').includes(word));
  const lines = [
    `There is no command "${word}".`,
    ...(near === undefined ? [] : [`Did you mean "${near}"?`]),
    group === undefined ? 'All commands: scorehall --help' : `Commands of ${group}: scorehall ${group} --help`,
  ];
  throw new UsageError(lines.join('\n'));
}

/** The first word of all these commands; undefined if they have several. */
function wordsOfGroup(commands: Command[]): string | undefined {
  const [group, ...others] = new Set(commands.map(({ words }) => words.split(' ')[0]));
  return others.length === 0 ? group : undefined;
}

/** The words of a mistyped command: as many of the arguments before the first option as resemble a command most. */
function wordsOf(args: string[], commands: Command[]): string {
  const end = args.findIndex((arg) => arg.startsWith('--') && arg !== '--help');
  const given = end < 0 ? args : args.slice(0, end);
  const names = commands.map(({ words }) => words);
  const counts = [3, 2, 1].filter((count) => count <= given.length);
  const count = counts.find((count) => nearest(given.slice(0, count).join(' '), names) !== undefined);
  return given.slice(0, count ?? Math.min(2, given.length)).join(' ');
}

function listing(commands: Command[]): number {
  const width = Math.max(...commands.map(({ words }) => words.length));
  return written(commands.map(({ words, summary }) => `scorehall ${words.padEnd(width)}  ${summary}\n`).join(''));
}

function written(text: string): 0 {
  output().write(text);
  return 0;
}

/** Runs one command. @returns the exit code; the units of systemd do not repeat a start that ends with WRONG_INPUT */
export async function run(args: string[]): Promise<number> {
  try {
    return await main(args);
  } catch (error) {
    errorOutput().write(`${errorText(error)}\n`);
    return error instanceof UsageError && !(error instanceof TemporaryError) ? WRONG_INPUT : 1;
  }
}

/** One sentence for errors that an operator can act on; the stack for faults of the program. */
function errorText(error: unknown): string {
  if (error instanceof UsageError) return `scorehall: ${error.message}`;
  if (error instanceof Unavailable) return `scorehall: ${error.message}: ${reasonOf(error.cause)}. See DATABASE_URL.`;
  return (error as Error).stack ?? String(error);
}
