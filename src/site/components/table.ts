import { html } from 'hono/html';
import type { Html } from '#http/page.ts';

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
