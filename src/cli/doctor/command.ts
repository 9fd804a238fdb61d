import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { environment } from '#platform/config/environment.ts';
import { UsageError } from '#platform/errors.ts';
import { output } from '#platform/process/output.ts';
import { type Command, type Input, JSON_OPTION, optional } from '../command/command.ts';
import { checkAddresses } from './addresses.ts';
import { checkClock } from './clock.ts';
import { checkDatabase, openExisting } from './database.ts';
import { checkEventLoops } from './event-loops.ts';
import { checkDisk, checkFiles } from './files.ts';
import { type Finding, type Installation, problem, reasonOf } from './finding.ts';
import { checkMail } from './mail.ts';
import { checkPasswords } from './passwords.ts';
import { checkPaths } from './paths.ts';
import { checkSettings } from './settings.ts';
import { checkSigningKeys } from './signing-keys.ts';
import { checkStaff } from './staff.ts';
import { checkWebhooks } from './webhooks.ts';

export const commands: Command[] = [
  {
    words: 'doctor',
    summary:
      'Check settings, addresses, database, second factors of staff, mail, webhooks, event loops, signing keys, passwords, clock, disk, files and paths; exit code 1 if something is wrong',
    options: {
      mail: { type: 'string', value: 'TO', help: 'Also send a mail to this address' },
      json: { type: 'boolean', help: JSON_OPTION.help },
    },
    run: doctor,
  },
];

async function doctor(input: Input): Promise<number> {
  const findings = await examine(optional(input, 'mail'));
  const failed = findings.some(({ status }) => status === 'error');
  if (input.values['json'] === true) output().write(`${JSON.stringify({ ok: !failed, findings })}\n`);
  else printFindings(findings);
  return failed ? 1 : 0;
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
  try {
    const findings = await Promise.all([
      guarded('settings', () => checkSettings(installation)),
      'finding' in opened ? [opened.finding] : guarded('database', () => checkDatabase(installation)),
      guarded('addresses', () => checkAddresses(installation)),
      guarded('second factor', () => checkStaff(installation)),
      guarded('mail', () => checkMail(installation, mailTo)),
      guarded('webhooks', () => checkWebhooks(installation)),
      guarded('event loops', () => checkEventLoops(installation)),
      guarded('signing keys', () => checkSigningKeys(installation)),
      guarded('passwords', () => checkPasswords(installation)),
      guarded('clock', () => checkClock(installation)),
      guarded('disk', () => checkDisk(installation)),
      guarded('files', () => checkFiles(installation)),
      guarded('paths', () => checkPaths(installation)),
    ]);
    return findings.flat();
  } finally {
    await installation.db?.close();
  }
}

/** One check that fails must not hide the results of the others. */
async function guarded(check: string, work: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await work();
  } catch (error) {
    return [problem(check, `It cannot be checked: ${reasonOf(error)}`, 'Run the doctor as the user of the service.')];
  }
}

const LABELS: Record<Finding['status'], string> = { ok: 'ok', warning: 'warning', error: 'ERROR' };

function printFindings(findings: readonly Finding[]): void {
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const { check, status, message, remedy } of findings) {
    output().write(`${LABELS[status].padEnd(7)}  ${check.padEnd(width)}  ${message}\n`);
    if (remedy !== null) output().write(`${' '.repeat(width + 11)}→ ${remedy}\n`);
  }
  const count = (wanted: Finding['status']): number => findings.filter(({ status }) => status === wanted).length;
  output().write(`\nErrors: ${count('error')}, warnings: ${count('warning')}.\n`);
}
