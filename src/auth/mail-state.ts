import { notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { mailServerOf } from '#platform/mail.ts';
import { mailFailureOf } from '#store/mail-failures.ts';
import type { Context, Deps } from './deps.ts';

/**
 * Tells somebody who waits for a mail that the mail server is not answering; empty while it takes mails. It depends on the
 * last mails to anybody, so it does not reveal whether this person gets one.
 */
export async function mailFailureNotice(c: Context, { db, config }: Deps): Promise<Html | string> {
  const failure = await mailFailureOf(db, mailServerOf(config));
  return failure === undefined ? '' : notice(c.get('texts').mail_fails, 'bad');
}
