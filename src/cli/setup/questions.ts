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
  option: CommandOption;
  /** The setting that the answer becomes. */
  setting?: SettingName;
  /** The answer that is not given; undefined: there has to be one. */
  fallback?: (answers: Answers) => string;
  /** Whether it is asked after these answers; otherwise the answer is the fallback. */
  isAsked?: (answers: Answers) => boolean;
  /** The end of the sentence about a wrong answer: `must be …`. */
  problem?: (answer: string) => string | undefined;
}

export type Answers = Readonly<Record<string, string>>;

const none = (): string => '';

const question = (value: string, text: string, rest: Omit<Question, 'option'>): Question => ({
  option: option(value, text),
  ...rest,
});

const oneOf = (allowed: readonly string[]) => (answer: string) =>
  allowed.includes(answer) ? undefined : `must be one of ${allowed.join(', ')}`;

/** In the order in which they are asked. */
export const QUESTIONS = {
  name: question('NAME', 'Name of the network', { setting: 'NETWORK_NAME' }),
  domain: question('DOMAIN', 'Domain, like example.org; empty: addresses on this machine alone', {
    setting: 'DOMAIN',
    fallback: none,
  }),
  smtp: question('URL', 'Mail server, like smtps://user:password@mail.example.org; empty: none', {
    setting: 'SMTP_URL',
    fallback: none,
  }),
  'mail-from': question('ADDRESS', 'Sender of mails', {
    setting: 'MAIL_FROM',
    fallback: ({ domain, smtp }) => (domain && smtp ? `no-reply@${domain}` : ''),
    isAsked: ({ smtp }) => smtp !== '',
  }),
  database: question('URL', 'PostgreSQL, like postgres://user:password@127.0.0.1/scorehall; empty: SQLite', {
    setting: 'DATABASE_URL',
    fallback: none,
  }),
  operator: question('NAME', 'Name of your account, which becomes operator', {
    problem: (name) => (isNameShape(name) ? undefined : 'must be 3 to 16 letters, digits or underscores'),
  }),
  email: question('ADDRESS', 'E-mail address of this account', {
    problem: (address) => (isEmail(address) ? undefined : 'must be an address like name@example.org'),
  }),
  proxy: question('NAME', `Proxy with the certificates: ${PROXIES.join(', ')} or none`, {
    fallback: ({ domain }) => (domain ? PROXIES[0]! : 'none'),
    isAsked: ({ domain }) => domain !== '',
    problem: oneOf([...PROXIES, 'none']),
  }),
  start: question('yes|no', 'Start the service now, until Ctrl-C: yes or no', {
    fallback: () => 'yes',
    problem: oneOf(['yes', 'no']),
  }),
};

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
    if (this.#input.has('yes')) this.#input.requireAll(names.filter((name) => QUESTIONS[name].fallback === undefined));
    for (const name of names)
      if (this.#answers[name] === undefined || this.#input.optional(name) !== undefined)
        this.#answers[name] = await this.#answer(name);
    return this.#answers;
  }

  async #answer(name: QuestionName): Promise<string> {
    const asked = QUESTIONS[name];
    const fallback = asked.fallback?.(this.#answers);
    const given = this.#input.optional(name) ?? this.#unasked(asked, fallback);
    if (given !== undefined) {
      const problem = await this.#problemOf(name, given);
      if (problem === undefined) return given;
      throw new UsageError(`--${name} ${problem}.`);
    }
    for (;;) {
      const answer =
        (await this.#line(`${asked.option.help}${fallback ? ` [${fallback}]` : ''}: `)) || (fallback ?? '');
      const problem = await this.#problemOf(name, answer);
      if (problem === undefined) return answer;
      errorOutput().write(`It ${problem}.\n`);
    }
  }

  #unasked({ isAsked }: Question, fallback: string | undefined): string | undefined {
    return this.#input.has('yes') || isAsked?.(this.#answers) === false ? fallback : undefined;
  }

  async #problemOf(name: QuestionName, answer: string): Promise<string | undefined> {
    const { setting, fallback, problem } = QUESTIONS[name];
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
