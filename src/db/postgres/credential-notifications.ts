import pg from 'pg';

const RETRY_MS = 1_000;
/** Told by triggers of migration 007. */
const CHANNEL = 'credentials';

/**
 * Listens on a connection of its own for the server's word that a credential was changed by whatever process. While
 * nobody listens nothing is known, so nothing may be kept.
 */
export class CredentialNotifications {
  readonly #url: string;
  #client: pg.Client | undefined;
  #listening = false;
  #closed = false;
  #count = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(url: string) {
    this.#url = url;
    void this.#listen();
  }

  /** Moves with every notice and every time listening begins; undefined while it has not. */
  get count(): number | undefined {
    return this.#listening ? this.#count : undefined;
  }

  /** What this process itself has written, it need not be told. */
  note(): void {
    this.#count++;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listening = false;
    clearTimeout(this.#retry);
    await this.#client?.end().catch(() => undefined);
  }

  async #listen(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url, keepAlive: true });
    this.#client = client;
    client.on('notification', () => this.#count++);
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      this.#count++;
      this.#listening = !this.#closed;
    } catch {
      this.#lost(client);
    }
  }

  #lost(client: pg.Client): void {
    if (this.#closed || client !== this.#client) return;
    this.#listening = false;
    this.#client = undefined;
    client.end().catch(() => undefined);
    this.#retry = setTimeout(() => void this.#listen(), RETRY_MS).unref();
  }
}
