import type { JWK } from 'jose';
import type { Provider } from 'oidc-provider';
import { gauge } from '#platform/process/metrics.ts';
import type { SecretKey } from '#platform/crypto/secret-key.ts';
import type { AppContext } from '#context/context.ts';
import { nextChange, type OpenKey, openKeys, publishedKeys } from '#store/accounts/signing-keys.ts';
import { type TokenInfo, tokenInfoBy } from './tokeninfo.ts';

/** A withdrawn key is refused by every process within this time. The query reads a table of a few rows. */
const REFRESH_INTERVAL_MS = 1_000;
/** A request waits for the keys if the timer has not read them for this time. */
const LATE_MS = 10_000;

type BuildProvider = (keys: JWK[]) => Provider;

/** What answers with the current keys. */
interface Current {
  provider: Provider;
  listener: ReturnType<Provider['callback']>;
  tokenInfo: TokenInfo;
}

/**
 * Holds oidc-provider with the current signing keys. oidc-provider reads its keys only when it is constructed, so a change
 * of the keys builds a new provider; requests under way finish on the old one. A key begins to sign at the time that all
 * processes compute from its creation, however late their timers are: `update` before each request sees to that.
 */
export class KeyRing {
  readonly #context: AppContext;
  readonly #secret: SecretKey;
  readonly #build: BuildProvider;
  readonly #timer: NodeJS.Timeout;
  #keys: OpenKey[] = [];
  #kids = '';
  /** When other keys are published or another one signs. */
  #changes = 0;
  /** When the keys were last read, or could not be read. */
  #tried = 0;
  #refreshing: Promise<void> | undefined;
  #failed = false;
  #current!: Current;

  private constructor(context: AppContext, secret: SecretKey, build: BuildProvider) {
    this.#context = context;
    this.#secret = secret;
    this.#build = build;
    this.#timer = setInterval(() => void this.#tryRefresh(), REFRESH_INTERVAL_MS).unref();
    gauge(context.metrics, {
      name: 'scorehall_signing_key_created_timestamp_seconds',
      help: 'When the key that signs ID tokens was created, as a Unix timestamp',
      collect: (gauge) => gauge.set((publishedKeys(this.#keys, context.clock.now())[0]?.created ?? NaN) / 1000),
    });
  }

  static async open(context: AppContext, secret: SecretKey, build: BuildProvider): Promise<KeyRing> {
    const ring = new KeyRing(context, secret, build);
    await ring.refresh();
    return ring;
  }

  get current(): Current {
    return this.#current;
  }

  /** Makes the keys those of the present time, before a request. While the database is away, by the keys last read. */
  async update(): Promise<void> {
    const now = this.#context.clock.now();
    if (Math.abs(now - this.#tried) >= LATE_MS) await this.#tryRefresh();
    if (now >= this.#changes) this.#apply();
  }

  /** Reads the keys; another process may have rotated or withdrawn them. */
  async refresh(): Promise<void> {
    const { db, clock } = this.#context;
    this.#tried = clock.now();
    this.#keys = await openKeys(db, this.#secret, clock.now());
    this.#apply();
  }

  /** One at a time, and one log entry per outage of the database. */
  async #tryRefresh(): Promise<void> {
    this.#refreshing ??= this.refresh()
      .then(
        () => (this.#failed = false),
        (error: unknown) => {
          if (!this.#failed) this.#context.log.error({ err: error }, 'could not read the signing keys');
          this.#failed = true;
        },
      )
      .then(() => (this.#refreshing = undefined));
    await this.#refreshing;
  }

  /** Builds the provider again if other keys are published, or another one signs. */
  #apply(): void {
    const { clock, config } = this.#context;
    const now = clock.now();
    const keys = publishedKeys(this.#keys, now).map(({ jwk }) => jwk);
    this.#changes = nextChange(this.#keys, now);
    const kids = keys.map(({ kid }) => kid).join(' ');
    if (kids === this.#kids) return;
    this.#kids = kids;
    const provider = this.#build(keys);
    this.#current = { provider, listener: provider.callback(), tokenInfo: tokenInfoBy(config.AUTH_URL, clock, keys) };
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
