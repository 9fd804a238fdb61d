import { html } from 'hono/html';
import { logoOf } from '#base/brand.ts';
import type { Config } from '#base/config.ts';
import { type Frame, type Html, ownPath, renderPage } from '#base/page.ts';
import type { Language } from '#base/languages.ts';
import { TEXTS, type Texts } from './texts/index.ts';

/** What one page says; the rest is the same on all. */
export interface Page {
  title: string;
  main: Html;
  /** Where the forms of the page lead in the end beside this service: origins, or schemes like `myapp:`. */
  formTargets?: string[];
  status?: number;
}

/** @param url of the page, for the links to it in other languages; the answer to a form has none */
export async function writePage(
  frame: Frame,
  config: Config,
  texts: Texts,
  { title, main }: Page,
  url: string | undefined,
): Promise<string> {
  const language = texts.lang as Language;
  const [header, footer] = [headerOf(frame, config), footerOf(config, texts, url)];
  return await renderPage(frame, { language, title, header, main, footer, skip: texts.skip });
}

function headerOf({ assets, network }: Frame, { SITE_URL }: Config): Html {
  const logo = logoOf(assets) ?? assets.href('favicon.svg');
  return html`<header class="bar">
    <div class="bar-in">
      <a class="brand" href="${SITE_URL}/"><img src="${logo}" alt="" height="32" /><bdi>${network}</bdi></a>
    </div>
  </header>`;
}

function footerOf({ CONTACT, NETWORK_NAME }: Config, texts: Texts, url: string | undefined): Html {
  const others = Object.values(TEXTS).filter(({ lang }) => lang !== texts.lang);
  return html`<footer class="foot">
    <div class="foot-in">
      <p><bdi>${NETWORK_NAME}</bdi></p>
      <ul class="nav">
        ${/^https?:\/\/|@/.test(CONTACT) ? html`<li><a href="${contactLink(CONTACT)}">${texts.contact}</a></li>` : ''}
        ${others.map(
          ({ lang, language }) =>
            html`<li><a href="${withLanguage(url, lang)}" hreflang="${lang}" lang="${lang}">${language}</a></li>`,
        )}
      </ul>
    </div>
  </footer>`;
}

function contactLink(contact: string): string {
  return /^(https?|mailto):/.test(contact) ? contact : `mailto:${contact}`;
}

function withLanguage(url: string | undefined, lang: string): string {
  const page = new URL(url ?? '/account', 'http://here');
  page.searchParams.set('lang', lang);
  return `${ownPath(page)}?${page.searchParams.toString()}`;
}
