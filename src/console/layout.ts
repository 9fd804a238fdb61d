import { html } from 'hono/html';
import { notice } from '#base/form.ts';
import { logoOf } from '#base/brand.ts';
import { type Html, renderPage } from '#base/page.ts';
import type { Language } from '#base/languages.ts';
import type { Ask, Desk } from './desk.ts';
import type { Person } from './person.ts';
import { TEXTS, type Texts } from './texts/index.ts';

export const PARTS = ['applications', 'operator'] as const;

/** What one page says; the rest is the same on all. */
export interface Page {
  title: string;
  main: Html;
  part?: (typeof PARTS)[number];
  status?: number;
}

export async function writePage(desk: Desk, c: Ask, { title, main, part }: Page): Promise<string> {
  const texts = c.get('texts');
  const person = c.get('person');
  return await renderPage(desk.frame, {
    language: texts.lang as Language,
    title: `${title} · ${texts.console}`,
    header: headerOf(desk, texts, person, part),
    main: html`${doneNotice(c)} ${main}`,
    footer: footerOf(desk, texts, c),
    skip: texts.skip,
    kind: 'console',
  });
}

/** Says what came of the form before, as the address tells. */
function doneNotice(c: Ask): Html {
  const texts = c.get('texts');
  const done = c.req.query('done') ?? '';
  const text = Object.hasOwn(texts.done, done) ? texts.done[done as keyof Texts['done']] : undefined;
  return notice(text, /^(stale|gone|bad_.*)$/.test(done) ? 'bad' : 'good');
}

/** The field by which a form shows which session its page belongs to. */
export function tokenField(person: Person | undefined): Html {
  return html`<input type="hidden" name="form_token" value="${person?.formToken ?? ''}" />`;
}

function headerOf(
  { frame: { assets, network } }: Desk,
  texts: Texts,
  person: Person | undefined,
  current: Page['part'],
): Html {
  const logo = logoOf(assets) ?? assets.href('favicon.svg');
  const link = (part: (typeof PARTS)[number], path: string): Html =>
    html`<li><a href="${path}" ${part === current ? html`aria-current="true"` : ''}>${texts.parts[part]}</a></li>`;
  return html`<header class="bar">
    <div class="bar-in">
      <a class="brand" href="/"><img src="${logo}" alt="" height="32" /><bdi>${network}</bdi></a>
      <nav aria-label="${texts.console}">
        <ul class="nav">
          ${link('applications', '/console')} ${person?.isOperator ? link('operator', '/console/operator') : ''}
          <li><a href="/developers">${texts.developers}</a></li>
        </ul>
      </nav>
      ${person === undefined ? '' : whoIsIn(texts, person)}
    </div>
  </header>`;
}

function whoIsIn(texts: Texts, person: Person): Html {
  return html`<div class="who">
    <span><span class="hidden">${texts.signed_in_as} </span><bdi>${person.account.name}</bdi></span>
    <form method="post" action="/console/sign-out">
      ${tokenField(person)}<button class="quiet small">${texts.sign_out}</button>
    </form>
  </div>`;
}

function footerOf({ config }: Desk, texts: Texts, c: Ask): Html {
  const others = Object.values(TEXTS).filter(({ lang }) => lang !== texts.lang);
  return html`<footer class="foot">
    <div class="foot-in">
      <p><bdi>${config.NETWORK_NAME}</bdi> · ${texts.zone(config.TIME_ZONE)}</p>
      <ul class="nav">
        <li><a href="${config.AUTH_URL}/account">${texts.account}</a></li>
        ${others.map(
          ({ lang, language }) =>
            html`<li><a href="${withLanguage(c, lang)}" hreflang="${lang}" lang="${lang}">${language}</a></li>`,
        )}
      </ul>
    </div>
  </footer>`;
}

/** The same page in another language; the answer to a form has no address of its own. */
function withLanguage(c: Ask, lang: string): string {
  const { pathname, searchParams } = new URL(c.req.method === 'GET' ? c.req.url : '/console', 'http://here');
  searchParams.set('lang', lang);
  searchParams.delete('done');
  return `${pathname}?${searchParams.toString()}`;
}
