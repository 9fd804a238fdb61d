import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Log } from '#platform/log.ts';
import type { Mailer } from '#platform/mail.ts';
import type { Db } from '#db/db.ts';
import type { PageShell } from '#http/page.ts';
import type { Account } from '#store/accounts/accounts.ts';
import type { ConsoleClient } from './oauth-client.ts';
import type { Cookies } from './cookies.ts';
import type { Texts } from './texts/index.ts';

/** Somebody who is signed in at the console. */
export interface Person {
  account: Account;
  /** Names the session in the database, and opens nothing. */
  session: string;
  /** Stands in every form of the session's pages: a page of another session, left open in a tab, sends another one. */
  formToken: string;
  isOperator: boolean;
}

export interface Env {
  Bindings: HttpBindings;
  Variables: { texts: Texts; address: string; person: Person | undefined };
}

export type Context = HonoContext<Env>;

/** The services that the pages of the console use. */
export interface Deps {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly mail: Mailer;
  readonly shell: PageShell;
  readonly client: ConsoleClient;
  readonly cookies: Cookies;
  readonly secure: boolean;
}
