import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Clock } from '#platform/clock.ts';
import { seal, unseal } from '#platform/crypto/seal.ts';
import type { SecretKey } from '#platform/crypto/secret-key.ts';
import { cookieFlags, hostCookie } from '#http/cookies.ts';

/** The cookies of the console, plain or sealed (encrypted and authenticated) under a derived key. */
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

  delete(c: Context, name: string): void {
    deleteCookie(c, this.#nameOf(name), { path: '/', secure: this.#secure });
  }

  /** Sets a cookie that the browser can neither read nor change. `maxAge` is in seconds. */
  setSealed(c: Context, name: string, value: object, maxAge: number): void {
    const until = this.#clock.now() + maxAge * 1000;
    this.set(c, name, seal(this.#key, JSON.stringify({ name, until, value })), maxAge);
  }

  /** Reads a sealed value and deletes its cookie. Undefined if it is missing, forged, expired or of another name. */
  consumeSealed(c: Context, name: string): unknown {
    const cookie = this.get(c, name);
    if (cookie === undefined) return undefined;
    this.delete(c, name);
    const text = unseal(this.#key, cookie);
    if (text === undefined) return undefined;
    const sealed = JSON.parse(text) as { name: string; until: number; value: unknown };
    return sealed.name === name && sealed.until > this.#clock.now() ? sealed.value : undefined;
  }

  #nameOf(name: string): string {
    return hostCookie(name, this.#secure);
  }
}
