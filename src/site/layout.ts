import { html } from 'hono/html';
import { LANGUAGES } from '#http/languages.ts';
import { contactLink } from '#http/links.ts';
import { type Html, renderPage } from '#http/page.ts';
import { liveStatus } from './live.ts';
import {
  CARD_SIZE,
  type PageContent,
  type PageRequest,
  type Picture,
  SECTIONS,
  type SignedIn,
} from './page-request.ts';
import { personMenu } from './person.ts';

/** Renders a page of the site with its metadata, header and footer. */
export async function writePage(
  request: PageRequest,
  content: PageContent,
  person: SignedIn | undefined,
): Promise<string> {
  const { text, deps, language, url } = request;
  const { kind, title, main, live, scripts = [] } = content;
  const links = SECTIONS.map((section) => ({
    href: `/${section}`,
    label: text.sections[section],
    isCurrent: section === content.section,
  }));
  return await renderPage(deps.shell, {
    language,
    title,
    skip: text.frame.skip,
    head: metadata(request, content),
    nav: { label: text.frame.nav, links, menu: text.frame.menu },
    aside: html`${searchForm(request)} ${personMenu(request, person)}`,
    main: live === undefined ? main : html`${main} ${await liveStatus(livePath(request, content), live)}`,
    foot: footer(request),
    url,
    kind,
    scripts: live === undefined ? scripts : [...scripts, 'live.js'],
  });
}

/** Renders a refusal without header and footer, because clients beyond their limit may cause thousands of it a second. */
export async function writeRefusal({ deps, language }: PageRequest, title: string, main: Html): Promise<string> {
  const { assets, network, stylesheets } = deps.shell;
  const written = await html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${network}</title>
        ${stylesheets.map((name) => html`<link rel="stylesheet" href="${assets.href(name)}" /> `)}
      </head>
      <body>
        <main id="main">${main}</main>
      </body>
    </html>`;
  return written.toString();
}

/** The address of a page for `/live`, with the one parameter on which a part depends. */
function livePath({ url }: PageRequest, { path }: PageContent): string {
  const players = url.searchParams.get('players');
  return players === null || !path.startsWith('/matches/') ? path : `${path}?players=${encodeURIComponent(players)}`;
}

function metadata(request: PageRequest, { title, description, path, picture, feeds = [], noIndex }: PageContent): Html {
  const { SITE_URL: site, NETWORK_NAME: network } = request.deps.config;
  const preview = description.length > 300 ? `${description.slice(0, 297)}…` : description;
  const isLocalized = request.url.searchParams.get('lang') === request.language;
  const localized = (language: string): string => `${site}${path}${path.includes('?') ? '&' : '?'}lang=${language}`;
  return html`<meta name="description" content="${preview}" />
    <link rel="canonical" href="${isLocalized ? localized(request.language) : `${site}${path}`}" />
    ${LANGUAGES.map((language) => html`<link rel="alternate" hreflang="${language}" href="${localized(language)}" /> `)}${feeds.map(
      (feed) => html`<link rel="alternate" type="application/atom+xml" title="${feed.title}" href="${feed.path}" /> `,
    )}${noIndex ? html`<meta name="robots" content="noindex" /> ` : ''}<meta
      property="og:site_name"
      content="${network}"
    />
    <meta property="og:type" content="website" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${preview}" />
    <meta property="og:url" content="${site}${path}" />
    <meta property="og:locale" content="${request.language === 'ja' ? 'ja_JP' : 'en_GB'}" />
    ${pictureTags(request, picture ?? { path: '/cards/site.png', alt: network, large: true })} `;
}

/** The image of link previews. Cards are large and have one size; they are in the language of the page. */
function pictureTags({ deps, language }: PageRequest, { path, alt, large }: Picture): Html {
  const suffix = large && language !== LANGUAGES[0] ? `${path.includes('?') ? '&' : '?'}lang=${language}` : '';
  return html`<meta property="og:image" content="${deps.config.SITE_URL}${path}${suffix}" />
    ${
      large
        ? html`<meta property="og:image:width" content="${CARD_SIZE.width}" />
            <meta property="og:image:height" content="${CARD_SIZE.height}" />`
        : ''
    }
    <meta property="og:image:alt" content="${alt}" />
    <meta name="twitter:card" content="${large ? 'summary_large_image' : 'summary'}" />`;
}

const SEARCH_ICON = html`<svg width="18" height="18" viewBox="0 0 20 20" aria-hidden="true">
  <circle cx="8.5" cy="8.5" r="5.5" />
  <path d="M13 13l5 5" />
</svg>`;

/** The search field; in narrow windows the stylesheet shows the link instead. */
function searchForm({ text }: PageRequest): Html {
  return html`<form class="find" role="search" action="/search">
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
      /><button class="quiet" aria-label="${text.search.button}">${SEARCH_ICON}</button>
    </form>
    <a class="find-link" href="/search" aria-label="${text.search.button}">${SEARCH_ICON}</a>`;
}

function footer({ text, deps }: PageRequest): Parameters<typeof renderPage>[1]['foot'] {
  const { CONTACT, TIME_ZONE } = deps.config;
  const contact = contactLink(CONTACT);
  return {
    label: text.frame.about,
    note: text.frame.zone(TIME_ZONE),
    links: [
      { href: '/developers', label: text.sections.developers },
      { href: '/privacy', label: text.frame.privacy },
      ...(contact === undefined ? [] : [{ href: contact, label: text.frame.contact }]),
    ],
  };
}
