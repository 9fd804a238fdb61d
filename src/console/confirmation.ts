import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { formTo, hiddenFields } from './components.ts';
import type { ConsoleRequest } from './routes.ts';

/** The page that asks before an act. */
export interface Confirmation {
  title: string;
  /** What it changes or ends. */
  impact: readonly (Html | string)[];
  /** Whether and how it can be undone (default: not at all). */
  undo?: string;
  /** The label of the button that does it. */
  submit: string;
  /** Where Cancel leads, below `/console`. */
  back: string;
}

/** The field that the form of the page adds to the submitted one. */
const CONFIRMED = 'confirmed';

export const isConfirmed = ({ form }: ConsoleRequest): boolean => form[CONFIRMED] === 'yes';

/**
 * Says what an act changes, with a form that sends the submitted fields again.
 * @param heading of the card, if the page has another one
 */
export function confirmationCard(
  request: ConsoleRequest,
  { impact, undo, submit, back, heading }: Omit<Confirmation, 'title'> & { heading?: string },
): Html {
  const { c, form, texts } = request;
  const { form_token: _, ...submitted } = form;
  const action = new URL(c.req.url).pathname.replace(/^\/console/, '');
  return html`<section class="card form">
    ${heading === undefined ? '' : html`<h2>${heading}</h2>`}
    ${impact.map((line) => (typeof line === 'string' ? html`<p>${line}</p>` : line))}
    <p><strong>${undo ?? texts.confirm.for_good}</strong></p>
    ${formTo(
      request,
      action,
      html`${hiddenFields({ ...submitted, [CONFIRMED]: 'yes' })}
        <div class="actions">
          <button class="danger">${submit}</button>
          <a class="button quiet" href="/console${back}">${texts.cancel}</a>
        </div>`,
    )}
  </section>`;
}
