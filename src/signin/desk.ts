import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Provider } from 'oidc-provider';
import type { Clock } from '#base/clock.ts';
import type { Config } from '#base/config.ts';
import { WireError } from '#base/errors.ts';
import { type Form, isOwnForm, readForm } from '#base/form.ts';
import { chooseLanguage } from '#base/languages.ts';
import type { Log } from '#base/log.ts';
import type { Mailer } from '#base/mail.ts';
import { type Frame, pageHeaders } from '#base/page.ts';
import type { Db } from '#db/db.ts';
import type { Visit } from '#records/account-sessions.ts';
import { type Page, writePage } from './layout.ts';
import { TEXTS, type Texts } from './texts/index.ts';

export interface Env {
  Bindings: HttpBindings;
  Variables: { texts: Texts; visit: Visit };
}

export type Ask = Context<Env>;

export const LANGUAGE_COOKIE = 'scorehall_language';

interface DeskParts {
  config: Config;
  db: Db;
  clock: Clock;
  log: Log;
  mail: Mailer;
  frame: Frame;
  provider: () => Provider;
}

/** What every page of the sign-in works with. */
export class Desk {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly mail: Mailer;
  readonly frame: Frame;
  readonly secure: boolean;
  readonly #provider: () => Provider;
  readonly #underWay = new Set<Promise<void>>();

  constructor({ config, db, clock, log, mail, frame, provider }: DeskParts) {
    this.config = config;
    this.db = db;
    this.clock = clock;
    this.log = log;
    this.mail = mail;
    this.frame = frame;
    this.secure = config.AUTH_URL.startsWith('https:');
    this.#provider = provider;
  }

  get provider(): Provider {
    return this.#provider();
  }

  link(path: string): string {
    return `${this.config.AUTH_URL}${path}`;
  }

  async show(c: Ask, page: Page): Promise<Response> {
    const url = c.req.method === 'GET' ? c.req.url : undefined;
    const body = await writePage(this.frame, this.config, c.get('texts'), page, url);
    const headers = pageHeaders('no-store', { 'form-action': page.formTargets ?? [] });
    return c.body(body, (page.status ?? 200) as 200, headers);
  }

  /** Does what nobody's answer may wait for, since its time would tell whether an account exists. */
  later(work: () => Promise<void>): void {
    const promise = work()
      .catch((error: unknown) => this.log.error({ err: error }, 'work behind an answer failed'))
      .finally(() => this.#underWay.delete(promise));
    this.#underWay.add(promise);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}

/** What a person chose on a page counts first, then what the application asked for, then what the browser prefers. */
export function languageOf(c: Ask, uiLocales?: string): Texts {
  const asked = [c.req.query('lang'), getCookie(c, LANGUAGE_COOKIE), uiLocales ?? c.req.query('ui_locales')];
  return TEXTS[chooseLanguage(asked, c.req.header('accept-language'))];
}

/**
 * The form of a request that comes from a page of ours.
 * @throws WireError 403 for one that does not, 400 for one that cannot be read
 */
export async function formOf(c: Ask, { config }: Desk): Promise<Form> {
  const { origin, 'sec-fetch-site': site } = c.req.header();
  if (!isOwnForm(origin, site, config.AUTH_URL)) throw new WireError(403, 'access_denied', 'forged form');
  return readForm(c.req.header('content-type'), await c.req.text());
}
