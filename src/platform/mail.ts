import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import type { Clock } from './clock.ts';
import { type Config, dataFolder } from './config.ts';
import type { Log } from './log.ts';
import { counter, gauge, type Metrics } from './metrics.ts';

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
  send(mail: Mail): void;
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

const RETRY_DELAYS_MS = [1_000, 10_000, 60_000];
const PROBE_TIMEOUT_MS = 10_000;

/** Opens the mailer: by SMTP, or without SMTP_URL as files in the data folder, whose links are printed to the terminal. */
export function openMailer({ config, log, clock, metrics }: MailerDeps, terminal: NodeJS.WritableStream): Mailer {
  const from = senderOf(config);
  if (config.SMTP_URL === '')
    return new BackgroundMailer(from, { log, metrics }, folderDelivery(config, clock, terminal), () => undefined);
  const transport = createTransport({ url: config.SMTP_URL, pool: true, maxConnections: 2 });
  return new BackgroundMailer(
    from,
    { log, metrics },
    (mail) => transport.sendMail(mail),
    () => transport.close(),
  );
}

/** The sender of all mails: the setting MAIL_FROM, or no-reply at the host of sign-in. */
export function senderOf(config: Config): string {
  return config.MAIL_FROM || `"${config.NETWORK_NAME.replaceAll('"', '')}" <no-reply@${hostOf(config)}>`;
}

/**
 * Connects and signs in to the mail server, and sends a mail if one is given.
 * @throws the error of the mail server, without a further attempt
 */
export async function probeMailServer(config: Config, mail?: Mail): Promise<void> {
  const transport = createTransport({ url: config.SMTP_URL, connectionTimeout: PROBE_TIMEOUT_MS });
  try {
    await transport.verify();
    if (mail !== undefined) await transport.sendMail({ ...mail, from: senderOf(config) });
  } finally {
    transport.close();
  }
}

function hostOf(config: Config): string {
  const host = new URL(config.AUTH_URL).hostname;
  return /^[\d.]+$|^\[/.test(host) ? 'localhost' : host;
}

class BackgroundMailer implements Mailer {
  readonly #from: string;
  readonly #log: Log;
  readonly #sent: ReturnType<typeof counter<'result'>>;
  readonly #deliver: Deliver;
  readonly #closeTransport: () => void;
  readonly #pending = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(
    from: string,
    { log, metrics }: Pick<MailerDeps, 'log' | 'metrics'>,
    deliver: Deliver,
    closeTransport: () => void,
  ) {
    this.#from = from;
    this.#log = log;
    this.#sent = counter(metrics, {
      name: 'scorehall_mails_total',
      help: 'Mails delivered to the mail server (sent) or given up after all attempts (failed)',
      labelNames: ['result'],
    });
    gauge(metrics, {
      name: 'scorehall_mails_pending',
      help: 'Mails that are being sent or wait for another attempt',
      collect: (pending) => pending.set(this.#pending.size),
    });
    this.#deliver = deliver;
    this.#closeTransport = closeTransport;
  }

  send(mail: Mail): void {
    const work = this.#send({ ...mail, from: this.#from }).finally(() => this.#pending.delete(work));
    this.#pending.add(work);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.settled();
    this.#closeTransport();
  }

  async #send(mail: Mail & { from: string }): Promise<void> {
    for (const ms of [...RETRY_DELAYS_MS, 0]) {
      try {
        await this.#deliver(mail);
        return this.#sent.inc({ result: 'sent' });
      } catch (error) {
        const last = ms === 0 || this.#closing.signal.aborted;
        this.#log[last ? 'error' : 'warn']({ err: error, subject: mail.subject }, 'cannot send mail');
        if (last) return this.#sent.inc({ result: 'failed' });
      }
      await pause(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
  }
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
    const links = text.match(/https?:\S+/g) ?? [];
    terminal.write(`mail to ${to}: ${subject}\n${links.map((link) => `  ${link}\n`).join('')}`);
  };
}
