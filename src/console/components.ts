import { html } from 'hono/html';
import { COLON, LOCALES } from '#http/languages.ts';
import { type Field, field } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { isShownText } from '#text/text.ts';
import type { Application } from '#store/applications/applications.ts';
import { tokenField } from './layout.ts';
import type { ConsoleRequest } from './routes.ts';
import type { Texts } from './texts/index.ts';

type ByName = Readonly<Record<string, string | undefined>>;

/** Error sentences of a form by field name. */
export type Problems = ByName;

export const isFine = (problems: Problems): boolean => Object.values(problems).every((text) => text === undefined);

/** A POST form with the session's CSRF token. `action` is below `/console`. */
export function formTo({ person }: ConsoleRequest, action: string, inner: Html, kind = 'stack'): Html {
  return html`<form class="${kind}" method="post" action="/console${action}">${tokenField(person)} ${inner}</form>`;
}

/**
 * A form with a single button.
 * @param options.about what the button acts on, for screen readers if several buttons have the same label
 */
export function button(
  request: ConsoleRequest,
  action: string,
  label: string,
  { kind = 'quiet', fields = {}, about }: { kind?: string; fields?: Record<string, string>; about?: string } = {},
): Html {
  const ariaLabel = about === undefined ? '' : html`aria-label="${label}${COLON[request.texts.lang]}${about}"`;
  return formTo(
    request,
    action,
    html`${hiddenFields(fields)}<button class="${kind}" ${ariaLabel}>${label}</button>`,
    'inline',
  );
}

export const hiddenFields = (values: ByName): Html[] =>
  Object.entries(values).map(([name, value = '']) => html`<input type="hidden" name="${name}" value="${value}" />`);

/**
 * Makes the fields of a form. The label of a field, its hint, its value and its problem have its name.
 * @param t the texts
 * @param entered the values
 */
export function fieldsOf<T extends object>(t: T, entered: ByName, problems: Problems) {
  const text = (name: string): string | undefined => t[name as keyof T] as string | undefined;
  return (name: TextName<T>, more: Partial<Field> = {}): Html =>
    field({
      ...{ name, label: text(name)!, hint: text(`${name}_hint`), value: entered[name], error: problems[name] },
      ...more,
    });
}

type TextName<T> = { [Name in keyof T]: T[Name] extends string ? Name : never }[keyof T] & string;

/** The logo of an application. Its name is shown beside it, so the picture has no alternative text. */
export function logoImage({ client_id }: Pick<Application, 'client_id'>, size: number): Html {
  return html`<img class="logo" src="/console/logos/${client_id}" alt="" width="${size}" height="${size}" />`;
}

export type Fact = readonly [name: string, value: string | Html];

/** A definition list; without the facts that are false. */
export function factsList(facts: readonly (Fact | false)[]): Html {
  return html`<dl class="facts">
    ${facts.map(
      (fact) =>
        fact &&
        html`<dt>${fact[0]}</dt>
          <dd>${fact[1]}</dd>`,
    )}
  </dl>`;
}

/** A time in the network's time zone. `ms` is in epoch milliseconds. */
export function timestamp({ texts, deps }: Pick<ConsoleRequest, 'texts' | 'deps'>, ms: number): Html {
  const timeZone = deps.config.TIME_ZONE;
  const format = new Intl.DateTimeFormat(LOCALES[texts.lang], { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return html`<time datetime="${new Date(ms).toISOString()}">${format.format(ms)}</time>`;
}

export function number({ texts }: Pick<ConsoleRequest, 'texts'>, value: number): string {
  return value.toLocaleString(LOCALES[texts.lang]);
}

/** The API access of an application as a badge, or that it is suspended. */
export function stateBadge(texts: Texts, { access, suspended }: Pick<Application, 'access' | 'suspended'>): Html {
  if (suspended !== null) return html`<span class="badge bad">${texts.suspended.badge}</span>`;
  const kind = { none: '', waiting: 'warn', approved: 'good', refused: 'bad', revoked: 'bad' }[access];
  return html`<span class="badge ${kind}">${texts.access_states[access]}</span>`;
}

/** A field's text, trimmed; undefined if it is empty, too long or contains characters that cannot be shown. */
export function textOf(value: string | undefined, max: number): string | undefined {
  const text = value?.trim() ?? '';
  return text === '' || text.length > max || !isShownText(text) ? undefined : text;
}

/** As `textOf`, for text of several lines. */
export function linesOf(value: string | undefined, max: number): string | undefined {
  const text = (value ?? '').replace(/\r\n?/g, '\n').trim();
  return text === '' || text.length > max || !isShownText(text.replace(/[\n\t]/g, ' ')) ? undefined : text;
}

/** A whole number from 1 to 999,999,999; undefined for anything else. */
export function countOf(value: string | undefined): number | undefined {
  const text = value?.trim() ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
