import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import type { ConsoleRequest } from './routes.ts';

/**
 * A secret that is shown once, on the page that follows the form: sealed in a cookie for a minute, for the session that
 * made it, and gone when it was shown. So loading the page again makes no second one.
 */

const COOKIE = 'once';
const SECONDS = 60;

interface FlashMessage {
  session: string;
  /** What it belongs to: a Client ID, a server. */
  subject: string;
  secret: string;
}

export function flashSecret({ c, deps, person }: ConsoleRequest, subject: string, secret: string): void {
  const once: FlashMessage = { session: person.session, subject, secret };
  deps.cookies.setSealed(c, COOKIE, once, SECONDS);
}

/** @returns undefined where there is none, or it was shown */
export function consumeSecret({ c, deps, person }: ConsoleRequest, subject: string): string | undefined {
  const once = deps.cookies.takeSealed(c, COOKIE) as FlashMessage | undefined;
  return once?.session === person.session && once.subject === subject ? once.secret : undefined;
}

export function secretNotice({ texts }: ConsoleRequest, title: string, secret: string | undefined): Html {
  if (secret === undefined) return html``;
  return html`<div class="notice good once" role="status">
    <p><strong>${title}</strong></p>
    <p><code class="typed">${secret}</code></p>
    <p class="hint">${texts.once}</p>
  </div>`;
}
