import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { type Config, readConfig } from '#platform/config/config.ts';
import { openSecretKey, secretKeyFile } from '#platform/crypto/secret-key.ts';
import { isLoopback, isPrivateAddress } from '#platform/config/plain-http.ts';
import { commandName } from '#context/command-name.ts';
import { UsageError } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { isPostgresUrl } from '#platform/config/setting.ts';
import { output } from '#platform/process/output.ts';
import { refuseWeakPassword } from '../account.ts';
import { hostsOf, placeOf, PROXIES, proxyFile } from '../proxy-file.ts';
import { type Command, flag, type Input, option, withAppContext } from '../command/command.ts';
import { readSecret } from '../command/secret-input.ts';
import { readSettings } from '../command/settings.ts';
import { openExisting } from '../doctor/database.ts';
import { findingsOf, type Found } from '../doctor/finding.ts';
import { checkMail } from '../doctor/mail.ts';
import { serve } from '../serve.ts';
import { type Person, provideOperator } from './operator.ts';
import { type Answers, Interview, type Probe, type QuestionName, QUESTIONS } from './questions.ts';
import { SettingsFile } from './settings-file.ts';
import { becomeUserOf, isRunning, startUnit } from './unit.ts';

const NAMES = Object.keys(QUESTIONS) as QuestionName[];
const OF_SETTINGS = NAMES.filter((name) => QUESTIONS[name].setting !== undefined);

export const commands: Command[] = [
  {
    words: 'setup',
    begins: true,
    summary: 'Begin a network: ask for its settings, write them, create the operator, start it; what exists is kept',
    options: {
      ...Object.fromEntries(NAMES.map((name) => [name, QUESTIONS[name].option])),
      'password-stdin': flag('Read the password of the operator from stdin, or ask for it; otherwise one is generated'),
      settings: option('FILE', 'The file of settings (default: .env in this folder)'),
      unit: option('NAME', 'Start this unit of systemd instead of serving in this terminal'),
      yes: flag('Ask nothing: what is not given has its default'),
    },
    run: setup,
  },
];

const printLines = (lines: readonly string[]): void => void output().write(lines.map((line) => `${line}\n`).join(''));

/** Everything is asked and checked before the first change. A further run adds what the settings lack, and an operator. */
async function setup(input: Input): Promise<void> {
  const before = new SettingsFile(resolve(input.optional('settings') ?? '.env'));
  const unit = input.optional('unit');
  using interview = new Interview(input, probe, presentAnswers(before));
  const isNew = !before.has('NETWORK_NAME');
  const answers = await interview.ask(NAMES.filter((name) => isAsked(name, input, before)));
  const added = addedSettings(answers, before);
  const person = (): Promise<Person> => askPerson(input, interview);
  const first = isNew ? await person() : undefined;
  interview.close();

  const config = writeSettings(before, added);
  printLines(isLoopback(config.SITE_URL) ? [] : proxyLines(config, answers['proxy']));
  if (unit !== undefined) {
    await startUnit(unit, Object.keys(added).length > 0 ? 'restart' : 'start', config);
    printLines([`Service: the unit ${unit} is ready.`]);
    becomeUserOf(unit);
  }
  const lines = await withAppContext(input, async (context) => {
    openSecretKey(config); // which creates it
    return await provideOperator(context, async () => first ?? (await person()));
  });
  printLines(lines);
  printLines([
    'Open:',
    `  ${config.SITE_URL}`,
    `  ${config.AUTH_URL}/account/security  to sign in and add a second factor with the code`,
    `  ${config.SITE_URL}/console`,
    ...(config.SECRET_KEY === '' ? [`Keep a copy of ${secretKeyFile(config)}, apart from the backups.`] : []),
    `Check addresses, certificates and mail: ${commandName()} doctor`,
  ]);
  if (unit !== undefined) return;
  if (await isRunning(config)) printLines(['Service: it runs already.']);
  else if (answers['start'] === 'yes') await serve();
  else printLines([`Start it: ${commandName()} serve`]);
}

/** A first run asks everything that the file lacks, a further one only whether to start. */
function isAsked(name: QuestionName, input: Input, before: SettingsFile): boolean {
  if (name === 'start') return input.optional('unit') === undefined;
  const setting = QUESTIONS[name].setting;
  return input.optional(name) !== undefined || !(before.has('NETWORK_NAME') || (setting && before.has(setting)));
}

/** What the file has already. A value that is in another file is not known. */
const presentAnswers = ({ values }: SettingsFile): Answers =>
  Object.fromEntries(
    OF_SETTINGS.flatMap((name) =>
      values[QUESTIONS[name].setting!] ? [[name, values[QUESTIONS[name].setting!]!]] : [],
    ),
  );

/** The settings to write. @throws UsageError if an option is not what the file has */
function addedSettings(answers: Answers, before: SettingsFile): Record<string, string> {
  const added: Record<string, string> = {};
  for (const name of OF_SETTINGS) {
    const [setting, answer] = [QUESTIONS[name].setting!, answers[name] ?? ''];
    if (answer === '' || answer === before.values[setting]) continue;
    if (before.has(setting))
      throw new UsageError(`${before.path} has another ${setting}, which is kept: change it there.`);
    added[setting] = answer;
  }
  // The proxy is on this machine.
  if ('DOMAIN' in added && !before.has('TRUSTED_PROXIES')) added['TRUSTED_PROXIES'] = '127.0.0.1,::1';
  readConfig({ ...before.values, ...added });
  return added;
}

function writeSettings(before: SettingsFile, added: Record<string, string>): Config {
  const [present, names] = [Object.keys(before.values), Object.keys(added)];
  const { values, path } = names.length === 0 ? before : before.add(added);
  if (present.length > 0) printLines([`Settings: ${path} exists; kept: ${present.join(', ')}.`]);
  if (names.length > 0) printLines([`Settings: written to ${path}: ${names.join(', ')}.`]);
  Object.assign(process.env, values);
  return readSettings();
}

async function askPerson(input: Input, interview: Interview): Promise<Person> {
  const { name: NETWORK_NAME, operator, email } = await interview.ask(['operator', 'email']);
  const person = { name: operator!, email: email!, password: undefined };
  if (!input.has('password-stdin')) return person;
  interview.close();
  const password = await readSecret('Password of the operator: ');
  await refuseWeakPassword({ ...readSettings(), NETWORK_NAME: NETWORK_NAME! }, password, person.name, person.email);
  return { ...person, password };
}

const probe: Probe = async (name, answer) => {
  if (name === 'smtp' && answer !== '') {
    const config = readConfig({ SMTP_URL: answer });
    return refusalOf(await checkMail({ config, environment: {}, db: undefined, now: Date.now() }, undefined));
  }
  if (name !== 'database' || !isPostgresUrl(answer)) return undefined;
  const opened = await openExisting(readConfig({ DATABASE_URL: answer }));
  if ('finding' in opened) return refusalOf(opened.finding);
  await using db = opened.db;
  return await probeTables(db).then(
    () => undefined,
    ({ message }: Error) => `cannot be used: ${message}`.replace(/\.$/, ''),
  );
};

/** Whether the role may create tables, as the first start does. */
const probeTables = (db: Db): Promise<number> =>
  db.transaction(async (tx) => {
    await tx.run(sql`create table scorehall_setup (key bigint)`);
    return await tx.run(sql`drop table scorehall_setup`);
  });

function refusalOf(found: Found): string | undefined {
  const finding = findingsOf(found).find(({ status }) => status === 'error');
  return finding && `cannot be used: ${finding.message} ${finding.remedy}`.replace(/\.$/, '');
}

/** The DNS records, and the file of the proxy if it is known. */
function proxyLines(config: Config, chosen: string | undefined): string[] {
  const records = hostsOf(config).flatMap((host) => ownAddresses().map((address) => `  ${host}.  ${address}`));
  const proxy = PROXIES.find((name) => name === chosen);
  if (proxy === undefined) return ['DNS records:', ...records];
  const again = `${commandName()} config --proxy ${proxy}`;
  return ['DNS records:', ...records, `For ${placeOf(proxy)} (again: ${again}):`, '', proxyFile(proxy, config)];
}

/** `A 203.0.113.7`: the public addresses of this machine, which it does not know behind a router. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const found = (['IPv4', 'IPv6'] as const).flatMap(
    (family) => all.find((one) => one.family === family && !isPrivateAddress(one.address)) ?? [],
  );
  if (found.length === 0) return ['A  the public IPv4 address of this machine'];
  return found.map(({ family, address }) => `${family === 'IPv4' ? 'A' : 'AAAA'}  ${address}`);
}
