import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Db } from '#db/db.ts';
import { findConsent } from '#store/accounts/consents.ts';
import { isApprovedByOperator } from '#store/applications/access-requests.ts';
import { applicationByClientId } from '#store/applications/applications.ts';
import { isFirstPartyClient } from '#store/applications/first-party-clients.ts';
import { card } from '#http/page.ts';
import { flowHeaders, type PageContent } from '../layout.ts';
import { translateOutage } from './outage.ts';
import { type ProtocolPages, requestTexts } from './protocol-pages.ts';

const ROUTES: ReadonlySet<string> = new Set(['authorization', 'resume']);
/** The page of oidc-provider that submits the response by script (`response_mode=form_post`). */
const FORM_POST = /^<!DOCTYPE html>.*<title>Submitting Callback<\/title>.*<form method="post" action="/s;

/**
 * Shows a page instead of the redirect of an error, as long as the person has not consented to the application and no
 * operator has approved it (RFC 9700, section 4.11.2): anybody can register an application, and its redirect URI with a
 * wrong request or `prompt=none` would otherwise make the sign-in an open redirector.
 */
export async function guardRedirect(ctx: KoaContextWithOIDC, db: Db, pages: ProtocolPages): Promise<void> {
  if (!ROUTES.has(ctx.oidc?.route ?? '')) return;
  const form = typeof ctx.body === 'string' && FORM_POST.test(ctx.body) ? ctx.body : undefined;
  const target = form === undefined ? errorRedirect(ctx) : String(ctx.oidc.params?.['redirect_uri']);
  if (target === undefined) return;
  const isError = form === undefined || form.includes('name="error"');
  if (isError && !(await translateOutage(isTrusted(ctx, db)))) await pages.show(ctx, errorPage(ctx, target, form));
  else if (form !== undefined) ctx.set(formPostHeaders(form));
}

/** The redirect to the application if it reports an error; undefined for any other response. */
function errorRedirect(ctx: KoaContextWithOIDC): string | undefined {
  const location = ctx.status === 302 || ctx.status === 303 ? ctx.response.get('location') : '';
  const redirectUri = ctx.oidc.params?.['redirect_uri'];
  if (typeof redirectUri !== 'string' || !location.startsWith(redirectUri) || !URL.canParse(location)) return undefined;
  const { searchParams, hash } = new URL(location);
  const isError = searchParams.has('error') || new URLSearchParams(hash.slice(1)).has('error');
  return isError ? location : undefined;
}

async function isTrusted({ oidc }: KoaContextWithOIDC, db: Db): Promise<boolean> {
  const { client, session } = oidc;
  if (client === undefined || session?.grantIdFor(client.clientId) !== undefined) return client !== undefined;
  const application = await applicationByClientId(db, client.clientId);
  if (application !== undefined && (await isApprovedByOperator(db, application))) return true;
  if (await isFirstPartyClient(db, client.clientId)) return true;
  const { accountId } = session ?? {};
  return accountId !== undefined && (await findConsent(db, accountId, client.clientId)) !== undefined;
}

function errorPage(ctx: KoaContextWithOIDC, target: string, form: string | undefined): PageContent {
  const { problem: t } = requestTexts(ctx);
  const { protocol, host } = new URL(target);
  const place = host === '' ? protocol : host;
  const inputs = form === undefined ? '' : (form.match(/<input type="hidden"[^>]*>/g) ?? []).join('');
  const content = html`<p>${t.leaving(place)}</p>
    ${
      form === undefined
        ? html`<p><a href="${target}" rel="noreferrer">${t.leave(place)}</a></p>`
        : html`<form method="post" action="${target}">
            ${raw(inputs)}<button class="quiet">${t.leave(place)}</button>
          </form>`
    }`;
  return { title: t.title, main: card(t.title, content), status: 400 };
}

/** Our headers, with a policy that allows only the script of the page. */
function formPostHeaders(form: string): Record<string, string> {
  const script = /<script>(.*?)<\/script>/s.exec(form)?.[1] ?? '';
  const hash = createHash('sha256').update(script).digest('base64');
  const headers = flowHeaders();
  const policy = headers['content-security-policy']!.replace("script-src 'self'", `script-src 'sha256-${hash}'`);
  return { ...headers, 'content-security-policy': policy };
}
