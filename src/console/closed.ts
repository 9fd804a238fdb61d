import { html } from 'hono/html';
import type { MiddlewareHandler } from 'hono';
import { factorCodeCommand } from '#context/command-name.ts';
import { contactHtml } from '#http/contact.ts';
import type { Deps, Env } from './deps.ts';
import { showPage } from './layout.ts';
import { auditRefusal } from './session.ts';
import { signOut } from './sign-in.ts';

/** Shows a member of staff without the required second factor one page in the place of all others. */
export function closeToUnprotected(deps: Deps): MiddlewareHandler<Env> {
  return async (c, next) => {
    const person = c.get('person');
    if (person?.lacksFactor !== true || c.req.path === `/console${signOut.path}`) return await next();
    if (c.req.method === 'POST') await auditRefusal(c, deps, 'no second factor');
    const { factors: t } = c.get('texts');
    const { CONTACT, AUTH_URL } = deps.config;
    const main = html`<div class="card narrow stack">
      <h1>${t.closed_title}</h1>
      <p>${t.closed}</p>
      <ol>
        <li>${t.closed_code} <code>${factorCodeCommand(person.account.name)}</code></li>
        <li>${t.closed_add}</li>
      </ol>
      ${CONTACT === '' ? '' : html`<p>${t.closed_ask} ${contactHtml(CONTACT)}</p>`}
      <p><a class="button" href="${AUTH_URL}/account/security">${t.closed_link}</a></p>
    </div>`;
    return await showPage(c, deps, { title: t.closed_title, main, status: 403 });
  };
}
