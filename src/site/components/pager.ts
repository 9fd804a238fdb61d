import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import type { PageRequest } from '../page-request.ts';

/** Items of a page; one more is read to know whether there is a next page. */
export const PAGE = 30;

/** A row of links that choose among a filter's values. */
export function choices(
  request: PageRequest,
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
            <a href="${request.link({ ...also, [name]: value })}" ${value === chosen ? html` aria-current="true"` : ''}
              ><bdi>${shown}</bdi></a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}
