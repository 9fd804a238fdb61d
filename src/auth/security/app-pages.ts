import type { Hono } from 'hono';
import { html } from 'hono/html';
import { fields } from '#http/fields.ts';
import { newTotpSecret, totpSecretText, totpUri } from '#platform/crypto/totp.ts';
import { hasTotp, totpOf } from '#store/accounts/totp.ts';
import type { Context, Deps, Env } from '../deps.ts';
import { addApp, removeApp } from '../factors/changes.ts';
import { showCard } from '../layout.ts';
import type { SignedIn } from '../session.ts';
import { changePage, showRemoval } from './change-page.ts';
import { showCodes } from './codes-pages.ts';
import { PATHS } from './paths.ts';
import { generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';
import type { Html } from '#http/page.ts';

/** Sets up and removes the authenticator app of an account. */
export function appPages(app: Hono<Env>, deps: Deps): void {
  changePage(app, deps, {
    path: PATHS.setUpApp,
    adds: true,
    show: (c, current) => showSetUp(c, deps, current, newTotpSecret()),
    act: async (c, current, { secret = '', code = '' }) => {
      // The secret is in the form, because it counts only with a code of it.
      if (!/^[0-9a-f]{40}$/.test(secret)) return c.redirect(PATHS.setUpApp, 303);
      const { security: t } = c.get('texts');
      const codes = await addApp(c, deps, current, secret, code.replaceAll(/\s/g, ''));
      if (codes !== undefined && codes.length > 0) return await showCodes(c, deps, current, codes, t.app_added);
      // The page with the codes is the response to this form, and loading it again sends the form again.
      if (codes !== undefined || (await hasTotp(deps.db, deps.secretKey, current.account.id, secret)))
        return c.redirect(`${PATHS.security}?done=app_added`, 303);
      return await showSetUp(c, deps, current, secret, t.app_code_wrong);
    },
  });
  changePage(app, deps, {
    path: PATHS.removeApp,
    show: async (c, { account }) => {
      if ((await totpOf(deps.db.shortReads, account.id)) === undefined) return c.redirect(PATHS.security, 303);
      const { security: t } = c.get('texts');
      const what = { title: t.remove_app_title, lead: t.remove_app_lead, action: PATHS.removeApp };
      return await showRemoval(c, deps, account.id, what);
    },
    act: async (c, current) => {
      const isRemoved = await removeApp(c, deps, current);
      return c.redirect(isRemoved ? `${PATHS.security}?done=app_removed` : PATHS.security, 303);
    },
  });
}

async function showSetUp(
  c: Context,
  deps: Deps,
  { account }: SignedIn,
  secret: string,
  error?: string,
): Promise<Response> {
  const { security: t } = c.get('texts');
  const replaces = (await totpOf(deps.db.shortReads, account.id)) !== undefined;
  const uri = totpUri(secret, deps.config.NETWORK_NAME, account.name);
  const content = html`${replaces ? html`<p>${t.app_replaces}</p>` : ''}
    <p>${t.app_scan}</p>
    ${qrCode(uri, t.qr)}
    <p><a href="${uri}">${t.app_open}</a></p>
    <p>${t.app_type}</p>
    <code class="typed key">${totpSecretText(secret)}</code>
    <form class="stack" method="post" action="${PATHS.setUpApp}">
      <input type="hidden" name="secret" value="${secret}" />
      ${fields([{ name: 'code', label: t.app_code, hint: t.app_code_hint, error, autocomplete: 'one-time-code', maxlength: 16 }])}
      <button>${t.app_submit}</button>
    </form>
    <p><a href="${PATHS.security}">${t.back}</a></p>`;
  return await showCard(c, deps, t.app_title, content, { status: error === undefined ? 200 : 422 });
}

/** The margin of a QR code in modules (ISO/IEC 18004). */
const MARGIN = 4;

/** A QR code as a picture within the page, so that no URL holds its text. */
function qrCode(text: string, label: string): Html {
  const code = generate(text);
  const size = code.size + 2 * MARGIN;
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="${-MARGIN} ${-MARGIN} ${size} ${size}">
    <rect x="${-MARGIN}" y="${-MARGIN}" width="${size}" height="${size}" fill="#fff" />
    <path d="${toSvgPath(code)}" fill="#000" shape-rendering="crispEdges" />
  </svg>`;
}
