import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { linkTo } from './links.ts';
import type { Html } from './page.ts';

interface PagerTexts {
  label: string;
  first: string;
  next: string;
  end: string;
}

/** One page of a list with keyset paging. */
export interface Listed<T> {
  items: T[];
  /** The cursor of the next page; undefined on the last page. */
  next: string | undefined;
}

/** Makes a page of up to `limit + 1` items that were read: the extra item only shows that there is a next page. */
export function listed<T>(read: readonly T[], limit: number, cursorOf: (last: T) => string): Listed<T> {
  const items = read.slice(0, limit);
  return { items, next: read.length > limit ? cursorOf(items.at(-1)!) : undefined };
}

/** The cursor of lists that are paged by key: the id of the last item. */
export const keyCursor = ({ key }: { key: number }): string => idOf(key);

/**
 * Links to the first and to the next page of a list; empty for a list of one page.
 * @param name the query parameter of the cursor
 */
export function pager(url: URL, texts: PagerTexts, next: string | undefined, name: string): Html {
  const isFirst = !url.searchParams.get(name);
  if (isFirst && next === undefined) return html``;
  return html`<nav class="pager" aria-label="${texts.label}">
    ${isFirst ? html`<span></span>` : html`<a class="button quiet" href="${linkTo(url)}">${texts.first}</a>`}
    ${next === undefined ? html`<span class="soft">${texts.end}</span>` : html`<a class="button quiet" rel="next" href="${linkTo(url, { [name]: next })}">${texts.next}</a>`}
  </nav>`;
}
