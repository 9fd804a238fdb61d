import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { factorsOf } from '#store/accounts/factors.ts';
import type { Context, Deps } from '../deps.ts';
import { showPage } from '../layout.ts';
import { PATHS } from './paths.ts';

interface Removal {
  title: string;
  lead: string;
  action: string;
  fields?: Html;
}

/** The question before a factor is removed, which says what follows if it is the last one. */
export async function showRemoval(
  c: Context,
  deps: Deps,
  accountId: string,
  { title, lead, action, fields }: Removal,
): Promise<Response> {
  const { security: t } = c.get('texts');
  const { passkeys, totp } = await factorsOf(deps.db.shortReads, accountId);
  const isLast = passkeys.length + (totp === undefined ? 0 : 1) === 1;
  const main = html`<div class="card narrow stack">
    <h1>${title}</h1>
    <p>${lead}</p>
    ${notice(isLast ? t.remove_last : undefined)}
    <form method="post" action="${action}">${fields ?? ''}<button class="danger">${t.remove.label}</button></form>
    <p><a href="${PATHS.security}">${t.back}</a></p>
  </div>`;
  return await showPage(c, deps, { title, main });
}
