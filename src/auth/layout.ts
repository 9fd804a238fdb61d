import { html } from 'hono/html';
import { contactLink } from '#http/links.ts';
import { card, type Html, pageHeaders, renderPage, linkPreview } from '#http/page.ts';
import type { Context, Deps } from './deps.ts';
import type { Texts } from './texts/index.ts';

/** The script of the page with the code that links a game account. */
export const LINK_SCRIPT = 'link.js';

/** The parts of a page that differ from page to page. */
export interface PageContent {
  title: string;
  main: Html;
  status?: number;
  /** Shown after the name of the network in the footer. */
  note?: string;
  /** Asset names that only this page needs. */
  scripts?: readonly string[];
}

type Pages = Pick<Deps, 'config' | 'shell'>;

/** What a link of a mail does, once the person confirms it. */
export interface Question {
  title: string;
  lead: Html;
  /** The path of the form. */
  action: string;
  /** The secret of the link; a signed-in person needs none. */
  token?: string;
  submit: string;
}

/** Asks before a link of a mail takes effect. A GET changes nothing, because mail programs open links to check them. */
export async function showQuestion(
  c: Context,
  deps: Deps,
  { title, lead, action, token, submit }: Question,
): Promise<Response> {
  const content = html`${lead}
    <form method="post" action="${action}">
      ${token === undefined ? '' : html`<input type="hidden" name="token" value="${token}" />`}
      <button>${submit}</button>
    </form>`;
  return await showCard(c, deps, title, content);
}

/** The page of the sign-in to an application, by the id of its interaction; without one the way to the account page. */
export const signInPath = (uid = ''): string => (uid === '' ? '/sign-in' : `/sign-in/${uid}`);

/** Shows a page that is one card. */
export async function showCard(
  c: Context,
  deps: Deps,
  title: string,
  content: Html,
  more: Pick<PageContent, 'status' | 'scripts'> = {},
): Promise<Response> {
  return await showPage(c, deps, { title, main: card(title, content), ...more });
}

export async function showPage(c: Context, deps: Deps, content: PageContent): Promise<Response> {
  const url = c.req.method === 'GET' ? c.req.url : undefined;
  const body = await writePage(deps, c.get('texts'), content, url);
  return c.body(body, (content.status ?? 200) as 200, isAccountPage(c.req.path) ? pageHeaders() : flowHeaders());
}

/** @param url of the page, for its links to other languages; the response to a POST has no URL to link to */
export async function writePage(
  { config, shell }: Pages,
  texts: Texts,
  { title, main, note, scripts }: PageContent,
  url = `${config.AUTH_URL}/account`,
): Promise<string> {
  const { lang: language, skip, contact: label } = texts;
  const contact = contactLink(config.CONTACT);
  const foot = { ...(note !== undefined && { note }), links: contact === undefined ? [] : [{ href: contact, label }] };
  const head = linkPreview(config, title);
  return await renderPage(shell, { language, title, skip, head, main, foot, scripts, url: new URL(url) });
}

/** Pages of the account; all other pages belong to a flow. */
const isAccountPage = (path: string): boolean => /^\/account(\/|$)/.test(path);

/**
 * The headers of a page whose forms may resume a sign-in, or sign out. Browsers apply `form-action` to every redirect that
 * follows a form, also to those of the application, so the policy does not have it. No `Cross-Origin-Opener-Policy` either: applications open these
 * pages in a popup and follow it by its `location` and `closed`.
 */
export function flowHeaders(): Record<string, string> {
  const { 'cross-origin-opener-policy': _, ...headers } = pageHeaders('no-store', { 'form-action': null });
  return headers;
}
