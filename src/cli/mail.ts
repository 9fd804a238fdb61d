import { dataFolder } from '#platform/config/config.ts';
import { UsageError } from '#platform/errors.ts';
import { sendTestMail } from '#platform/mail/mail.ts';
import { type Command, type Input, JSON_OPTION, mandatory } from './command/command.ts';
import { readSettings } from './command/settings.ts';
import { openExisting } from './doctor/database.ts';
import { recordOutcome } from './doctor/mail.ts';

const ADDRESS = { name: 'one mail address', isOf: (text: string) => /^[^\s@<>,;]+@[^\s@<>,;]+$/.test(text) };

export const commands: Command[] = [
  {
    words: 'mail test',
    summary: 'Send one mail and show what the mail server answers',
    options: {
      to: mandatory('ADDRESS', 'The address that gets the mail', ADDRESS),
      json: JSON_OPTION,
    },
    run: test,
  },
];

/** Needs no database, so it also helps while a network is set up. The health of an existing one shows the outcome. */
async function test(input: Input): Promise<void> {
  const to = input.required('to');
  const config = readSettings();
  if (config.SMTP_URL === '')
    throw new UsageError(
      `SMTP_URL is not set: mails are written to ${dataFolder(config)}/mail. Set SMTP_URL=smtps://user:password@host.`,
    );
  const opened = await openExisting(config);
  const db = 'db' in opened ? opened.db : undefined;
  try {
    input.print({ to, ...(await sendTestMail(config, to, recordOutcome(db, config))) });
  } finally {
    await db?.close();
  }
}
