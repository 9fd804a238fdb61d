import { html } from 'hono/html';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { requestLanguage } from '#http/cookies.ts';
import type { Html } from '#http/page.ts';
import type { Deps } from '../deps.ts';
import { headersOf, type PageContent, writePage } from '../layout.ts';
import { TEXTS, type Texts } from '#auth/texts/index.ts';

/** The pages that the protocol itself shows: mistakes before an address is proven, and signing out. */
export class ProtocolPages {
  readonly #deps: Pick<Deps, 'config' | 'shell'>;

  constructor(deps: Pick<Deps, 'config' | 'shell'>) {
    this.#deps = deps;
  }

  async error(ctx: KoaContextWithOIDC, out: { error: string; error_description?: string }): Promise<void> {
    await this.#show(ctx, errorPage(textsOf(ctx), out));
  }

  async signOut(ctx: KoaContextWithOIDC): Promise<void> {
    await this.#show(ctx, signOutPage(ctx));
  }

  async signedOut(ctx: KoaContextWithOIDC): Promise<void> {
    await this.#show(ctx, signedOutPage(textsOf(ctx)));
  }

  /**
   * The protocol would have a script send a form on where nothing is to be asked: signing out somebody who is not signed
   * in, or signing in with another account than the browser has. Here a page with a button takes its place.
   */
  async withoutScript(ctx: KoaContextWithOIDC): Promise<void> {
    const secret = ctx.oidc?.session?.state?.['secret'];
    const sendsOn = typeof ctx.body === 'string' && SENDS_TO_SIGN_OUT.test(ctx.body);
    if (sendsOn && typeof secret === 'string') await this.#show(ctx, sendOnPage(ctx, secret));
  }

  async #show(ctx: KoaContextWithOIDC, page: PageContent): Promise<void> {
    const url = ctx.method === 'GET' ? ctx.href : undefined;
    ctx.set(headersOf(page));
    ctx.body = await writePage(this.#deps, textsOf(ctx), page, url);
  }
}

/** Not the form of `response_mode=form_post`, which an application has asked for. */
const SENDS_TO_SIGN_OUT = /document\.forms\[0\]\.submit\(\).*action="[^"]*\/oauth\/logout\/confirm"/s;

function sendOnPage(ctx: KoaContextWithOIDC, secret: string): PageContent {
  const t = textsOf(ctx).sign_out;
  const isSwitch = ctx.oidc.route === 'resume';
  const title = isSwitch ? t.other_title : t.done_title;
  const main = html`<div class="card narrow stack">
    <h1>${title}</h1>
    <p>${isSwitch ? t.other : t.done}</p>
    <form method="post" action="/oauth/logout/confirm">
      <input type="hidden" name="xsrf" value="${secret}" />
      <input type="hidden" name="logout" value="yes" />
      <button>${textsOf(ctx).continue}</button>
    </form>
  </div>`;
  return { title, main, formTargets: targetsOf(ctx) };
}

function textsOf(ctx: KoaContextWithOIDC): Texts {
  const { lang, ui_locales } = ctx.query;
  const uiLocales = ctx.oidc?.params?.['ui_locales'] ?? ui_locales;
  return TEXTS[requestLanguage(ctx.headers, stringOf(lang), stringOf(uiLocales))];
}

const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function errorPage(texts: Texts, out: { error: string; error_description?: string }): PageContent {
  const { problem: t } = texts;
  const expired = out.error_description?.includes('session') || out.error_description?.includes('expired');
  const suspended = out.error === 'unauthorized_client' && out.error_description?.includes('is suspended');
  const title = expired ? t.expired_title : t.title;
  const known = { server_error: t.server, temporarily_unavailable: t.server, rate_limit: t.too_many }[out.error];
  const sentence = known ?? (expired ? t.expired : suspended ? t.stopped : t.client);
  const main = html`<div class="card narrow stack">
    <h1>${title}</h1>
    <p>${sentence}</p>
    <p class="hint">
      ${t.detail}
      <code>${out.error}</code>${out.error_description === undefined ? '' : html`, ${out.error_description}`}
    </p>
  </div>`;
  return { title, main };
}

function signOutPage(ctx: KoaContextWithOIDC): PageContent {
  const { sign_out: t } = textsOf(ctx);
  const name = ctx.oidc.client?.clientName;
  const secret = String(ctx.oidc.session?.state?.['secret']);
  const form = (inner: Html): Html =>
    html`<form method="post" action="/oauth/logout/confirm">
      <input type="hidden" name="xsrf" value="${secret}" />
      ${inner}
    </form>`;
  const main = html`<div class="card narrow stack">
    <h1>${t.title}</h1>
    <p>${name === undefined ? t.lead_alone : t.lead(name)}</p>
    ${form(html`<input type="hidden" name="logout" value="yes" /><button>${t.yes}</button>`)}
    ${form(html`<button class="quiet">${t.no}</button>`)}
  </div>`;
  return { title: t.title, main, formTargets: targetsOf(ctx) };
}

function signedOutPage({ sign_out: t }: Texts): PageContent {
  const main = html`<div class="card narrow stack">
    <h1>${t.done_title}</h1>
    <p>${t.done}</p>
    <p><a class="button" href="/sign-in">${t.sign_in}</a></p>
  </div>`;
  return { title: t.done_title, main };
}

/** Where the forms lead in the end: the address the application wants people back at, which it has registered. */
function targetsOf(ctx: KoaContextWithOIDC): string[] {
  const uri = ctx.oidc.params?.['post_logout_redirect_uri'] ?? ctx.oidc.session?.state?.['postLogoutRedirectUri'];
  if (typeof uri !== 'string' || !URL.canParse(uri)) return [];
  const { protocol, origin } = new URL(uri);
  return [/^https?:$/.test(protocol) ? origin : protocol];
}
