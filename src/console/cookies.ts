import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Clock } from '#platform/clock.ts';
import { seal, unseal } from '#platform/crypto/seal.ts';
import type { SecretKey } from '#platform/crypto/secret-key.ts';
import { cookieFlags, hostCookie } from '#http/cookies.ts';

/** The cookies of the console. */
export class Cookies {
  readonly #clock: Clock;
  readonly #key: Buffer;
  readonly #secure: boolean;

  constructor(clock: Clock, key: SecretKey, secure: boolean) {
    this.#clock = clock;
    this.#key = key.derive('console cookies');
    this.#secure = secure;
  }

  set(c: Context, name: string, value: string, maxAge: number): void {
    setCookie(c, this.#nameOf(name), value, cookieFlags(this.#secure, maxAge));
  }

  get(c: Context, name: string): string | undefined {
    return getCookie(c, this.#nameOf(name));
  }

  drop(c: Context, name: string): void {
    deleteCookie(c, this.#nameOf(name), { path: '/', secure: this.#secure });
  }

  /** Sets a value that the browser can neither read nor change. */
  setSealed(c: Context, name: string, value: object, maxAge: number): void {
    const until = this.#clock.now() + maxAge * 1000;
    this.set(c, name, seal(this.#key, JSON.stringify({ name, until, value })), maxAge);
  }

  /** Reads a sealed value and drops its cookie. */
  takeSealed(c: Context, name: string): unknown {
    const cookie = this.get(c, name);
    if (cookie === undefined) return undefined;
    this.drop(c, name);
    const text = unseal(this.#key, cookie);
    if (text === undefined) return undefined;
    const given = JSON.parse(text) as { name: string; until: number; value: unknown };
    return given.name === name && given.until > this.#clock.now() ? given.value : undefined;
  }

  #nameOf(name: string): string {
    return hostCookie(`console_${name}`, this.#secure);
  }
}
