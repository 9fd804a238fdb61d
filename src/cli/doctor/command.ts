import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { environment } from '#platform/config/environment.ts';
import { UsageError } from '#platform/errors.ts';
import { type Command, type Input, JSON_OPTION, option } from '../command/command.ts';
import { checkAddresses } from './addresses.ts';
import { checkClock } from './clock.ts';
import { checkDatabase, openExisting } from './database.ts';
import { checkEventLoops } from './event-loops.ts';
import {
  type Finding,
  type Found,
  guarded,
  type Installation,
  type OpenInstallation,
  printFindings,
  problem,
} from './finding.ts';
import { checkLocally } from './local.ts';
import { checkMail } from './mail.ts';
import { checkEnvFile } from './settings.ts';
import { checkOperator, checkPasswords, checkSigningKeys, checkStaff } from './sign-in.ts';
import { checkWebhooks } from './webhooks.ts';

export const commands: Command[] = [
  {
    words: 'doctor',
    summary:
      'Check settings, addresses, database, operator, second factors of staff, mail, webhooks, event loops, signing keys, passwords, clock, disk, files and paths; exit code 1 if something is wrong',
    options: { mail: option('TO', 'Also send a mail to this address'), json: JSON_OPTION },
    run: doctor,
  },
];

async function doctor(input: Input): Promise<number> {
  return printFindings(input, await examine(input.optional('mail')));
}

async function examine(mailTo: string | undefined): Promise<Finding[]> {
  let installation: Installation;
  try {
    const variables = environment();
    installation = { config: readConfig(variables), environment: variables, db: undefined, now: systemClock.now() };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [problem('settings', error.message, 'Correct the setting: docs/settings.md.')];
  }
  const opened = await openExisting(installation.config);
  if ('db' in opened) installation.db = opened.db;
  const inDatabase = async (check: string, work: (open: OpenInstallation) => Promise<Found>): Promise<Finding[]> =>
    'db' in opened ? await guarded(check, () => work({ ...installation, db: opened.db })) : [];
  try {
    const findings = await Promise.all([
      checkLocally(installation),
      guarded('settings', checkEnvFile),
      'finding' in opened ? [opened.finding] : inDatabase('database', checkDatabase),
      guarded('addresses', () => checkAddresses(installation)),
      inDatabase('operator', checkOperator),
      inDatabase('second factor', checkStaff),
      guarded('mail', () => checkMail(installation, mailTo)),
      inDatabase('webhooks', checkWebhooks),
      guarded('event loops', () => checkEventLoops(installation)),
      inDatabase('signing keys', checkSigningKeys),
      guarded('passwords', () => checkPasswords(installation)),
      guarded('clock', () => checkClock(installation)),
    ]);
    return findings.flat();
  } finally {
    await installation.db?.close();
  }
}
