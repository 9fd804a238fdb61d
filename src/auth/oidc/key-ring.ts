import type { JWK } from 'jose';
import type { Provider } from 'oidc-provider';
import type { SecretKey } from '#platform/crypto/secret-key.ts';
import type { AppContext } from '#context/context.ts';
import { currentKeys } from './keys.ts';
import { TokenInfo } from './tokeninfo.ts';

const LOOK_EVERY_MS = 60_000;

type Build = (keys: JWK[]) => Provider;

/** The protocol under the keys of now. When the keys change, a new one takes over, and what is under way ends on the old. */
export class KeyRing {
  readonly #context: AppContext;
  readonly #secret: SecretKey;
  readonly #build: Build;
  readonly #timer: NodeJS.Timeout;
  #kids = '';
  #provider!: Provider;
  #tokenInfo!: TokenInfo;
  #listener!: ReturnType<Provider['callback']>;

  private constructor(context: AppContext, secret: SecretKey, build: Build) {
    this.#context = context;
    this.#secret = secret;
    this.#build = build;
    const failed = (error: unknown): void => context.log.error({ err: error }, 'signing keys not read');
    this.#timer = setInterval(() => void this.look().catch(failed), LOOK_EVERY_MS).unref();
  }

  static async open(context: AppContext, secret: SecretKey, build: Build): Promise<KeyRing> {
    const ring = new KeyRing(context, secret, build);
    await ring.look();
    return ring;
  }

  get provider(): Provider {
    return this.#provider;
  }

  /** Answers a request of the protocol. */
  get listener(): ReturnType<Provider['callback']> {
    return this.#listener;
  }

  get tokenInfo(): TokenInfo {
    return this.#tokenInfo;
  }

  /** Looks whether other keys are current; another process may have made them. */
  async look(): Promise<void> {
    const { db, clock, config } = this.#context;
    const keys = await currentKeys(db, this.#secret, clock.now());
    const kids = keys.map(({ kid }) => kid).join(' ');
    if (kids === this.#kids) return;
    this.#kids = kids;
    this.#provider = this.#build(keys);
    this.#listener = this.#provider.callback();
    this.#tokenInfo = new TokenInfo(config.AUTH_URL, clock, keys);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
