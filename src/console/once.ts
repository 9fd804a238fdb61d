import { html } from 'hono/html';
import type { Html } from '#base/page.ts';
import type { Visit } from './rows.ts';

/**
 * A secret that is shown once, on the page that follows the form: sealed in a cookie for a minute, for the session that
 * made it, and gone when it was shown. So loading the page again makes no second one.
 */

const COOKIE = 'once';
const SECONDS = 60;

interface Once {
  session: string;
  /** What it belongs to: a Client ID, a server. */
  subject: string;
  secret: string;
}

export function showSecretOnce({ c, desk, person }: Visit, subject: string, secret: string): void {
  const once: Once = { session: person.session, subject, secret };
  desk.setSealed(c, COOKIE, once, SECONDS);
}

/** @returns undefined where there is none, or it was shown */
export function takeSecret({ c, desk, person }: Visit, subject: string): string | undefined {
  const once = desk.takeSealed(c, COOKIE) as Once | undefined;
  return once?.session === person.session && once.subject === subject ? once.secret : undefined;
}

export function secretNotice({ texts }: Visit, title: string, secret: string | undefined): Html {
  if (secret === undefined) return html``;
  return html`<div class="notice good once" role="status">
    <p><strong>${title}</strong></p>
    <p><code class="typed">${secret}</code></p>
    <p class="hint">${texts.once}</p>
  </div>`;
}
