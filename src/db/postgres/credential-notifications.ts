import type pg from 'pg';

const RETRY_MS = 1_000;
/** The triggers of the migrations notify this channel. */
const CHANNEL = 'credentials';

/**
 * Counts changes of tokens and applications by any process, which PostgreSQL reports on a separate connection (LISTEN).
 * While that connection is down there is no count, and credentials must not be cached. The first request for the count
 * opens it, so that a command has none.
 */
export class CredentialNotifications {
  readonly #open: () => pg.Client;
  #client: pg.Client | undefined;
  #opened = false;
  #listening = false;
  #closed = false;
  #count = 0;
  #retry: NodeJS.Timeout | undefined;

  /** @param open returns a client in pipeline mode */
  constructor(open: () => pg.Client) {
    this.#open = open;
  }

  /** Changes with every notification and every new connection; undefined while there is no connection. */
  get count(): number | undefined {
    if (!this.#opened && !this.#closed) void this.#listen();
    return this.#listening ? this.#count : undefined;
  }

  /** Counts a write of this process at once, before its notification arrives. */
  countOwnWrite(): void {
    this.#count++;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listening = false;
    clearTimeout(this.#retry);
    await this.#client?.end().catch(() => undefined);
  }

  async #listen(): Promise<void> {
    this.#opened = true;
    const client = this.#open();
    this.#client = client;
    client.on('notification', () => this.#count++);
    client.on('error', () => this.#reconnectLater(client));
    client.on('end', () => this.#reconnectLater(client));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      this.#count++;
      this.#listening = !this.#closed;
    } catch {
      this.#reconnectLater(client);
    }
  }

  #reconnectLater(client: pg.Client): void {
    if (this.#closed || client !== this.#client) return;
    this.#listening = false;
    this.#client = undefined;
    client.end().catch(() => undefined);
    this.#retry = setTimeout(() => void this.#listen(), RETRY_MS).unref();
  }
}
