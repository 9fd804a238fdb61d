import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
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

/** A table in a box that scrolls sideways if the table is too wide; on phones its rows have two lines. */
export function table(label: string, headings: readonly (Html | string)[], rows: readonly Html[]): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}">
    <table class="lines">
      <thead>
        <tr>
          ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => labelled(row, headings))}
      </tbody>
    </table>
  </div>`;
}

/** A heading for a column of buttons, whose labels say the same: only screen readers need it. */
export const hiddenHeading = (text: string): Html => html`<span class="hidden">${text}</span>`;

/**
 * Gives each cell the heading of its column, which the stylesheet shows on phones, and empties blank cells, which it hides
 * there. Escaped text holds no `<td`.
 */
async function labelled(row: Html, headings: readonly (Html | string)[]): Promise<HtmlEscapedString> {
  const labels = await Promise.all(headings.map(async (heading) => html`${await heading}`));
  let column = 0;
  const filled = String(await row).replaceAll(/<td>\s+<\/td>/g, '<td></td>');
  const cells = filled.replaceAll(/<t[hd]\b/g, (start) => {
    const label = String(labels[column++] ?? '');
    return start === '<th' || label === '' || label.includes('<') ? start : `${start} data-label="${label}"`;
  });
  return raw(cells);
}
