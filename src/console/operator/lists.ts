import { html } from 'hono/html';
import type { Html } from '#base/page.ts';
import type { Visit } from '../rows.ts';

/** The field by which an operator finds one of many. */
export function finder({ c, texts }: Visit, label: string, query: string | undefined): Html {
  return html`<form class="row bottom" action="${c.req.path}" role="search">
    <div class="field">
      <label for="q">${label}</label>
      <input id="q" name="q" type="search" value="${query ?? ''}" maxlength="64" autocomplete="off" />
    </div>
    <button class="quiet">${texts.operator.find}</button>
  </form>`;
}

/** The way to what is older than the last one shown; nothing where there is none. */
export function pager({ c, texts }: Visit, last: string | undefined): Html {
  if (last === undefined) return html``;
  const query = new URLSearchParams(c.req.query());
  query.delete('done');
  query.set('before', last);
  return html`<p class="pager">
    <a class="button quiet" rel="next" href="${c.req.path}?${query.toString()}">${texts.operator.older}</a>
  </p>`;
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
