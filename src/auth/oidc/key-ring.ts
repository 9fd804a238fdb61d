import type { JWK } from 'jose';
import type { Provider } from 'oidc-provider';
import type { SecretKey } from '#platform/crypto/secret-key.ts';
import type { AppContext } from '#context/context.ts';
import { currentKeys } from './keys.ts';
import { TokenInfo } from './tokeninfo.ts';

/** A withdrawn key is refused by every process within this time. The query reads a table of a few rows. */
const REFRESH_INTERVAL_MS = 1_000;

type BuildProvider = (keys: JWK[]) => Provider;

/**
 * Holds oidc-provider with the current signing keys. oidc-provider reads its keys only when it is constructed, so a change
 * of the keys builds a new provider; requests under way finish on the old one.
 */
export class KeyRing {
  readonly #context: AppContext;
  readonly #secret: SecretKey;
  readonly #build: BuildProvider;
  readonly #timer: NodeJS.Timeout;
  #kids = '';
  #refreshing = false;
  #failed = false;
  #provider!: Provider;
  #tokenInfo!: TokenInfo;
  #listener!: ReturnType<Provider['callback']>;

  private constructor(context: AppContext, secret: SecretKey, build: BuildProvider) {
    this.#context = context;
    this.#secret = secret;
    this.#build = build;
    this.#timer = setInterval(() => void this.#refreshInBackground(), REFRESH_INTERVAL_MS).unref();
  }

  static async open(context: AppContext, secret: SecretKey, build: BuildProvider): Promise<KeyRing> {
    const ring = new KeyRing(context, secret, build);
    await ring.refresh();
    return ring;
  }

  get provider(): Provider {
    return this.#provider;
  }

  /** Request listener of the current provider. */
  get listener(): ReturnType<Provider['callback']> {
    return this.#listener;
  }

  get tokenInfo(): TokenInfo {
    return this.#tokenInfo;
  }

  /** Reads the keys and rebuilds the provider if they have changed; another process may have rotated or withdrawn them. */
  async refresh(): Promise<void> {
    const { db, clock, config } = this.#context;
    const keys = await currentKeys(db, this.#secret, clock.now());
    const kids = keys.map(({ kid }) => kid).join(' ');
    if (kids === this.#kids) return;
    this.#kids = kids;
    this.#provider = this.#build(keys);
    this.#listener = this.#provider.callback();
    this.#tokenInfo = new TokenInfo(config.AUTH_URL, clock, keys);
  }

  /** One at a time, and one log line per outage of the database. */
  async #refreshInBackground(): Promise<void> {
    if (this.#refreshing) return;
    this.#refreshing = true;
    try {
      await this.refresh();
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) this.#context.log.error({ err: error }, 'could not read the signing keys');
      this.#failed = true;
    } finally {
      this.#refreshing = false;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
