import { html } from 'hono/html';
import type { Language } from '#http/languages.ts';
import { type Html, inline } from '#http/page.ts';
import type { PageContent } from '../page-request.ts';
import type { Text } from './text/en.ts';

export type PageName = keyof Text['pages'];

/** The address of a developer page. */
export const pathOf = (name: PageName): string => (name === 'start' ? '/developers' : `/developers/${name}`);

/** A developer page: the links to all of them, the heading, then `body`. */
export function layout(
  text: Text,
  name: PageName,
  { title, description }: { title: string; description: string },
  body: Html,
): PageContent {
  const pages = Object.entries(text.pages) as [PageName, string][];
  return {
    title,
    description,
    path: pathOf(name),
    section: 'developers',
    kind: 'developers',
    scripts: ['copy.js'],
    main: html`<div class="guide">
      <nav class="choices guide-nav" aria-label="${text.nav}">
        <ul>
          ${pages.map(([page, label]) => html`<li><a href="${pathOf(page)}" ${page === name ? html` aria-current="page"` : ''}>${label}</a></li>`)}
        </ul>
      </nav>
      <div class="guide-body">
        <h1>${title}</h1>
        ${body}
      </div>
    </div>`,
  };
}

/**
 * A table in which the first cell of each row is its header.
 * @param lang the language of the cells, if it is not that of the page
 */
export function table(
  head: readonly string[] | undefined,
  rows: readonly (readonly string[])[],
  lang?: Language,
): Html {
  return html`<div class="card scroll" tabindex="0" ${lang === undefined ? '' : html` lang="${lang}"`}>
    <table class="lines">
      ${
        head === undefined
          ? ''
          : html`<thead>
              <tr>
                ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
              </tr>
            </thead>`
      }
      <tbody>
        ${rows.map(
          ([first = '', ...rest]) =>
            html`<tr>
              <th scope="row">${inline(first)}</th>
              ${rest.map((cell, index) => html`<td class="whole" ${head === undefined ? '' : html` data-label="${head[index + 1]!}"`}>${inline(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
