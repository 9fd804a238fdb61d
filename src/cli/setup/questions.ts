import { createInterface, type Interface } from 'node:readline';
import { type SettingName, SETTINGS } from '#platform/config/config.ts';
import { UsageError } from '#platform/errors.ts';
import type { Setting } from '#platform/config/setting.ts';
import { isEmail } from '#platform/mail/email.ts';
import { errorOutput } from '#platform/process/output.ts';
import { isNameShape } from '#store/accounts/accounts.ts';
import { PROXIES } from '../proxy-file.ts';
import { type CommandOption, type Input, option } from '../command/command.ts';

/** What setup asks, and gets by an option of the same name. */
export interface Question {
  prompt: string;
  option: CommandOption;
  /** The setting that the answer becomes. */
  setting?: SettingName;
  /** An answer that is not given; undefined: there has to be one. */
  fallback?: (answers: Answers) => string;
  /** Whether it is asked after these answers; otherwise the answer is the fallback. */
  isAsked?: (answers: Answers) => boolean;
  /** The end of the sentence about a wrong answer: `must be …`. */
  problem?: (answer: string) => string | undefined;
}

export type Answers = Readonly<Record<string, string>>;

const none = (): string => '';

/** In the order in which they are asked. */
export const QUESTIONS = {
  name: {
    prompt: 'Name of the network',
    option: option('NAME', 'The name of the network'),
    setting: 'NETWORK_NAME',
  },
  domain: {
    prompt: 'Domain, like example.org (empty: for this machine alone)',
    option: option('DOMAIN', 'The domain: the four addresses are names below it'),
    setting: 'DOMAIN',
    fallback: none,
  },
  smtp: {
    prompt: 'Mail server, like smtps://user:password@mail.example.org (empty: none)',
    option: option('URL', 'The mail server, smtp://… or smtps://…; it has to answer'),
    setting: 'SMTP_URL',
    fallback: none,
  },
  'mail-from': {
    prompt: 'Sender of mails',
    option: option('ADDRESS', 'The sender of mails (default: no-reply at the domain)'),
    setting: 'MAIL_FROM',
    fallback: ({ domain, smtp }) => (domain && smtp ? `no-reply@${domain}` : ''),
    isAsked: ({ smtp }) => smtp !== '',
  },
  database: {
    prompt: 'PostgreSQL, like postgres://user:password@127.0.0.1/scorehall (empty: SQLite)',
    option: option('URL', 'postgres://…, which has to answer, or the path of a SQLite file (default: SQLite)'),
    setting: 'DATABASE_URL',
    fallback: none,
  },
  operator: {
    prompt: 'Name of your account, which becomes operator',
    option: option('NAME', 'The name of the account of the first operator'),
    problem: (name) => (isNameShape(name) ? undefined : 'must be 3 to 16 letters, digits or underscores'),
  },
  email: {
    prompt: 'E-mail address of this account',
    option: option('ADDRESS', 'The e-mail address of that account'),
    problem: (address) => (isEmail(address) ? undefined : 'must be an address like name@example.org'),
  },
  proxy: {
    prompt: `Proxy with the certificates: ${PROXIES.join(', ')} or none`,
    option: option('NAME', `The proxy whose file is printed: ${PROXIES.join(', ')} or none (default: ${PROXIES[0]})`),
    fallback: ({ domain }) => (domain ? PROXIES[0]! : 'none'),
    isAsked: ({ domain }) => domain !== '',
    problem: (name) => ([...PROXIES, 'none'].includes(name) ? undefined : `must be ${PROXIES.join(', ')} or none`),
  },
  start: {
    prompt: 'Start the service now, in this terminal: yes or no',
    option: option('yes|no', 'Whether to serve afterwards, until SIGINT or SIGTERM (default: yes)'),
    fallback: () => 'yes',
    problem: (answer) => (['yes', 'no'].includes(answer) ? undefined : 'must be yes or no'),
  },
} as const satisfies Record<string, Question>;

export type QuestionName = keyof typeof QUESTIONS;

/** Finds what else is wrong with an answer, such as a database that does not answer. */
export type Probe = (name: QuestionName, answer: string) => Promise<string | undefined>;

/** Gets answers from options, else from a person, with `--yes` else from the fallbacks. */
export class Interview implements Disposable {
  readonly #answers: Record<string, string>;
  readonly #input: Input;
  readonly #probe: Probe;
  #terminal: Interface | undefined;
  #lines: AsyncIterator<string> | undefined;

  /** @param present answers that are known */
  constructor(input: Input, probe: Probe, present: Answers) {
    this.#answers = { ...present };
    this.#input = input;
    this.#probe = probe;
  }

  /** @throws UsageError about all options that `--yes` needs, or about a wrong one */
  async ask(names: readonly QuestionName[]): Promise<Answers> {
    if (this.#input.has('yes'))
      this.#input.requireAll(names.filter((name) => (QUESTIONS[name] as Question).fallback === undefined));
    for (const name of names)
      if (this.#answers[name] === undefined || this.#input.optional(name) !== undefined)
        this.#answers[name] = await this.#answer(name);
    return this.#answers;
  }

  async #answer(name: QuestionName): Promise<string> {
    const question: Question = QUESTIONS[name];
    const fallback = question.fallback?.(this.#answers);
    const given = this.#input.optional(name) ?? this.#unasked(question, fallback);
    if (given !== undefined) {
      const problem = await this.#problemOf(name, given);
      if (problem === undefined) return given;
      throw new UsageError(`--${name} ${problem}.`);
    }
    for (;;) {
      const answer = (await this.#line(`${question.prompt}${fallback ? ` [${fallback}]` : ''}: `)) || (fallback ?? '');
      const problem = await this.#problemOf(name, answer);
      if (problem === undefined) return answer;
      errorOutput().write(`It ${problem}.\n`);
    }
  }

  #unasked({ isAsked }: Question, fallback: string | undefined): string | undefined {
    return this.#input.has('yes') || isAsked?.(this.#answers) === false ? fallback : undefined;
  }

  async #problemOf(name: QuestionName, answer: string): Promise<string | undefined> {
    const { setting, fallback, problem }: Question = QUESTIONS[name];
    if (answer === '' && fallback === undefined) return 'must not be empty';
    const { read }: Setting = SETTINGS[setting ?? 'CONTACT'];
    return problem?.(answer) ?? read.safeParse(answer).error?.issues[0]!.message ?? (await this.#probe(name, answer));
  }

  async #line(prompt: string): Promise<string> {
    this.#terminal ??= createInterface({ input: process.stdin, output: errorOutput(), terminal: process.stdin.isTTY });
    this.#lines ??= this.#terminal[Symbol.asyncIterator]();
    this.#terminal.setPrompt(prompt);
    // Lines from a pipe are still read after its end has closed the interface, which then prompts no more.
    if (process.stdin.isTTY) this.#terminal.prompt();
    else errorOutput().write(prompt);
    const { value, done } = await this.#lines.next();
    if (done !== true) return value.trim();
    throw new UsageError('The questions were cancelled. Answers can also be options: scorehall setup --help');
  }

  /** Leaves the terminal to others until the next question. */
  close(): void {
    this.#terminal?.close();
    this.#terminal = undefined;
    this.#lines = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
