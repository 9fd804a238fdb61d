import { html } from 'hono/html';
import { HttpError } from '#http/errors.ts';
import type { Html } from '#http/page.ts';
import { keyOf } from '#platform/ids.ts';
import { keyCursor, type Listed, listed } from '#http/pager.ts';
import type { PageRequest } from '../page-request.ts';

interface Table {
  /** What screen readers call the table. */
  label: string;
  /** The classes of the table element. */
  kind: string;
  head: Html;
  rows: readonly Html[];
  /** Whether it is within another card. */
  isBare?: boolean;
}

/** A table that scrolls sideways in a narrow window. */
export function table({ label, kind, head, rows, isBare = false }: Table): Html {
  return html`<div class="${isBare ? '' : 'card '}scroll" tabindex="0" role="group" aria-label="${label}">
    <table class="${kind}">
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** The headers of columns of numbers. */
export const numberHeads = (names: readonly string[]): Html =>
  html`${names.map((name) => html`<th scope="col" class="n">${name}</th> `)}`;

/** The numbers of a row; in a narrow window each has the name of its column. */
export const numberCells = (names: readonly string[], cells: readonly string[]): Html =>
  html`${cells.map((cell, index) => html`<td class="n" data-label="${names[index]!}">${cell}</td>`)}`;

/** Items per page. Lists read one more to know whether there is a next page. */
export const PAGE_SIZE = 30;

/** A page of a list in the order of its keys, of up to `PAGE_SIZE + 1` items that were read. */
export const byKey = <T extends { key: number }>(read: readonly T[]): Listed<T> => listed(read, PAGE_SIZE, keyCursor);

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

/** The last entry of the previous page of a list by value; on the board of a counter also its place and position. */
export interface Behind {
  entry: { value: number; key: number };
  place: number;
  position: number;
}

/** `behind`, as `12.0000000002a`: the value and id. */
export function readBehind(request: PageRequest): Behind | undefined {
  const text = request.query('behind');
  if (text === undefined) return undefined;
  const [, value, id = '', place, position] =
    /^(\d{1,15})\.([0-9a-z]{11})(?:\.(\d{1,9})\.(\d{1,9}))?$/.exec(text) ?? [];
  const key = keyOf(id);
  if (key === undefined) throw new HttpError(400, 'behind', request.text.error.parameter('behind'));
  return { entry: { value: Number(value), key }, place: Number(place ?? 0), position: Number(position ?? 0) };
}
