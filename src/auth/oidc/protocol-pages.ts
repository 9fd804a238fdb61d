import { html } from 'hono/html';
import type { KoaContextWithOIDC, UnknownObject } from 'oidc-provider';
import { requestLanguage } from '#http/cookies.ts';
import { COLON } from '#http/languages.ts';
import { card, type Html } from '#http/page.ts';
import type { Deps } from '../deps.ts';
import { applicationsCookie, type ExpiredSignIn, expiredSignIn } from '../expired-sign-ins.ts';
import { flowHeaders, type PageContent, writePage } from '../layout.ts';
import { TEXTS, type Texts } from '#auth/texts/index.ts';
import { describeIn } from './error-descriptions.ts';
import { errors } from './oidc-provider.ts';
import { SuspendedApplication } from './clients.ts';

type PageDeps = Pick<Deps, 'config' | 'shell' | 'db' | 'secure'>;

/** Pages that oidc-provider renders: errors before client and redirect URI are validated, and sign-out. */
export class ProtocolPages {
  readonly #deps: PageDeps;

  constructor(deps: PageDeps) {
    this.#deps = deps;
  }

  async error(ctx: KoaContextWithOIDC, wire: WireError, error: Error): Promise<void> {
    const params = error instanceof errors.SessionNotFound ? ctx.oidc?.entities.Interaction?.params : undefined;
    // The session was renewed by an answer that the browser has not received: the request of the application begins again.
    if (params !== undefined) return ctx.redirect(ctx.oidc.urlFor('authorization') + '?' + parameterText(params));
    const texts = requestTexts(ctx);
    const isExpired = error instanceof errors.SessionNotFound || error instanceof errors.InvalidRequestUri;
    const cookie = ctx.cookies.get(applicationsCookie(this.#deps.secure));
    const expired = isExpired ? await expiredSignIn(this.#deps, texts, ctx.path, cookie) : undefined;
    await this.show(ctx, errorPage(texts, wire, error, expired));
  }

  /** Refuses a request before oidc-provider reads it. */
  async refuse(ctx: KoaContextWithOIDC, description: string): Promise<void> {
    ctx.status = 400;
    const error = new errors.InvalidRequest(description);
    await this.error(ctx, { error: error.error, error_description: description }, error);
  }

  /**
   * Replaces oidc-provider's page that submits the logout form by script, which the CSP forbids, by a page with a button.
   * oidc-provider shows it when there is nothing to confirm: no person is signed in, or the person signs in with another
   * account than the session's.
   */
  async replaceAutoSubmit(ctx: KoaContextWithOIDC): Promise<void> {
    const secret = ctx.oidc?.session?.state?.['secret'];
    const isAutoSubmit = typeof ctx.body === 'string' && AUTO_SUBMIT_LOGOUT.test(ctx.body);
    if (isAutoSubmit && typeof secret === 'string') await this.show(ctx, confirmLogoutPage(ctx, secret));
  }

  async show(ctx: KoaContextWithOIDC, page: PageContent): Promise<void> {
    if (page.status !== undefined) ctx.status = page.status;
    ctx.remove('location');
    const url = ctx.method === 'GET' ? ctx.href : undefined;
    ctx.set(flowHeaders());
    ctx.body = await writePage(this.#deps, requestTexts(ctx), page, url);
  }
}

const parameterText = (params: UnknownObject): string =>
  new URLSearchParams(params as Record<string, string>).toString();

/** Matches only the logout form, not the form of `response_mode=form_post`, which the application has requested. */
const AUTO_SUBMIT_LOGOUT = /document\.forms\[0\]\.submit\(\).*action="[^"]*\/oauth\/logout\/confirm"/s;

function confirmLogoutPage(ctx: KoaContextWithOIDC, secret: string): PageContent {
  const t = requestTexts(ctx).sign_out;
  const isSwitch = ctx.oidc.route === 'resume';
  const title = isSwitch ? t.other_title : t.done_title;
  const content = html`<p>${isSwitch ? t.other : t.done}</p>
    ${isSwitch ? '' : destination(ctx)}
    ${logoutForm(secret, html`${LOGOUT}<button>${requestTexts(ctx).continue}</button>`)}`;
  return { title, main: card(title, content) };
}

const logoutForm = (secret: string, content: Html): Html =>
  html`<form method="post" action="/oauth/logout/confirm">
    <input type="hidden" name="xsrf" value="${secret}" />
    ${content}
  </form>`;
const LOGOUT = html`<input type="hidden" name="logout" value="yes" />`;

export function requestTexts(ctx: KoaContextWithOIDC): Texts {
  const { lang, ui_locales } = ctx.query;
  const uiLocales = ctx.oidc?.params?.['ui_locales'] ?? ui_locales;
  return TEXTS[requestLanguage(ctx.headers, stringOrUndefined(lang), stringOrUndefined(uiLocales))];
}

const stringOrUndefined = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

interface WireError {
  error: string;
  error_description?: string;
}

/** The descriptions of errors are for developers, so the page puts its own sentences before them. */
function errorPage(
  texts: Texts,
  { error: code, error_description: description }: WireError,
  error: Error,
  expired: ExpiredSignIn | undefined,
): PageContent {
  const { problem: t } = texts;
  const byCode = { server_error: t.server, temporarily_unavailable: t.server, rate_limit: t.too_many }[code];
  const byClass = expired?.sentence ?? (error instanceof SuspendedApplication ? t.suspended : t.client);
  const sentence = byCode ?? byClass;
  const title = expired === undefined ? t.title : t.expired_title;
  const link = expired?.link;
  const content = html`<p>${sentence}</p>
    ${link && html`<p><a class="button" href="${link.href}">${link.label}</a></p>`}
    ${developerHint(texts, code, description)}`;
  return { title, main: card(title, content) };
}

function developerHint({ lang, problem }: Texts, code: string, description?: string): Html {
  return html`<p class="hint">
    ${problem.detail}
    <code>${code}</code>${description === undefined ? '' : html`${COLON[lang]}${describeIn(lang, description)}`}
  </p>`;
}

export function signOutPage(ctx: KoaContextWithOIDC): PageContent {
  const { sign_out: t } = requestTexts(ctx);
  const name = ctx.oidc.client?.clientName;
  const secret = String(ctx.oidc.session?.state?.['secret']);
  const content = html`<p>${name === undefined ? t.lead_alone : t.lead(name)}</p>
    ${destination(ctx)} ${logoutForm(secret, html`${LOGOUT}<button>${t.yes}</button>`)}
    ${logoutForm(secret, html`<button class="quiet">${t.no}</button>`)}`;
  return { title: t.title, main: card(t.title, content) };
}

export function signedOutPage(ctx: KoaContextWithOIDC): PageContent {
  const { sign_out: t } = requestTexts(ctx);
  const content = html`<p>${t.done}</p>
    <p><a class="button" href="/sign-in">${t.sign_in}</a></p>`;
  return { title: t.done_title, main: card(t.done_title, content) };
}

function logoutRedirectUri(ctx: KoaContextWithOIDC): string | undefined {
  const uri = ctx.oidc.params?.['post_logout_redirect_uri'] ?? ctx.oidc.session?.state?.['postLogoutRedirectUri'];
  return typeof uri === 'string' && URL.canParse(uri) ? uri : undefined;
}

/**
 * Names the host that follows: anybody can register an application, and the link to this page carries our host. Tells the
 * developer if the address in the request is not registered.
 */
function destination(ctx: KoaContextWithOIDC): Html | '' {
  const uri = logoutRedirectUri(ctx);
  if (uri === undefined)
    return (ctx.query['post_logout_redirect_uri'] ?? '') === ''
      ? ''
      : developerHint(requestTexts(ctx), 'invalid_request', 'post_logout_redirect_uri not registered');
  const { protocol, host } = new URL(uri);
  return html`<p class="hint">${requestTexts(ctx).consent.goes_to(host === '' ? protocol : host)}</p>`;
}
