import { probeMailServer, senderOf } from '#platform/mail.ts';
import { type Finding, type Installation, ok, problem, reasonOf, warning } from './finding.ts';

const CHECK = 'mail';

/** Connects to the mail server, and sends a mail to `to` if it is given. */
export async function checkMail({ config }: Installation, to: string | undefined): Promise<Finding[]> {
  if (config.SMTP_URL === '')
    return [
      warning(
        CHECK,
        'There is no mail server: mails are written to files, so nobody can confirm an address or a new password.',
        'Set SMTP_URL (or SMTP_URL_FILE), like smtps://user:password@mail.example.org, and MAIL_FROM.',
      ),
    ];
  const host = new URL(config.SMTP_URL).host;
  const subject = `${config.NETWORK_NAME}: test mail`;
  const text = `Mail of ${config.NETWORK_NAME} arrives.\n\nscorehall doctor on ${config.AUTH_URL} sent this.\n`;
  try {
    await probeMailServer(config, to === undefined ? undefined : { to, subject, text });
  } catch (error) {
    return [problem(CHECK, `${host} refuses: ${reasonOf(error)}.`, remedyOf(error))];
  }
  if (to === undefined) return [ok(CHECK, `${host} answers and accepts the password. To send a mail: --mail TO`)];
  return [
    ok(CHECK, `${host} accepted a mail from ${senderOf(config)} to ${to}. Look whether it arrives, and in spam.`),
  ];
}

function remedyOf(error: unknown): string {
  const { code = '', responseCode = 0 } = error as { code?: string; responseCode?: number };
  if (code === 'EAUTH') return 'Check user and password in SMTP_URL; percent-encode characters like @ and /.';
  if (code === 'ETLS' || /certificate|SSL|TLS/i.test(reasonOf(error)))
    return 'Use smtps:// for port 465 and smtp:// for port 587. For an own CA set NODE_EXTRA_CA_CERTS.';
  if (responseCode >= 500) return 'The mail server refuses sender or recipient: check MAIL_FROM and its domain.';
  return 'Check host and port in SMTP_URL; many providers block port 25, so use 587 or 465.';
}
