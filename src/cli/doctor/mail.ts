import { systemClock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import { type MailObserver, mailServerOf, probeMailServer, senderOf, sendOnce } from '#platform/mail/mail.ts';
import type { Db } from '#db/db.ts';
import { mailFailureOf, recordMailOutcome } from '#store/mail/mail-failures.ts';
import { type Finding, type Found, type Installation, ok, problem, reasonOf, warning } from './finding.ts';

const CHECK = 'mail';

/**
 * Stores the outcome of a command's mail for the service, which runs in another process. A database that cannot store it,
 * such as one of another version, must not fail the mail.
 */
export function recordOutcome(db: Db | undefined, config: Config): MailObserver {
  return async (code) => {
    if (db !== undefined)
      await recordMailOutcome(db, systemClock.now(), mailServerOf(config), code).catch(() => undefined);
  };
}

/** Connects to the mail server, and sends a mail to `to` if it is given. */
export async function checkMail({ config, db }: Installation, to: string | undefined): Promise<Found> {
  if (config.SMTP_URL === '')
    return warning(
      CHECK,
      'There is no mail server: mails are written to files, so nobody can confirm an address or a new password.',
      'Set SMTP_URL (or SMTP_URL_FILE), like smtps://user:password@mail.example.org, and MAIL_FROM.',
    );
  const host = new URL(config.SMTP_URL).host;
  const subject = `${config.NETWORK_NAME}: test mail`;
  const text = `Mail of ${config.NETWORK_NAME} arrives.\n\nscorehall doctor on ${config.AUTH_URL} sent this.\n`;
  try {
    if (to === undefined) await probeMailServer(config);
    else await sendOnce(config, { to, subject, text }, recordOutcome(db, config));
  } catch (error) {
    return problem(CHECK, `${host} refuses: ${reasonOf(error)}.`, remedyOf(error));
  }
  if (to === undefined) return await stateOf(db, config);
  return ok(CHECK, `${host} accepted a mail from ${senderOf(config)} to ${to}. Look whether it arrives, and in spam.`);
}

/** The state of a mail server that answers: mails may fail all the same. */
async function stateOf(db: Db | undefined, config: Config): Promise<Finding> {
  const server = mailServerOf(config);
  const failure = db && (await mailFailureOf(db, server).catch(() => undefined));
  if (failure === undefined) return ok(CHECK, `${server} answers and accepts the password. To send a mail: --mail TO`);
  const since = new Date(failure.since).toISOString();
  return warning(
    CHECK,
    `${server} answers now, but mails have failed since ${since} (${failure.error}).`,
    'Send a mail with --mail TO; one that is delivered ends the failure.',
  );
}

function remedyOf(error: unknown): string {
  const { code = '', responseCode = 0 } = error as { code?: string; responseCode?: number };
  if (code === 'EAUTH') return 'Check user and password in SMTP_URL; percent-encode characters like @ and /.';
  if (code === 'ETLS' || /certificate|SSL|TLS/i.test(reasonOf(error)))
    return 'Use smtps:// for port 465 and smtp:// for port 587. For an own CA set NODE_EXTRA_CA_CERTS.';
  if (responseCode >= 500) return 'The mail server refuses sender or recipient: check MAIL_FROM and its domain.';
  return 'Check host and port in SMTP_URL; many providers block port 25, so use 587 or 465.';
}
