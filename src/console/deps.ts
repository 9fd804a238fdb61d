import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import type { AppContext } from '#context/context.ts';
import type { PageShell } from '#http/page.ts';
import type { Account } from '#store/accounts/accounts.ts';
import type { ConsoleClient } from './oauth-client.ts';
import type { Cookies } from './cookies.ts';
import type { Texts } from './texts/index.ts';

/** A person who is signed in at the console. */
export interface Person {
  account: Account;
  /** The session's key in the database: the hash of its cookie, which cannot be used as the cookie. */
  session: string;
  /** CSRF token in every form of this session. A page left open from another session sends a different token. */
  formToken: string;
  /** When the person last signed in, with a second factor if staff needs one, in epoch milliseconds. */
  authenticated: number;
  isOperator: boolean;
  /** Whether the person is a moderator or an operator. */
  isStaff: boolean;
  /** Whether the person is staff without the second factor that the network requires: then all pages are closed. */
  lacksFactor: boolean;
}

export interface Env {
  Bindings: HttpBindings;
  Variables: { texts: Texts; address: string; person: Person | undefined };
}

export type Context = HonoContext<Env>;

/** What the pages of the console depend on. */
export interface Deps extends Readonly<Pick<AppContext, 'config' | 'db' | 'clock' | 'log' | 'mail'>> {
  readonly shell: PageShell;
  readonly client: ConsoleClient;
  readonly cookies: Cookies;
  /** Whether the site is served by https: cookies are `Secure`. */
  readonly secure: boolean;
}
