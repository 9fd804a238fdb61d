import { html } from 'hono/html';
import { logoOf } from '#base/brand.ts';
import { LANGUAGES } from '#base/languages.ts';
import { type Html, ownPath, type PolicyAdditions, renderPage } from '#base/page.ts';
import type { Visit } from './visit.ts';

/** What one page says; the rest is the same on all. */
export interface PageContent {
  title: string;
  /** A sentence or two for those who see only a link. */
  description: string;
  /** The path that is the page's own, whatever address led here. */
  path: string;
  main: Html;
  /** The part of the site that the page belongs to. */
  part?: Part | undefined;
  /** The path of a picture for those who see only a link. */
  picture?: { path: string; alt: string; large: boolean } | undefined;
  feed?: { path: string; title: string } | undefined;
  status?: number;
  kind?: string;
  /** Scripts and stylesheets that only this page needs, as names of assets. */
  scripts?: readonly string[];
  stylesheets?: readonly string[];
  /** Sources beside our own that only this page's policy allows. */
  policy?: PolicyAdditions;
  /** Whether search engines are to leave the page out. */
  unlisted?: boolean;
}

const PARTS = ['matches', 'maps', 'leaderboards', 'players', 'punishments', 'developers'] as const;
export type Part = (typeof PARTS)[number];

/** Writes a page of the site. */
export async function writePage(visit: Visit, content: PageContent): Promise<string> {
  const { frame } = visit.kit;
  return await renderPage(
    {
      ...frame,
      scripts: [...frame.scripts, ...(content.scripts ?? [])],
      stylesheets: [...frame.stylesheets, ...(content.stylesheets ?? [])],
    },
    {
      language: visit.language,
      title: content.title,
      head: headOf(visit, content),
      header: header(visit, content.part),
      main: content.main,
      footer: footer(visit),
      skip: visit.text.frame.skip,
      kind: content.kind,
    },
  );
}

function headOf(visit: Visit, { title, description, path, picture, feed, unlisted }: PageContent): Html {
  const { SITE_URL: site, NETWORK_NAME: network } = visit.kit.config;
  const short = description.length > 300 ? `${description.slice(0, 297)}…` : description;
  const asked = visit.url.searchParams.get('lang') === visit.language;
  const localized = (language: string): string => `${site}${path}${path.includes('?') ? '&' : '?'}lang=${language}`;
  return html`<meta name="description" content="${short}" />
    <link rel="canonical" href="${asked ? localized(visit.language) : `${site}${path}`}" />
    ${LANGUAGES.map((language) => html`<link rel="alternate" hreflang="${language}" href="${localized(language)}" /> `)}${
      feed === undefined
        ? ''
        : html`<link rel="alternate" type="application/atom+xml" title="${feed.title}" href="${feed.path}" /> `
    }${unlisted ? html`<meta name="robots" content="noindex" /> ` : ''}<meta
      property="og:site_name"
      content="${network}"
    />
    <meta property="og:type" content="website" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${short}" />
    <meta property="og:url" content="${site}${path}" />
    <meta property="og:locale" content="${visit.language === 'ja' ? 'ja_JP' : 'en_GB'}" />
    ${
      picture === undefined
        ? html`<meta name="twitter:card" content="summary" />`
        : html`<meta property="og:image" content="${site}${picture.path}" />
            <meta property="og:image:alt" content="${picture.alt}" />
            <meta name="twitter:card" content="${picture.large ? 'summary_large_image' : 'summary'}" />`
    } `;
}

function header({ text, kit: { config, frame } }: Visit, current: Part | undefined): Html {
  const logo = logoOf(frame.assets) ?? frame.assets.href('favicon.svg');
  return html`<header class="bar">
    <div class="bar-in">
      <a class="brand" href="/"><img src="${logo}" alt="" height="32" /><bdi>${config.NETWORK_NAME}</bdi></a>
      <nav aria-label="${text.frame.nav}">
        <ul class="nav">
          ${PARTS.map(
            (part) =>
              html`<li>
                <a href="/${part}" ${part === current ? html` aria-current="true"` : ''}>${text.parts[part]}</a>
              </li>`,
          )}
        </ul>
      </nav>
      <form class="find" role="search" action="/search">
        <input
          type="search"
          name="q"
          maxlength="64"
          required
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          aria-label="${text.search.label}"
          placeholder="${text.search.placeholder}"
        /><button class="quiet">${text.search.button}</button>
      </form>
    </div>
  </header>`;
}

function footer(visit: Visit): Html {
  const { text, kit, language } = visit;
  const { CONTACT, NETWORK_NAME, TIME_ZONE } = kit.config;
  return html`<footer class="foot">
    <div class="foot-in">
      <p><bdi>${NETWORK_NAME}</bdi> · ${text.frame.zone(TIME_ZONE)}</p>
      <nav aria-label="${text.frame.about}">
        <ul class="nav">
          <li><a href="/developers">${text.parts.developers}</a></li>
          <li><a href="/privacy">${text.frame.privacy}</a></li>
          ${CONTACT === '' ? '' : html`<li><a href="${contactLink(CONTACT)}">${text.frame.contact}</a></li>`}
          ${LANGUAGES.filter((other) => other !== language).map(
            (other) =>
              html`<li>
                <a href="${withLanguage(visit, other)}" hreflang="${other}" lang="${other}">${NAMES[other]}</a>
              </li>`,
          )}
        </ul>
      </nav>
    </div>
  </footer>`;
}

const NAMES = { en: 'English', ja: '日本語' };

function withLanguage(visit: Visit, language: string): string {
  const query = new URLSearchParams(visit.url.searchParams);
  query.set('lang', language);
  return `${ownPath(visit.url)}?${query.toString()}`;
}

/** A mail address becomes a mailto link, an address of the web stays; anything else leads nowhere but home. */
export function contactLink(contact: string): string {
  if (/^https?:\/\//.test(contact)) return contact;
  return /^[^\s@]+@[^\s@]+$/.test(contact) ? `mailto:${contact}` : '/';
}
