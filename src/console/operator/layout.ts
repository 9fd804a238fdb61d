import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import type { PageContent } from '../layout.ts';
import type { ConsoleRequest } from '../routes.ts';

export type Section = keyof ConsoleRequest['texts']['operator']['sections'];

/** The sections that moderators see. */
const OF_MODERATORS: ReadonlySet<Section> = new Set<Section>(['/punishments', '/names']);

/** The layout of the operator's pages: tabs and heading. */
export function inOperator(
  request: ConsoleRequest,
  section: Section,
  title: string,
  inner: Html,
  status = 200,
): PageContent {
  const { operator: t } = request.texts;
  const { isOperator } = request.person;
  const sections = (Object.entries(t.sections) as [Section, string][]).filter(
    ([path]) => isOperator || OF_MODERATORS.has(path),
  );
  const main = html`<nav aria-label="${request.texts.parts.operator}">
      <ul class="tabs">
        ${sections.map(
          ([path, name]) =>
            html`<li>
              <a href="/console/operator${path}" ${path === section ? html`aria-current="page"` : ''}>${name}</a>
            </li>`,
        )}
      </ul>
    </nav>
    <h1>${title}</h1>
    ${inner}`;
  return { title, main, part: 'operator', status };
}
