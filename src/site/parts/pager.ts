import { html } from 'hono/html';
import { idOf } from '#base/ids.ts';
import type { Html } from '#base/page.ts';
import type { Visit } from '../visit.ts';

/** Items of a page; one more is read to know whether there is a next page. */
export const PAGE = 30;

export interface Listed<T> {
  items: T[];
  /** The `max_id` of the next page; undefined on the last. */
  next: string | undefined;
}

/** Cuts what was read (up to `limit + 1` items) into a page and the cursor of the next. */
export function listed<T extends { key: number }>(read: T[], limit = PAGE): Listed<T> {
  const items = read.slice(0, limit);
  return { items, next: read.length > limit ? idOf(items.at(-1)!.key) : undefined };
}

/** Links to the newest and to the next page of a list. */
export function pager(visit: Visit, next: string | undefined, name = 'max_id'): Html {
  const { pager: text } = visit.text;
  const first = visit.query(name) === undefined;
  if (first && next === undefined) return html``;
  return html`<nav class="pager" aria-label="${text.label}">
    ${first ? html`<span></span>` : html`<a class="button quiet" href="${visit.link({})}">${text.first}</a>`}
    ${next === undefined ? html`<span class="soft">${text.end}</span>` : html`<a class="button quiet" rel="next" href="${visit.link({ [name]: next })}">${text.next}</a>`}
  </nav>`;
}

/** A row of links that choose among a filter's values. */
export function choices(
  visit: Visit,
  label: string,
  name: string,
  values: readonly { value: string | undefined; label: string }[],
  chosen: string | undefined,
  also: Readonly<Record<string, undefined>> = {},
): Html {
  return html`<nav class="choices" aria-label="${label}">
    <ul>
      ${values.map(
        ({ value, label: shown }) =>
          html`<li>
            <a href="${visit.link({ ...also, [name]: value })}" ${value === chosen ? html` aria-current="true"` : ''}
              ><bdi>${shown}</bdi></a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}
