import { html } from 'hono/html';
import { LANGUAGES } from '#http/languages.ts';
import { contactLink } from '#http/links.ts';
import { type Html, renderPage } from '#http/page.ts';
import { type PageContent, type PageRequest, SECTIONS } from './page-request.ts';

/** Renders a page of the site with its metadata, header and footer. */
export async function writePage(request: PageRequest, content: PageContent): Promise<string> {
  const { text, deps, language, url } = request;
  const { kind, title, main, scripts, stylesheets } = content;
  const links = SECTIONS.map((section) => ({
    href: `/${section}`,
    label: text.sections[section],
    isCurrent: section === content.section,
  }));
  return await renderPage(deps.shell, {
    language,
    title,
    skip: text.frame.skip,
    head: headOf(request, content),
    nav: { label: text.frame.nav, links },
    aside: searchForm(request),
    main,
    foot: footOf(request),
    url,
    kind,
    scripts,
    stylesheets,
  });
}

function headOf(request: PageRequest, { title, description, path, picture, feed, noIndex }: PageContent): Html {
  const { SITE_URL: site, NETWORK_NAME: network } = request.deps.config;
  const preview = description.length > 300 ? `${description.slice(0, 297)}…` : description;
  const isLocalized = request.url.searchParams.get('lang') === request.language;
  const localized = (language: string): string => `${site}${path}${path.includes('?') ? '&' : '?'}lang=${language}`;
  return html`<meta name="description" content="${preview}" />
    <link rel="canonical" href="${isLocalized ? localized(request.language) : `${site}${path}`}" />
    ${LANGUAGES.map((language) => html`<link rel="alternate" hreflang="${language}" href="${localized(language)}" /> `)}${
      feed === undefined
        ? ''
        : html`<link rel="alternate" type="application/atom+xml" title="${feed.title}" href="${feed.path}" /> `
    }${noIndex ? html`<meta name="robots" content="noindex" /> ` : ''}<meta
      property="og:site_name"
      content="${network}"
    />
    <meta property="og:type" content="website" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${preview}" />
    <meta property="og:url" content="${site}${path}" />
    <meta property="og:locale" content="${request.language === 'ja' ? 'ja_JP' : 'en_GB'}" />
    ${
      picture === undefined
        ? html`<meta name="twitter:card" content="summary" />`
        : html`<meta property="og:image" content="${site}${picture.path}" />
            <meta property="og:image:alt" content="${picture.alt}" />
            <meta name="twitter:card" content="${picture.large ? 'summary_large_image' : 'summary'}" />`
    } `;
}

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
    /><button class="quiet">${text.search.button}</button>
  </form>`;
}

function footOf({ text, deps }: PageRequest): Parameters<typeof renderPage>[1]['foot'] {
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
