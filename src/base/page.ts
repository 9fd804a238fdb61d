import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { Assets } from './assets.ts';
import type { Language } from './languages.ts';

/** HTML whose every part is escaped: what `html` of hono/html gives. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The frame of every page of one door: what does not change from page to page. */
export interface Frame {
  /** The network's name, which ends every title. */
  network: string;
  assets: Assets;
  /** Names of assets, in order: `['base.css', 'site.css']`. */
  stylesheets: readonly string[];
  scripts: readonly string[];
}

export interface Page {
  language: Language;
  title: string;
  /** What only this page has in its head: description, canonical address, pictures to share. */
  head?: Html | undefined;
  header: Html;
  main: Html;
  footer: Html;
  /** A name for the stylesheet: `<body class="…">`. */
  kind?: string | undefined;
  /** "Skip to content", in the page's language. */
  skip: string;
}

/** Writes a whole page. Nothing in it is inline script or style: see `pageHeaders`. */
export async function renderPage(frame: Frame, page: Page): Promise<string> {
  const { assets } = frame;
  const title = page.title === frame.network ? page.title : `${page.title} · ${frame.network}`;
  const written = await html`<!doctype html>
<html lang="${page.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${frame.stylesheets.map((name) => html`<link rel="stylesheet" href="${assets.href(name)}" /> `)}${
    assets.has('favicon.svg')
      ? html`<link rel="icon" type="image/svg+xml" href="${assets.href('favicon.svg')}" /> `
      : ''
  }${frame.scripts.map((name) => html`<script type="module" src="${assets.href(name)}"></script> `)}${page.head ?? ''}
</head>
<body${page.kind === undefined ? '' : html` class="${page.kind}"`}>
<a class="skip" href="#main">${page.skip}</a>
${page.header}
<main id="main" tabindex="-1">${page.main}</main>
${page.footer}
</body>
</html>`;
  return written.toString();
}

/** A page's own path, for links to it: two slashes at its start would name a host. */
export function ownPath({ pathname }: Pick<URL, 'pathname'>): string {
  return pathname.replace(/^[/\\]+/, '/');
}

/** Sources beside our own that a page's Content-Security-Policy allows, by directive: `{ 'form-action': ['https://…'] }`. */
export type PolicyAdditions = Partial<Record<'form-action' | 'img-src' | 'connect-src', readonly string[]>>;

/**
 * The headers that every page carries: a policy that runs and shows nothing but our own files, and no framing.
 * @param cacheControl how caches may keep the page: `no-store` for what is one person's
 */
export function pageHeaders(cacheControl = 'no-store', additions: PolicyAdditions = {}): Record<string, string> {
  const policy = Object.entries(POLICY).map(([directive, sources]) =>
    [directive, sources, ...(additions[directive as keyof PolicyAdditions] ?? [])].join(' '),
  );
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': cacheControl,
    'referrer-policy': 'strict-origin-when-cross-origin',
    'x-content-type-options': 'nosniff',
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
