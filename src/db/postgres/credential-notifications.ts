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
  readonly #open: (() => pg.Client) | undefined;
  #client: pg.Client | undefined;
  #opened = false;
  #listening = false;
  #closed = false;
  #count = 0;
  #retry: NodeJS.Timeout | undefined;

  /** @param open returns a client in pipeline mode; undefined if notifications do not arrive */
  constructor(open: (() => pg.Client) | undefined) {
    this.#open = open;
  }

  /** Changes with every notification and every new connection; undefined while there is no connection. */
  get count(): number | undefined {
    if (!this.#opened && !this.#closed && this.#open !== undefined) void this.#listen(this.#open());
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

  async #listen(client: pg.Client): Promise<void> {
    this.#opened = true;
    this.#client = client;
    client.on('notification', () => this.#count++);
    client.on('error', () => this.#reconnectLater(client));
    client.on('end', () => this.#reconnectLater(client));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      // The session belongs to a pooler, which may give it to others and drop its notifications.
      if (rows[0]?.pid !== (client as { processID?: unknown }).processID) return await this.close();
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
    this.#retry = setTimeout(() => void this.#listen(this.#open!()), RETRY_MS).unref();
  }
}
