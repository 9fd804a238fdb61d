import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import type { Provider } from 'oidc-provider';
import type { AppContext } from '#context/context.ts';
import { HttpError } from '#http/errors.ts';
import { type Form, isOwnForm, readForm } from '#http/form.ts';
import type { SecretKey } from '#platform/crypto/secret-key.ts';
import { requestLanguage } from '#http/cookies.ts';
import type { PageShell } from '#http/page.ts';
import type { RateLimits } from '#http/rate-limits.ts';
import type { Background } from './background.ts';
import type { RequestInfo } from './client-info.ts';
import type { PasswordQueue } from './password-queue.ts';
import { TEXTS, type Texts } from './texts/index.ts';

export interface Env {
  Bindings: HttpBindings;
  Variables: { texts: Texts; client: RequestInfo };
}

export type Context = HonoContext<Env>;

/** Dependencies of the sign-in pages. */
export interface Deps extends Readonly<Pick<AppContext, 'config' | 'db' | 'clock' | 'log' | 'mail'>> {
  readonly shell: PageShell;
  readonly secure: boolean;
  readonly secretKey: SecretKey;
  readonly background: Background;
  readonly passwordQueue: PasswordQueue;
  readonly limits: RateLimits;
  /** oidc-provider with the current signing keys; replaced when the keys rotate, so read it for each request. */
  readonly provider: Provider;
}

/** Texts in the language of the request; see `requestLanguage` for how it is chosen. */
export function requestTexts(c: Context, uiLocales = c.req.query('ui_locales')): Texts {
  return TEXTS[requestLanguage(c.req.header(), c.req.query('lang'), uiLocales)];
}

/**
 * Reads the form of a POST request.
 * @throws HttpError 403 if another site sent it (by `Origin` and `Sec-Fetch-Site`), 400 if it cannot be parsed
 */
export async function readOwnForm(c: Context, { config }: Deps): Promise<Form> {
  const { origin, 'sec-fetch-site': site } = c.req.header();
  if (!isOwnForm(origin, site, config.AUTH_URL))
    throw new HttpError(403, 'access_denied', 'The form was not sent from a page of this service.');
  return readForm(c.req.header('content-type'), await c.req.text());
}
