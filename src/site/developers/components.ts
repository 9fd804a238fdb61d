import { html } from 'hono/html';
import type { Language } from '#http/languages.ts';
import { type Html, inline } from '#http/page.ts';
import type { PageContent, PageRequest } from '../page-request.ts';
import { example, type Placeholders } from './examples.ts';
import type { Text } from './text/en.ts';

/** The developer pages. */
export const PATHS = {
  start: '/developers',
  reference: '/developers/reference',
  signIn: '/developers/sign-in',
  rules: '/developers/rules',
  lists: '/developers/lists',
  changes: '/developers/changes',
  webhooks: '/developers/webhooks',
  ingest: '/developers/ingest',
  deprecation: '/developers/deprecation',
} as const;

type PageName = keyof typeof PATHS;

const PAGE_NAMES = Object.keys(PATHS) as PageName[];

export type DeveloperPage = (request: PageRequest, text: Text, placeholders: Placeholders) => PageContent;

/** A developer page: the links to all of them, the heading, then `body`. */
export function layout(
  text: Text,
  name: PageName,
  { title, description }: { title: string; description: string },
  body: Html,
): PageContent {
  return {
    title,
    description,
    path: PATHS[name],
    section: 'developers',
    kind: 'developers',
    scripts: ['copy.js'],
    main: html`<div class="guide">
      <nav class="choices guide-nav" aria-label="${text.nav}">
        <ul>
          ${PAGE_NAMES.map((page) => html`<li><a href="${PATHS[page]}" ${page === name ? html` aria-current="page"` : ''}>${text.pages[page]}</a></li>`)}
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
 * An example in several languages, one of which is visible: radio buttons choose it without a script.
 * @param name unique on the page
 */
export function languageTabs(
  text: Text,
  name: string,
  files: readonly (readonly [language: string, file: string])[],
  placeholders: Placeholders,
): Html {
  return html`<fieldset class="tabs">
    <legend class="hidden">${text.language}</legend>
    ${files.map(
      ([language, file], index) =>
        html`<input type="radio" name="${name}" id="${name}-${index}" ${index === 0 ? html` checked` : ''} /><label
            for="${name}-${index}"
            >${language}</label
          >${code(text, file, placeholders)}`,
    )}
  </fieldset>`;
}

/** An example file; `copy.js` adds the copy button, whose texts are in the data attributes. */
export function code(text: Text, file: string, placeholders: Placeholders): Html {
  return html`<div class="example" data-copy="${text.copy}" data-copied="${text.copied}">
    <pre tabindex="0"><code>${example(file, placeholders)}</code></pre>
  </div>`;
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
          ([first, ...rest]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${rest.map((cell, index) => html`<td class="whole" ${head === undefined ? '' : html` data-label="${head[index + 1]!}"`}>${inline(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
