import { html } from 'hono/html';
import type { Html } from './page.ts';

export interface Field {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'search' | 'date';
  value?: string | undefined;
  hint?: string | Html | undefined;
  error?: string | undefined;
  /** Off when left out. */
  autocomplete?: string;
  autofocus?: boolean;
  maxlength?: number;
  optional?: boolean;
  /** Lines of a text of several. */
  rows?: number;
}

/** A labelled field whose hint and error are read out with it. */
export function field({ name, label, type = 'text', value = '', hint, error, rows, ...more }: Field): Html {
  // An error says what to do, so the hint would only repeat it.
  const note = error === undefined ? hint && 'hint' : 'error';
  // Names are typed as they are known; other text may be corrected.
  const isName = type === 'text' && more.autocomplete !== undefined;
  const attributes = html`id="${name}" name="${name}" maxlength="${more.maxlength ?? 256}"
  autocomplete="${more.autocomplete ?? 'off'}" ${more.optional ? '' : html`required`}
  ${more.autofocus ? html`autofocus` : ''} ${isName ? html`autocapitalize="none" spellcheck="false"` : ''}
  ${note ? html`aria-describedby="${name}-${note}"` : ''} ${error === undefined ? '' : html`aria-invalid="true"`}`;
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${
      rows === undefined
        ? html`<input type="${type}" value="${type === 'password' ? '' : value}" ${attributes} />`
        : html`<textarea rows="${rows}" ${attributes}>${value}</textarea>`
    }
    ${note ? html`<p class="${note}" id="${name}-${note}">${error ?? hint}</p>` : ''}
  </div>`;
}

interface Choice {
  value: string;
  label: string;
  hint?: string;
}

/** One of several, each with its explanation. */
export function choices(name: string, legend: string, all: readonly Choice[], chosen: string): Html {
  return html`<fieldset class="field choices">
    <legend>${legend}</legend>
    ${all.map(
      ({ value, label, hint }) =>
        html`<label class="choice"
          ><input type="radio" name="${name}" value="${value}" required ${value === chosen ? html`checked` : ''} />
          <span><strong>${label}</strong>${hint === undefined ? '' : html` <span class="hint">${hint}</span>`}</span>
        </label>`,
    )}
  </fieldset>`;
}

export function select(name: string, label: string, all: readonly Choice[], chosen: string): Html {
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      ${all.map(
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

/** Says how something went; nothing where there is nothing to say. */
export function notice(text: string | undefined, kind: 'good' | 'bad' | '' = ''): Html {
  if (text === undefined) return html``;
  return html`<p class="notice ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</p>`;
}
