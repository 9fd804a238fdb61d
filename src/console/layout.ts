import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import { type Html, pageHeaders, renderPage, linkPreview } from '#http/page.ts';
import { requestedName } from '#store/accounts/accounts.ts';
import type { Context, Deps, Person } from './deps.ts';
import type { Texts } from './texts/index.ts';

/** The content of one page, without the shell that all pages share. */
export interface PageContent {
  title: string;
  main: Html;
  /** The current entry of the main navigation. */
  part?: 'applications' | 'operator';
  status?: number;
}

/** The first page of operators and moderators. */
export const staffPage = ({ isOperator }: Person): string =>
  isOperator ? '/console/operator' : '/console/operator/punishments';

export async function showPage(c: Context, deps: Deps, content: PageContent): Promise<Response> {
  const headers = pageHeaders('no-store', { 'form-action': [deps.config.AUTH_URL] });
  return c.body(await writePage(c, deps, content), (content.status ?? 200) as 200, headers);
}

async function writePage(c: Context, { config, shell }: Deps, { title, main, part }: PageContent): Promise<string> {
  const texts = c.get('texts');
  const person = c.get('person');
  const { applications, operator, moderator } = texts.parts;
  const isStaffPart = part === 'operator';
  const links = [
    ...(person?.isStaff
      ? [{ href: staffPage(person), label: person.isOperator ? operator : moderator, isCurrent: isStaffPart }]
      : []),
    {
      href: person?.isStaff ? '/console/applications' : '/console',
      label: applications,
      isCurrent: part === 'applications',
    },
    { href: '/developers', label: texts.developers },
  ];
  return await renderPage(shell, {
    language: texts.lang,
    title: `${title} · ${texts.console}`,
    head: linkPreview(config, title),
    skip: texts.skip,
    nav: { label: texts.console, links },
    aside: person && personBox(texts, person),
    main: html`${doneNotice(c)} ${main}`,
    foot: {
      note: texts.zone(config.TIME_ZONE),
      links: [{ href: `${config.AUTH_URL}/account`, label: texts.account }],
    },
    // The response to a POST has no URL that can be opened again.
    url: new URL(c.req.method === 'GET' ? c.req.url : `${config.SITE_URL}/console`),
    kind: 'console',
  });
}

/** The outcomes in which nothing was done. */
const REFUSALS: ReadonlySet<string> = new Set<keyof Texts['done']>([
  ...(['stale', 'again', 'gone', 'undecided', 'owns_enough', 'is_off', 'blocked', 'forgotten'] as const),
  ...(['bad_limit', 'bad_logo'] as const),
]);

/** The outcome of the form before, named by the query parameter `done` of the redirect. */
function doneNotice(c: Context): Html {
  const texts = c.get('texts');
  const done = c.req.query('done') ?? '';
  const text = Object.hasOwn(texts.done, done) ? texts.done[done as keyof Texts['done']] : undefined;
  return notice(text, REFUSALS.has(done) ? 'bad' : 'good');
}

/** The hidden field with the session's CSRF token. */
export function tokenField(person: Person | undefined): Html {
  return html`<input type="hidden" name="form_token" value="${person?.formToken ?? ''}" />`;
}

function personBox(texts: Texts, person: Person): Html {
  return html`<div class="who">
    <span><span class="hidden">${texts.signed_in_as} </span><bdi>${requestedName(person.account.name)}</bdi></span>
    <form method="post" action="/console/sign-out">
      ${tokenField(person)}<button class="quiet small">${texts.sign_out}</button>
    </form>
  </div>`;
}
