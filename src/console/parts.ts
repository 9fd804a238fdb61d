import { html } from 'hono/html';
import type { Html } from '#base/page.ts';
import { isShownText } from '#base/text.ts';
import type { Application } from '#records/applications.ts';
import { tokenField } from './layout.ts';
import type { Visit } from './rows.ts';
import type { Texts } from './texts/index.ts';

/** What is wrong with a form, by the name of the field. */
export type Problems = Readonly<Record<string, string | undefined>>;

export const isFine = (problems: Problems): boolean => Object.values(problems).every((text) => text === undefined);

interface Input {
  name: string;
  label: string;
  value?: string | undefined;
  hint?: string | Html | undefined;
  error?: string | undefined;
  optional?: boolean;
  type?: 'text' | 'url' | 'number' | 'search' | 'date';
  maxlength?: number;
  rows?: number;
}

/** A labelled field, one line or (with `rows`) several, whose hint and error are read out with it. */
export function input({ name, label, value = '', hint, error, rows, ...more }: Input): Html {
  const describedBy = [
    ...(error === undefined ? [] : [`${name}-error`]),
    ...(hint === undefined ? [] : [`${name}-hint`]),
  ];
  const attributes = html`id="${name}" name="${name}" maxlength="${more.maxlength ?? 200}" autocomplete="off"
  ${more.optional ? '' : html`required`}
  ${describedBy.length === 0 ? '' : html`aria-describedby="${describedBy.join(' ')}"`}
  ${error === undefined ? '' : html`aria-invalid="true"`}`;
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${
      rows === undefined
        ? html`<input type="${more.type ?? 'text'}" value="${value}" ${attributes} />`
        : html`<textarea rows="${rows}" ${attributes}>${value}</textarea>`
    }
    ${error === undefined ? '' : html`<p class="error" id="${name}-error">${error}</p>`}
    ${hint === undefined ? '' : html`<p class="hint" id="${name}-hint">${hint}</p>`}
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

/** A form of one's own session. */
export function formTo({ person }: Visit, action: string, inner: Html, kind = 'stack'): Html {
  return html`<form class="${kind}" method="post" action="/console${action}">${tokenField(person)} ${inner}</form>`;
}

/** A form that is one button. */
export function button(
  visit: Visit,
  action: string,
  label: string,
  { kind = 'quiet', fields = {}, about }: { kind?: string; fields?: Record<string, string>; about?: string } = {},
): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  const named = about === undefined ? '' : html`aria-label="${label}: ${about}"`;
  return formTo(visit, action, html`${hidden}<button class="${kind}" ${named}>${label}</button>`, 'inline');
}

/** What is known of something: names, and what they stand for. */
export function factsList(facts: readonly (readonly [name: string, value: string | Html])[]): Html {
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** A moment in the network's zone. */
export function moment({ texts, desk }: Pick<Visit, 'texts' | 'desk'>, ms: number): Html {
  const format = new Intl.DateTimeFormat(texts.lang, {
    ...{ dateStyle: 'medium', timeStyle: 'short', timeZone: desk.config.TIME_ZONE },
  });
  return html`<time datetime="${new Date(ms).toISOString()}">${format.format(ms)}</time>`;
}

export function number({ texts }: Pick<Visit, 'texts'>, value: number): string {
  return value.toLocaleString(texts.lang);
}

/** What an application may do, in two words. */
export function stateBadge(texts: Texts, { access, stopped }: Pick<Application, 'access' | 'stopped'>): Html {
  if (stopped !== null) return html`<span class="badge bad">${texts.stopped.badge}</span>`;
  const kind = { none: '', waiting: 'warn', approved: 'good', refused: 'bad', revoked: 'bad' }[access];
  return html`<span class="badge ${kind}">${texts.access_states[access]}</span>`;
}

/** What a field says, trimmed; undefined where it is empty, too long or cannot be shown. */
export function textOf(value: string | undefined, max: number): string | undefined {
  const text = value?.trim() ?? '';
  return text === '' || text.length > max || !isShownText(text) ? undefined : text;
}

/** Text of several lines. */
export function linesOf(value: string | undefined, max: number): string | undefined {
  const text = (value ?? '').replace(/\r\n?/g, '\n').trim();
  return text === '' || text.length > max || !isShownText(text.replace(/[\n\t]/g, ' ')) ? undefined : text;
}

/** A whole number from 1 on; undefined for anything else. */
export function countOf(value: string | undefined): number | undefined {
  const text = value?.trim() ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
