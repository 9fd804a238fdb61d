import { html } from 'hono/html';
import type { Html } from './page.ts';

export interface Field {
  name: string;
  /** Default: the name. Needed if two forms of a page have a field of the same name. */
  id?: string;
  label: string;
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'search' | 'date' | 'datetime-local';
  value?: string | undefined;
  hint?: string | Html | undefined;
  error?: string | undefined;
  /** Default: `off`. */
  autocomplete?: string;
  autofocus?: boolean;
  maxlength?: number;
  optional?: boolean;
  /** The lines of a textarea. Default: an input. */
  rows?: number;
}

/** A labelled field. `aria-describedby` makes screen readers read its hint or error with it. */
export function field({ name, id = name, label, type = 'text', value = '', hint, error, rows, ...more }: Field): Html {
  // The error replaces the hint, which would only repeat what to enter.
  const note = error === undefined ? hint && 'hint' : 'error';
  // Phones must not capitalise or correct names; other text they may.
  const isName = type === 'text' && more.autocomplete !== undefined;
  // Browsers ignore it in these fields, and HTML allows it in texts alone.
  const length = type === 'number' || type.startsWith('date') ? '' : html`maxlength="${more.maxlength ?? 256}"`;
  const attributes = html`id="${id}" name="${name}" ${length} autocomplete="${more.autocomplete ?? 'off'}"
  ${type === 'datetime-local' ? html`step="any"` : ''} ${more.optional ? '' : html`required`}
  ${more.autofocus ? html`autofocus` : ''} ${isName ? html`autocapitalize="none" spellcheck="false"` : ''}
  ${note ? html`aria-describedby="${id}-${note}"` : ''} ${error === undefined ? '' : html`aria-invalid="true"`}`;
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${
      rows === undefined
        ? html`<input type="${type}" value="${type === 'password' ? '' : value}" ${attributes} />`
        : html`<textarea rows="${rows}" ${attributes}>${value}</textarea>`
    }
    ${note ? html`<p class="${note}" id="${id}-${note}">${error ?? hint}</p>` : ''}
  </div>`;
}

/** The fields of a form. The first wrong one gets the focus, otherwise the first empty one. */
export function fields(list: readonly Field[]): Html[] {
  const focused = list.find(({ error }) => error !== undefined) ?? list.find(({ value = '' }) => value === '');
  return list.map((one) => field({ ...one, autofocus: one === focused }));
}

export interface Choice {
  value: string;
  label: string;
  hint?: string;
}

/** Radio buttons, each with its hint. */
export function choices(name: string, legend: string, options: readonly Choice[], chosen: string): Html {
  return html`<fieldset class="field choices">
    <legend>${legend}</legend>
    ${options.map(
      ({ value, label, hint }) =>
        html`<label class="choice"
          ><input type="radio" name="${name}" value="${value}" required ${value === chosen ? html`checked` : ''} />
          <span><strong>${label}</strong>${hint === undefined ? '' : html` <span class="hint">${hint}</span>`}</span>
        </label>`,
    )}
  </fieldset>`;
}

export function select(name: string, label: string, options: readonly Choice[], chosen: string): Html {
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      ${options.map(
        (one) => html`<option value="${one.value}" ${one.value === chosen ? html`selected` : ''}>${one.label}</option>`,
      )}
    </select>
  </div>`;
}

export function check(name: string, label: string, hint: string, isOn: boolean): Html {
  return html`<div class="field">
    <label class="choice"
      ><input type="checkbox" name="${name}" value="1" aria-describedby="${name}-hint" ${isOn ? html`checked` : ''} />
      <span>${label}</span></label
    >
    <p class="hint" id="${name}-hint">${hint}</p>
  </div>`;
}

/** A checkbox among several. */
export const checkbox = (name: string, label: string, isOn: boolean): Html =>
  html`<label class="choice"
    ><input type="checkbox" name="${name}" value="1" ${isOn ? html`checked` : ''} /> <span>${label}</span></label
  >`;

/** A message about the outcome of an action; empty without a text. */
export function notice(text: string | undefined, kind: 'good' | 'bad' | '' = ''): Html {
  if (text === undefined) return html``;
  return html`<p class="notice ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</p>`;
}
