import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Receipt } from '#events/ledger/receipts.ts';

/** How long a client may leave the receipts unread before the response fails. */
const STALL_TIMEOUT_MS = 60_000;

/**
 * The response to a stream: one receipt a line. Behind a proxy the receipts wait in memory until the body is complete (a
 * stream has 20,000 events at most): nginx stops sending a body as soon as the response begins, and both sides would wait
 * for each other.
 */
export class ReceiptLines {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #waitsForBody: boolean;
  #held = '';

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request;
    this.#response = response;
    this.#waitsForBody = request.headers['x-forwarded-for'] !== undefined || request.headers['via'] !== undefined;
  }

  /** Whether there was no receipt so far, so that an error can still have its own status. */
  get isEmpty(): boolean {
    return !this.#response.headersSent && this.#held === '';
  }

  /** @throws Error if the client does not read, or has gone */
  async write(receipts: readonly Receipt[]): Promise<void> {
    this.#held += receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join('');
    if (this.#waitsForBody && !this.#request.complete) return;
    if (!this.#send()) await this.#drained();
  }

  end(lastLine = ''): void {
    this.#held += lastLine;
    this.#send();
    this.#response.end();
  }

  async #drained(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onClose = (): void => reject(new Error('The client closed the connection before it read its receipts.'));
    const timeout = setTimeout(() => reject(new Error('The client does not read its receipts.')), STALL_TIMEOUT_MS);
    this.#response.once('drain', resolve).once('close', onClose);
    if (this.#response.destroyed) onClose();
    try {
      await promise;
    } finally {
      clearTimeout(timeout);
      this.#response.off('drain', resolve).off('close', onClose);
    }
  }

  #send(): boolean {
    const text = this.#held;
    this.#held = '';
    if (!this.#response.headersSent)
      this.#response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
    return text === '' || this.#response.write(text);
  }
}
