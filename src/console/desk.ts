import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Clock } from '#base/clock.ts';
import type { Config } from '#base/config.ts';
import type { Log } from '#base/log.ts';
import type { Mailer } from '#base/mail.ts';
import { type Frame, pageHeaders } from '#base/page.ts';
import { seal, unseal } from '#base/seal.ts';
import type { SecretKey } from '#base/secret-key.ts';
import type { Db } from '#db/db.ts';
import type { ConsoleClient } from './client.ts';
import { type Page, writePage } from './layout.ts';
import type { Person } from './person.ts';
import type { Texts } from './texts/index.ts';

export interface Env {
  Bindings: HttpBindings;
  Variables: { texts: Texts; address: string; person: Person | undefined };
}

export type Ask = Context<Env>;

interface DeskParts {
  config: Config;
  db: Db;
  clock: Clock;
  log: Log;
  mail: Mailer;
  frame: Frame;
  key: SecretKey;
  client: ConsoleClient;
}

/** What every page of the console works with. */
export class Desk {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly mail: Mailer;
  readonly frame: Frame;
  readonly client: ConsoleClient;
  readonly secure: boolean;
  readonly #key: Buffer;

  constructor({ config, db, clock, log, mail, frame, key, client }: DeskParts) {
    this.config = config;
    this.db = db;
    this.clock = clock;
    this.log = log;
    this.mail = mail;
    this.frame = frame;
    this.client = client;
    this.secure = config.SITE_URL.startsWith('https:');
    this.#key = key.derive('console cookies');
  }

  async show(c: Ask, page: Page): Promise<Response> {
    const body = await writePage(this, c, page);
    const headers = pageHeaders('no-store', { 'form-action': [this.config.AUTH_URL] });
    return c.body(body, (page.status ?? 200) as 200, headers);
  }

  /** The name says to browsers that no other host may set it; over plain http (on this machine) they would drop it. */
  cookieName(name: string): string {
    return `${this.secure ? '__Host-' : ''}scorehall_console_${name}`;
  }

  setCookie(c: Ask, name: string, value: string, maxAge: number): void {
    const { secure } = this;
    setCookie(c, this.cookieName(name), value, { path: '/', httpOnly: true, sameSite: 'Lax', secure, maxAge });
  }

  cookie(c: Ask, name: string): string | undefined {
    return getCookie(c, this.cookieName(name));
  }

  dropCookie(c: Ask, name: string): void {
    deleteCookie(c, this.cookieName(name), { path: '/', secure: this.secure });
  }

  /** Gives the browser something to bring back that it can neither read nor change. */
  setSealed(c: Ask, name: string, value: object, maxAge: number): void {
    const until = this.clock.now() + maxAge * 1000;
    this.setCookie(c, name, seal(this.#key, JSON.stringify({ name, until, value })), maxAge);
  }

  /** What was given under this name, once. */
  takeSealed(c: Ask, name: string): unknown {
    const cookie = this.cookie(c, name);
    if (cookie === undefined) return undefined;
    this.dropCookie(c, name);
    const text = unseal(this.#key, cookie);
    if (text === undefined) return undefined;
    const given = JSON.parse(text) as { name: string; until: number; value: unknown };
    return given.name === name && given.until > this.clock.now() ? given.value : undefined;
  }
}
