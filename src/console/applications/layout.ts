import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { logoImage, stateBadge } from '../components.ts';
import { confirmationCard, type Confirmation } from '../confirmation.ts';
import type { PageContent } from '../layout.ts';
import type { OwnedRequest } from '../routes.ts';

const TABS = ['', '/access', '/usage', '/webhooks', '/settings'] as const;
type Tab = (typeof TABS)[number];

/**
 * The layout of an application's pages: heading, tabs and, if it is suspended, the reason.
 * @param title of the tab; empty for the overview
 * @param status default: a form is answered by a page if it has a problem
 */
export async function inApplication(
  request: OwnedRequest,
  tab: Tab,
  title: string,
  inner: Html,
  status = request.c.req.method === 'POST' ? 422 : 200,
): Promise<PageContent> {
  const { application, texts } = request;
  const root = `/console/applications/${application.client_id}`;
  const main = html`<div class="heading">
      <div class="row">
        ${logoImage(application, 48)}
        <h1><bdi>${application.name}</bdi></h1>
        ${stateBadge(texts, application)}
      </div>
    </div>
    <nav aria-label="${application.name}">
      <ul class="tabs">
        ${TABS.map(
          (path) =>
            html`<li>
              <a href="${root}${path}" ${path === tab ? html`aria-current="page"` : ''}>${texts.tabs[path]}</a>
            </li>`,
        )}
      </ul>
    </nav>
    ${notice(application.suspended === null ? undefined : texts.suspended.why[application.suspended], 'bad')} ${inner}`;
  return {
    title: title === '' ? application.name : `${title} · ${application.name}`,
    main,
    part: 'applications',
    status,
  };
}

/** The page before an act of owners that cannot be undone. Its link to cancel leads to the tab. */
export async function confirmInApplication(
  request: OwnedRequest,
  { tab, ...act }: Omit<Confirmation, 'back'> & { tab: Tab },
): Promise<PageContent> {
  const back = `/applications/${request.application.client_id}${tab}`;
  const card = confirmationCard(request, { ...act, back, heading: act.title });
  return await inApplication(request, tab, act.title, card, 200);
}
