import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { type Assets, HEADER_COLOURS, logoUrl } from './assets.ts';
import { LANGUAGE_NAMES, LANGUAGES, type Language } from './languages.ts';
import { languageLink } from './links.ts';
import type { Config } from '#platform/config/config.ts';

/** Escaped HTML, the result of `html` of hono/html. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** Renders the parts between backticks as `<code>`. */
export function inline(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** A narrow card with the heading of the page, the main part of most pages of the sign-in. */
export const card = (title: string, content: Html): Html =>
  html`<div class="card narrow stack">
    <h1>${title}</h1>
    ${content}
  </div>`;

/** A part of a page with a heading. @param kind its class */
export const section = (id: string, heading: Html | string, content: Html, kind = 'card'): Html =>
  html`<section class="${kind}" aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    ${content}
  </section>`;

/** An item of a list of rows, with a smaller text about it, and what can be done with it. */
export const rowItem = (what: Html | string, hint: Html | string = '', ...acts: (Html | string)[]): Html =>
  html`<li>
    <span class="what">${what}${hint === '' ? '' : html` <span class="hint">${hint}</span>`}</span>
    ${acts}
  </li>`;

/** The parts that all pages of a service share. */
export interface PageShell {
  /** The network's name, at the end of every title. */
  network: string;
  /** The link of the network's name in the header. */
  home: string;
  assets: Assets;
  /** Asset names in order: `['base.css', 'site.css']`. */
  stylesheets: readonly string[];
  scripts: readonly string[];
}

interface Link {
  href: string;
  label: string;
  isCurrent?: boolean;
}

export interface Page {
  language: Language;
  title: string;
  /** "Skip to content" in the language of the page. */
  skip: string;
  /** Additional elements of `<head>`: description, canonical URL, Open Graph image. */
  head?: Html | undefined;
  /** `menu`: the label of the button that opens the navigation in narrow windows; without it, the links always show. */
  nav?: { label: string; links: readonly Link[]; menu?: string };
  /** The right end of the header: search form, account menu. */
  aside?: Html | undefined;
  main: Html;
  foot: { label?: string; note?: string; links: readonly Link[] };
  /** The URL of the page, for its links to other languages. */
  url: URL;
  /** The class of `<body>`. */
  kind?: string | undefined;
  /** Asset names that only this page needs. */
  scripts?: readonly string[] | undefined;
}

/** Renders a whole page. Inline scripts and styles are not allowed, see `pageHeaders`. */
export async function renderPage(shell: PageShell, page: Page): Promise<string> {
  const { assets, network } = shell;
  const title = page.title === network ? network : `${page.title} · ${network}`;
  const scripts = [...shell.scripts, ...(page.scripts ?? [])];
  const written = await html`<!doctype html>
<html lang="${page.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${shell.stylesheets.map((name) => html`<link rel="stylesheet" href="${assets.href(name)}" /> `)}
${Object.entries(HEADER_COLOURS).map(([scheme, colour]) => html`<meta name="theme-color" media="(prefers-color-scheme: ${scheme})" content="${colour}" /> `)}
<link rel="icon" type="image/svg+xml" href="${assets.href('favicon.svg')}">
<link rel="apple-touch-icon" href="${assets.href('touch-icon.png')}">
${scripts.map((name) => html`<script type="module" src="${assets.href(name)}"></script> `)}${page.head ?? ''}
</head>
<body${page.kind === undefined ? '' : html` class="${page.kind}"`}>
<a class="skip" href="#main">${page.skip}</a>
${header(shell, page)}
<main id="main" tabindex="-1">${page.main}</main>
${footer(shell, page)}
</body>
</html>`;
  return written.toString();
}

function header({ assets, network, home }: PageShell, { nav, aside }: Page): Html {
  const logo = logoUrl(assets) ?? assets.href('favicon.svg');
  return html`<header class="bar">
    <div class="bar-in">
      <a class="brand" href="${home}"><img src="${logo}" alt="" height="32" /><bdi>${network}</bdi></a>
      ${nav && navigation(nav)} ${aside}
    </div>
  </header>`;
}

/** A popover needs no script. In wide windows the stylesheet shows it as part of the header. */
function navigation({ label, links, menu }: NonNullable<Page['nav']>): Html {
  const items = html`<ul class="nav">
    ${links.map(linkItem)}
  </ul>`;
  if (menu === undefined) return html`<nav aria-label="${label}">${items}</nav>`;
  return html`<nav class="main-nav" id="main-nav" popover aria-label="${label}">${items}</nav>
    <button class="menu-button quiet" popovertarget="main-nav" aria-label="${menu}">
      <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true"><path d="M2 4h16M2 10h16M2 16h16" /></svg>
    </button>`;
}

function footer({ network }: PageShell, { language, foot, url }: Page): Html {
  const links = html`<ul class="nav">
    ${foot.links.map(linkItem)}
    ${LANGUAGES.filter((other) => other !== language).map(
      (other) =>
        html`<li>
          <a href="${languageLink(url, other)}" hreflang="${other}" lang="${other}">${LANGUAGE_NAMES[other]}</a>
        </li>`,
    )}
  </ul>`;
  return html`<footer class="foot">
    <div class="foot-in">
      <p><bdi>${network}</bdi>${foot.note === undefined ? '' : ` · ${foot.note}`}</p>
      ${foot.label === undefined ? links : html`<nav aria-label="${foot.label}">${links}</nav>`}
    </div>
  </footer>`;
}

const linkItem = ({ href, label, isCurrent }: Link): Html =>
  html`<li><a href="${href}" ${isCurrent ? html`aria-current="true"` : ''}>${label}</a></li>`;

/**
 * Additional sources for the Content-Security-Policy, by directive: `{ 'form-action': ['https://…'] }`; null leaves a directive
 * out.
 */
export type PolicyAdditions = Partial<Record<'form-action' | 'img-src' | 'connect-src', readonly string[] | null>>;

/**
 * The headers of every page. Its Content-Security-Policy allows only our own files and forbids framing.
 * @param cacheControl `Cache-Control`; the default suits pages that show one person's data
 */
export function pageHeaders(cacheControl = 'no-store', additions: PolicyAdditions = {}): Record<string, string> {
  const policy = Object.entries(POLICY).flatMap(([directive, sources]) => {
    const added = additions[directive as keyof PolicyAdditions];
    return added === null ? [] : [[directive, sources, ...(added ?? [])].join(' ')];
  });
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': cacheControl,
    'referrer-policy': 'strict-origin-when-cross-origin',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), browsing-topics=()',
  };
}

const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'manifest-src': "'self'",
  'form-action': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
};

/** The `<head>` elements with which chats show a link to a page of the console or the sign-in: the card of the site. */
export function linkPreview({ SITE_URL, NETWORK_NAME }: Config, title: string): Html {
  return html`<meta property="og:site_name" content="${NETWORK_NAME}" />
    <meta property="og:title" content="${title}" />
    <meta property="og:image" content="${SITE_URL}/cards/site.png" />
    <meta name="twitter:card" content="summary_large_image" />`;
}
