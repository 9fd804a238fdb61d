import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { Closing } from './context.ts';

export interface Received {
  to: string;
  subject: string;
  text: string;
  /** The addresses in it that lead to a page. */
  links: string[];
}

/** A real SMTP server that stores the mails it receives. */
export class Mailbox {
  /** Whether it answers 451 to every sender. */
  refuses = false;
  readonly #server: SMTPServer;
  readonly #mails: Received[] = [];
  #arrived = Promise.withResolvers<void>();

  private constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      // The sender keeps the connection for the next mail.
      closeTimeout: 10,
      disabledCommands: ['STARTTLS'],
      onMailFrom: (_address, _session, done) =>
        done(this.refuses ? Object.assign(new Error('Try later'), { responseCode: 451 }) : null),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          this.#take(session.envelope.rcptTo[0]!.address, Buffer.concat(chunks).toString('utf8'));
          done();
        });
      },
    });
  }

  static async open(t: Closing): Promise<Mailbox> {
    const mailbox = new Mailbox();
    // A client that is killed or closed in the middle of a mail resets its connection.
    mailbox.#server.on('error', () => undefined);
    mailbox.#server.listen(0, '127.0.0.1');
    await once(mailbox.#server.server, 'listening');
    t.after(() => new Promise<void>((resolve) => mailbox.#server.close(resolve)));
    return mailbox;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.server.address() as AddressInfo).port}`;
  }

  get count(): number {
    return this.#mails.length;
  }

  /** The unread mails, in the order in which they came. */
  get unread(): readonly Received[] {
    return this.#mails;
  }

  /** Waits for the next unread mail to an address and returns it, oldest first. */
  async next(to: string): Promise<Received> {
    for (;;) {
      const place = this.#mails.findIndex((mail) => mail.to.toLowerCase() === to.toLowerCase());
      if (place >= 0) return this.#mails.splice(place, 1)[0]!;
      await this.#arrived.promise;
    }
  }

  #take(to: string, raw: string): void {
    const text = textPart(raw);
    const subject = decodedHeader(/^Subject: ((?:.*(?:\r\n[ \t])?)*)/m.exec(raw)?.[1] ?? '');
    this.#mails.push({ to, subject, text, links: text.match(/https?:\/\/\S+/g) ?? [] });
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers<void>();
  }
}

/** The text/plain part of a message (RFC 2045), decoded. */
function textPart(raw: string): string {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1];
  const parts = boundary === undefined ? [raw] : raw.split(`--${boundary}`);
  const part = parts.find((some) => /content-type: text\/plain/i.test(some))!;
  const [head = '', ...rest] = part.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (/encoding: base64/i.test(head)) return Buffer.from(body, 'base64').toString('utf8');
  return /encoding: quoted-printable/i.test(head) ? quoted(body.replace(/=\r\n/g, '')) : body;
}

function quoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function decodedHeader(text: string): string {
  const unfolded = text
    .trim()
    .replace(/\r\n[ \t]/g, ' ')
    .replace(/\?=\s+=\?/g, '?==?');
  return unfolded.replace(/=\?UTF-8\?([QB])\?(.*?)\?=/gi, (_, kind: string, body: string) =>
    kind.toUpperCase() === 'B' ? Buffer.from(body, 'base64').toString('utf8') : quoted(body.replaceAll('_', ' ')),
  );
}
