import { html } from 'hono/html';
import type { Html } from '#base/page.ts';
import type { Page } from '../layout.ts';
import type { Visit } from '../rows.ts';

export type Section = keyof Visit['texts']['operator']['sections'];

/** The frame of the operator's pages. */
export function inOperator(visit: Visit, section: Section, title: string, inner: Html, status = 200): Page {
  const { operator: t } = visit.texts;
  const sections = Object.entries(t.sections) as [Section, string][];
  const main = html`<nav aria-label="${visit.texts.parts.operator}">
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
