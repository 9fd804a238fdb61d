import { html } from 'hono/html';
import { boundOf } from '#platform/ids.ts';
import { pager } from '#http/pager.ts';
import type { Html } from '#http/page.ts';
import type { ConsoleRequest } from '../routes.ts';

/** The field by which an operator finds one of many. */
export function finder({ c, texts }: ConsoleRequest, label: string, query: string | undefined): Html {
  return html`<form class="row bottom" action="${c.req.path}" role="search">
    <div class="field">
      <label for="q">${label}</label>
      <input id="q" name="q" type="search" value="${query ?? ''}" maxlength="64" autocomplete="off" />
    </div>
    <button class="quiet">${texts.operator.find}</button>
  </form>`;
}

/** Items of a page. */
export const PAGE = 50;

/** The key that every key on this page is smaller than. */
export function keyBefore({ c }: ConsoleRequest): number {
  const before = c.req.query('before');
  return before ? boundOf(before) : Number.MAX_SAFE_INTEGER;
}

export function olderPager({ c, texts }: ConsoleRequest, next: string | undefined): Html {
  return pager(new URL(c.req.url), texts.operator.pager, next, 'before');
}

/** A table that scrolls by itself where it is too wide. */
export function table(label: string, heads: readonly (Html | string)[], rows: readonly Html[]): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
