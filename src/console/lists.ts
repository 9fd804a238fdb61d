import { html } from 'hono/html';
import { boundOf } from '#platform/ids.ts';
import { pager } from '#http/pager.ts';
import type { Html } from '#http/page.ts';
import { erasedAmong } from '#store/accounts/deleted-players.ts';
import type { ConsoleRequest } from './routes.ts';

/** A search form. */
export function searchForm(
  { c, texts }: ConsoleRequest,
  label: string,
  query: string | undefined,
  action = c.req.path,
): Html {
  return html`<form class="row bottom" action="${action}" role="search" aria-label="${label}">
    <div class="field">
      <label for="q">${label}</label>
      <input id="q" name="q" type="search" value="${query ?? ''}" maxlength="64" autocomplete="off" />
    </div>
    <button class="quiet">${texts.operator.find}</button>
  </form>`;
}

/** The sentence of a search without a result, also about the UUID of an erased player. */
export async function nothingFound(
  { deps, texts: { operator: t } }: ConsoleRequest,
  query: string | undefined,
): Promise<Html> {
  const [erased] = await erasedAmong(deps.db, query === undefined ? [] : [query]);
  return html`<p class="soft">${erased === undefined ? t.nothing_found : t.erased(erased)}</p>`;
}

export const PAGE_SIZE = 50;

/** The cursor of the page: it lists items whose key is smaller, newest first. */
export function keyBefore({ c }: ConsoleRequest): number {
  const before = c.req.query('before');
  return before ? boundOf(before) : Number.MAX_SAFE_INTEGER;
}

/**
 * Links to the first and the next (older) page.
 * @param path of the list, if a form whose problems are shown has another one
 */
export function olderPager({ c, texts }: ConsoleRequest, next: string | undefined, path = c.req.path): Html {
  const url = new URL(c.req.url);
  url.pathname = path;
  return pager(url, texts.operator.pager, next, 'before');
}

export type Cell = Html | string;

/**
 * A table in a box that scrolls sideways if the table is too wide. On phones its rows have two lines, and the stylesheet shows
 * the heading of a column with each cell and hides empty cells.
 * @param options.first whether the first cell of a row is its heading
 * @param options.empty what is shown in its place if it has no rows
 */
export function table(
  label: string,
  headings: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  { first = 'th', empty = '' }: { first?: 'th' | 'td'; empty?: Cell } = {},
): Html {
  if (rows.length === 0) return typeof empty === 'string' ? html`<p class="soft">${empty}</p>` : html`${empty}`;
  const cell = (value: Cell, column: number): Html => {
    const heading = headings[column];
    if (column === 0 && first === 'th') return html`<th scope="row">${value}</th>`;
    const label = typeof heading === 'string' ? html` data-label="${heading}"` : '';
    return html`<td${label}>${value}</td>`;
  };
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}">
    <table class="lines">
      <thead>
        <tr>
          ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map(cell)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A heading for a column of buttons, whose labels say the same: only screen readers need it. */
export const hiddenHeading = (text: string): Html => html`<span class="hidden">${text}</span>`;
