import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import type { PageRequest } from '../page-request.ts';

/** Items per page. Lists read one more to know whether there is a next page. */
export const PAGE_SIZE = 30;

/**
 * A row of links, one per value of a filter.
 * @param name the query parameter that the links set
 * @param others other query parameters that the links set, or remove if undefined
 */
export function choices(
  request: PageRequest,
  label: string,
  name: string,
  values: readonly { value: string | undefined; label: string }[],
  chosen: string | undefined,
  others: Readonly<Record<string, string | undefined>> = {},
): Html {
  return html`<nav class="choices" aria-label="${label}">
    <ul>
      ${values.map(
        ({ value, label: valueLabel }) =>
          html`<li>
            <a
              href="${request.link({ ...others, [name]: value })}"
              ${value === chosen ? html` aria-current="true"` : ''}
              ><bdi>${valueLabel}</bdi></a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}
