import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../clock.ts';
import { type Config, dataFolder } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import type { Log } from '../process/log.ts';
import { counter, gauge, type Metrics } from '../process/metrics.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
}

/**
 * Sends mails in the background: no response waits for the mail server, and the duration of a response does not reveal
 * whether a mail was sent.
 */
export interface Mailer extends AsyncDisposable {
  /** @param whenSettled runs when the mail is delivered to the mail server (true) or given up (false) */
  send(mail: Mail, whenSettled?: (delivered: boolean) => Promise<void>): void;
  /** Resolves when every mail so far is delivered to the mail server or given up. */
  settled(): Promise<void>;
}

interface MailerDeps {
  config: Config;
  log: Log;
  clock: Clock;
  metrics: Metrics;
}

type Deliver = (mail: Mail & { from: string }) => Promise<unknown>;

/** Is called after every attempt to deliver a mail. @param error an error code; undefined if it was delivered */
export type MailObserver = (error: string | undefined) => Promise<void>;

const RETRY_DELAYS_MS = [1_000, 10_000, 60_000];
/** By default nodemailer waits two minutes for a mail server that does not answer, and reports nothing until then. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000 };

/** Opens the mailer: by SMTP, or without SMTP_URL as files in the data folder, whose links are printed to the terminal. */
export function openMailer(
  { config, log, clock, metrics }: MailerDeps,
  terminal: NodeJS.WritableStream,
  observe: MailObserver = () => Promise.resolve(),
): Mailer {
  const deps = { config, log, clock, metrics, observe };
  if (config.SMTP_URL === '')
    return backgroundMailer(deps, { deliver: folderDelivery(config, clock, terminal), close: () => Promise.resolve() });
  const options = { url: config.SMTP_URL, pool: true, maxConnections: 2, ...TIMEOUTS } as const;
  const open = async () => (await nodemailer()).createTransport(options);
  let transport: ReturnType<typeof open> | undefined;
  return backgroundMailer(deps, {
    deliver: async (mail) => await (await (transport ??= open())).sendMail(mail),
    close: async () => (await transport)?.close(),
  });
}

/**
 * Loaded at the first mail, because loading takes a fifth of a command's CPU time and most commands and threads send
 * none.
 */
const nodemailer = () => import('nodemailer');

/** The sender of all mails: the setting MAIL_FROM, or no-reply at the host of sign-in. */
export function senderOf(config: Config): string {
  return config.MAIL_FROM || `"${config.NETWORK_NAME.replaceAll('"', '')}" <no-reply@${authHost(config)}>`;
}

/**
 * Sends one mail without retries. Returns the sender and the mail server's answer.
 * @throws UsageError with the mail server's answer, or that there was none
 */
export async function sendTestMail(
  config: Config,
  to: string,
  observe: MailObserver,
): Promise<{ from: string; answer: string }> {
  const text = `This is a test of the mail server of ${config.NETWORK_NAME}. Nothing has to be done.\n`;
  try {
    const answer = await sendOnce(config, { to, subject: `Test mail of ${config.NETWORK_NAME}`, text }, observe);
    return { from: senderOf(config), answer };
  } catch (error) {
    const { message, response } = error as Error & { response?: string };
    const { hostname, port } = new URL(config.SMTP_URL);
    const server = port === '' ? hostname : `${hostname}:${port}`;
    const problem = response === undefined ? `could not be used: ${message}` : `answered: ${response}`;
    throw new UsageError(`The mail server ${server} ${problem}. See SMTP_URL and MAIL_FROM.`);
  }
}

/**
 * Sends one mail without retries. Returns the mail server's answer.
 * @throws the error of the mail server
 */
export async function sendOnce(config: Config, mail: Mail, observe: MailObserver): Promise<string> {
  const transport = (await nodemailer()).createTransport({ url: config.SMTP_URL, ...TIMEOUTS });
  try {
    const { response } = await transport.sendMail({ ...mail, from: senderOf(config) });
    await observe(undefined);
    return response;
  } catch (error) {
    await observe(errorCode(error));
    throw error;
  } finally {
    transport.close();
  }
}

/**
 * Connects and signs in to the mail server.
 * @throws the error of the mail server
 */
export async function probeMailServer(config: Config): Promise<void> {
  const transport = (await nodemailer()).createTransport({ url: config.SMTP_URL, ...TIMEOUTS });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/** The host and port of the mail server, without its credentials; `files` without a mail server. */
export function mailServerOf({ SMTP_URL }: Pick<Config, 'SMTP_URL'>): string {
  return SMTP_URL === '' ? 'files' : (URL.parse(SMTP_URL)?.host ?? 'unknown');
}

/** The error code alone, because the mail server's text may contain addresses. */
function errorCode(error: unknown): string {
  const { code = '', responseCode = '' } = error as { code?: string; responseCode?: number };
  return `${code} ${responseCode}`.trim() || 'unknown';
}

function authHost(config: Config): string {
  const host = new URL(config.AUTH_URL).hostname;
  return /^[\d.]+$|^\[/.test(host) ? 'localhost' : host;
}

interface Delivery {
  deliver: Deliver;
  close: () => Promise<void>;
}

function backgroundMailer(
  { config, log, metrics, observe }: MailerDeps & { observe: MailObserver },
  { deliver, close }: Delivery,
): Mailer {
  const sent = counter(metrics, {
    name: 'scorehall_mails_total',
    help: 'Mails delivered to the mail server (sent) or given up after all attempts (failed)',
    labelNames: ['result'],
  });
  const pending = new Set<Promise<void>>();
  gauge(metrics, {
    name: 'scorehall_mails_pending',
    help: 'Mails that are being sent or wait for another attempt',
    collect: (gauged) => gauged.set(pending.size),
  });
  const from = senderOf(config);
  const closing = new AbortController();
  const settled = async (): Promise<void> => void (await Promise.all(pending));

  /** @returns the error; undefined if the mail was delivered */
  const attempt = async (mail: Mail): Promise<unknown> => {
    try {
      await deliver({ ...mail, from });
      return undefined;
    } catch (error) {
      return error ?? new Error('The mail server failed without a reason.');
    }
  };

  const deliverWithRetries = async (mail: Mail): Promise<boolean> => {
    for (const ms of [...RETRY_DELAYS_MS, 0]) {
      const error = await attempt(mail);
      await observe(error === undefined ? undefined : errorCode(error)).catch((failure: unknown) =>
        log.error({ err: failure }, 'cannot record the state of the mail server'),
      );
      if (error === undefined) {
        sent.inc({ result: 'sent' });
        return true;
      }
      const isLast = ms === 0 || closing.signal.aborted;
      log[isLast ? 'error' : 'warn']({ err: error, subject: mail.subject }, 'cannot send mail');
      if (isLast) break;
      await systemClock.wait(ms, closing.signal);
    }
    sent.inc({ result: 'failed' });
    return false;
  };

  return {
    settled,
    send(mail, whenSettled) {
      const work = deliverWithRetries(mail)
        .then(whenSettled)
        .catch((error: unknown) => log.error({ err: error }, 'cannot record the outcome of a mail'))
        .finally(() => pending.delete(work));
      pending.add(work);
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await settled();
      await close();
    },
  };
}

let mailCount = 0;

function folderDelivery(config: Config, clock: Clock, terminal: NodeJS.WritableStream): Deliver {
  const folder = join(dataFolder(config), 'mail');
  return async ({ from, to, subject, text }) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const timestamp = new Date(clock.now()).toISOString().replaceAll(':', '-');
    const file = join(folder, `${timestamp}-${process.pid}-${++mailCount}.eml`);
    const head = `From: ${from}\nTo: ${to}\nSubject: ${subject}\nContent-Type: text/plain; charset=utf-8\n`;
    writeFileSync(file, `${head}\n${text}`, { mode: 0o600 });
    // A mail with a code has no link, so the path of its file is printed.
    const links = text.match(/https?:\S+/g) ?? [file];
    terminal.write(`mail to ${to}: ${subject}\n${links.map((link) => `  ${link}\n`).join('')}`);
  };
}
