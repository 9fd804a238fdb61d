import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import type { ConsoleRequest } from './routes.ts';

const COOKIE = 'console_once';
const SECONDS = 60;

/**
 * A new secret, shown once on the page after the form. It travels in a sealed cookie that lasts a minute, works only for
 * the session that created the secret, and is deleted when read. Because the form redirects, reloading the page does not
 * create a second secret.
 */
interface FlashMessage {
  session: string;
  /** The owner of the secret: a Client ID or the id of a server. */
  subject: string;
  secret: string;
}

/** Sets the cookie for the page after the redirect. */
export function flashSecret({ c, deps, person }: ConsoleRequest, subject: string, secret: string): void {
  const message: FlashMessage = { session: person.session, subject, secret };
  deps.cookies.setSealed(c, COOKIE, message, SECONDS);
}

/** Reads the secret and deletes its cookie. Undefined if there is none for this session and subject. */
export function consumeSecret({ c, deps, person }: ConsoleRequest, subject: string): string | undefined {
  const message = deps.cookies.consumeSealed(c, COOKIE) as FlashMessage | undefined;
  return message?.session === person.session && message.subject === subject ? message.secret : undefined;
}

export function secretNotice({ texts }: ConsoleRequest, title: string, secret: string | undefined): Html {
  if (secret === undefined) return html``;
  return html`<div class="notice good once" role="status">
    <p><strong>${title}</strong></p>
    <p data-copy="${texts.copy}" data-copied="${texts.copied}"><code class="typed">${secret}</code></p>
    <p class="hint">${texts.once}</p>
  </div>`;
}
