import { html } from 'hono/html';
import type { Html } from './page.ts';
import { WireError } from './errors.ts';

/** Bytes of the longest form that there is. */
export const MAX_FORM = 32 * 1024;
const MAX_VALUE = 4 * 1024;

/** What a form said: each field once, as text. */
export type Form = Readonly<Record<string, string>>;

/**
 * Reads a form.
 * @throws WireError 400 for another type, a field that stands twice or is longer than any of ours, or broken text
 */
export function readForm(contentType: string | undefined, body: string): Form {
  if (!/^application\/x-www-form-urlencoded\s*(;\s*charset=utf-8\s*)?$/i.test(contentType ?? '')) throw broken();
  if (body.length > MAX_FORM) throw broken();
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(body)) {
    if (name in fields || value.length > MAX_VALUE || /[\0\ufffd]/.test(value)) throw broken();
    fields[name] = value;
  }
  return fields;
}

/** @throws WireError 413, for `limitBody`: nothing that is longer than it may be is read to its end */
export function tooLong(): never {
  throw new WireError(413, 'invalid_request', 'The form is too long.', { connection: 'close' });
}

const broken = (): WireError => new WireError(400, 'invalid_request', 'The form could not be read.');

/**
 * Whether a form comes from a page of ours (OWASP: verify the origin). Browsers send `Origin` with every form that
 * changes something; whoever sends none is no browser that carries somebody's cookies.
 */
export function isOwnForm(origin: string | undefined, fetchSite: string | undefined, own: string): boolean {
  return origin === own && (fetchSite === undefined || fetchSite === 'same-origin');
}

export interface Field {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  value?: string;
  hint?: string;
  error?: string | undefined;
  autocomplete: string;
  autofocus?: boolean;
  maxlength?: number;
}

/** A labelled input whose hint and error are read out with it. */
export function field({ name, label, hint, error, ...input }: Field): Html {
  // An error says what to do, so the hint would only repeat it.
  const shown = error === undefined ? hint : undefined;
  const notes = [shown === undefined ? '' : `${name}-hint`, error === undefined ? '' : `${name}-error`];
  const describedBy = notes.filter((id) => id !== '').join(' ');
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${input.type ?? 'text'}"
      value="${input.type === 'password' ? '' : (input.value ?? '')}"
      autocomplete="${input.autocomplete}"
      maxlength="${input.maxlength ?? 256}"
      required
      ${input.autofocus ? html`autofocus` : ''}
      ${input.type === undefined || input.type === 'text' ? html`autocapitalize="none" spellcheck="false"` : ''}
      ${describedBy === '' ? '' : html`aria-describedby="${describedBy}"`}
      ${error === undefined ? '' : html`aria-invalid="true"`}
    />
    ${error === undefined ? '' : html`<p class="error" id="${name}-error">${error}</p>`}
    ${shown === undefined ? '' : html`<p class="hint" id="${name}-hint">${shown}</p>`}
  </div>`;
}

/** Says how something went; nothing where there is nothing to say. */
export function notice(text: string | undefined, kind: 'good' | 'bad' | '' = ''): Html {
  if (text === undefined) return html``;
  return html`<p class="notice ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</p>`;
}
