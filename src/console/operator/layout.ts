import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { countWaitingTasks, MAX_COUNTED } from '#store/installation/waiting-tasks.ts';
import { number } from '../components.ts';
import type { PageContent } from '../layout.ts';
import type { ConsoleRequest } from '../routes.ts';
import { type Confirmation, confirmationCard } from '../confirmation.ts';

export type Section = keyof ConsoleRequest['texts']['operator']['sections'];

/** The sections that moderators see. */
const OF_MODERATORS: ReadonlySet<Section> = new Set<Section>(['/punishments', '/names']);

/**
 * The layout of the operator's pages: the search and the list of sections beside the page, and the heading.
 * @param section undefined for the page of the search
 * @param status default: a form is answered by a page if it has a problem
 */
export async function inOperator(
  request: ConsoleRequest,
  section: Section | undefined,
  title: string,
  inner: Html,
  status = request.c.req.method === 'POST' ? 422 : 200,
): Promise<PageContent> {
  const main = html`<div class="beside">
    ${await sideNavigation(request, section, title)}
    <div class="content">
      <h1>${title}</h1>
      ${inner}
    </div>
  </div>`;
  return { title, main, part: 'operator', status };
}

/** In narrow windows it is a popover, which needs no script. */
async function sideNavigation(request: ConsoleRequest, current: Section | undefined, title: string): Promise<Html> {
  const { operator: t, parts } = request.texts;
  const { isOperator } = request.person;
  const counts = isOperator ? await countsBySection(request) : {};
  const sections = (Object.entries(t.sections) as [Section, string][]).filter(
    ([path]) => isOperator || OF_MODERATORS.has(path),
  );
  const items = sections.map(
    ([path, name]) =>
      html`<li>
        <a href="/console/operator${path}" ${path === current ? html`aria-current="page"` : ''}
          >${name}${count(request, counts[path])}</a
        >
      </li>`,
  );
  const waiting = Object.values(counts).reduce((sum, one) => sum + one, 0);
  return html`<button class="quiet side-button" popovertarget="sections">
      <svg width="18" height="18" viewBox="0 0 20 20" aria-hidden="true"><path d="M2 4h16M2 10h16M2 16h16" /></svg>
      ${current === undefined ? title : t.sections[current]}${count(request, waiting)}
    </button>
    <nav class="side" id="sections" popover aria-label="${isOperator ? parts.operator : parts.moderator}">
      ${current === undefined ? '' : searchField(request)}
      <ul>
        ${items}
      </ul>
    </nav>`;
}

/** Searches everything; the page of the search has its own field. */
function searchField({ texts: { search: t } }: ConsoleRequest): Html {
  return html`<form action="/console/operator/search" role="search">
    <input name="q" type="search" maxlength="64" autocomplete="off" aria-label="${t.label}" placeholder="${t.title}" />
  </form>`;
}

async function countsBySection({ deps }: ConsoleRequest): Promise<Partial<Record<Section, number>>> {
  const { decisions, jobs } = await countWaitingTasks(deps.db);
  return { '': decisions, '/jobs': jobs };
}

function count(request: ConsoleRequest, waiting = 0): Html | '' {
  if (waiting === 0) return '';
  const text = waiting < MAX_COUNTED ? number(request, waiting) : `${number(request, MAX_COUNTED - 1)}+`;
  return html` <span class="count">${text}<span class="hidden"> ${request.texts.operator.waiting_tasks}</span></span>`;
}

export interface Act extends Confirmation {
  section: Section;
}

/** The page before an act of operators. */
export async function confirmationPage(request: ConsoleRequest, { section, title, ...act }: Act): Promise<PageContent> {
  return await inOperator(request, section, title, confirmationCard(request, act), 200);
}
