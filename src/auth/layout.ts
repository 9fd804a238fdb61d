import { contactLink } from '#http/links.ts';
import { linkPreview } from '#http/link-preview.ts';
import { type Html, pageHeaders, renderPage } from '#http/page.ts';
import type { Context, Deps } from './deps.ts';
import type { Texts } from './texts/index.ts';

/** The parts of a page that differ from page to page. */
export interface PageContent {
  title: string;
  main: Html;
  /**
   * Other origins, or schemes like `myapp:`, that the forms of the page redirect to in the end. They go into the CSP's
   * `form-action`, because Chromium applies it to the whole chain of redirects.
   */
  formTargets?: string[];
  status?: number;
  /** Shown after the name of the network in the footer. */
  note?: string;
  /** Asset names that only this page needs. */
  scripts?: readonly string[];
}

type Pages = Pick<Deps, 'config' | 'shell'>;

export async function showPage(c: Context, deps: Deps, content: PageContent): Promise<Response> {
  const url = c.req.method === 'GET' ? c.req.url : undefined;
  const body = await writePage(deps, c.get('texts'), content, url);
  return c.body(body, (content.status ?? 200) as 200, headersFor(c.req.path, content));
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

/**
 * The origin or own scheme of a URI, for `formTargets`. None for a host with characters that mean something in a policy,
 * which applications registered before such hosts were refused may have.
 */
export function formTargetsFor(uri: string): string[] {
  const { protocol, origin } = new URL(uri);
  const target = /^https?:$/.test(protocol) ? origin : protocol;
  return /[;,\s]/.test(target) ? [] : [target];
}

/**
 * The headers of a page of a sign-in. Without `Cross-Origin-Opener-Policy`, because applications open these pages in a popup
 * and follow it by its `location` and `closed`.
 */
export function formHeaders(content: PageContent): Record<string, string> {
  const { [OPENER_POLICY]: _, ...headers } = accountHeaders(content);
  return headers;
}

const OPENER_POLICY = 'cross-origin-opener-policy';

function headersFor(path: string, content: PageContent): Record<string, string> {
  return /^\/account(\/|$)/.test(path) ? accountHeaders(content) : formHeaders(content);
}

function accountHeaders({ formTargets = [] }: PageContent): Record<string, string> {
  return pageHeaders('no-store', { 'form-action': formTargets });
}
