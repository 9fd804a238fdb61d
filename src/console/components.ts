import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { isShownText } from '#platform/text.ts';
import type { Application } from '#store/applications/applications.ts';
import { tokenField } from './layout.ts';
import type { ConsoleRequest } from './routes.ts';
import type { Texts } from './texts/index.ts';

/** What is wrong with a form, by the name of the field. */
export type Problems = Readonly<Record<string, string | undefined>>;

export const isFine = (problems: Problems): boolean => Object.values(problems).every((text) => text === undefined);

/** A form of one's own session. */
export function formTo({ person }: ConsoleRequest, action: string, inner: Html, kind = 'stack'): Html {
  return html`<form class="${kind}" method="post" action="/console${action}">${tokenField(person)} ${inner}</form>`;
}

/** A form that is one button. */
export function button(
  request: ConsoleRequest,
  action: string,
  label: string,
  { kind = 'quiet', fields = {}, about }: { kind?: string; fields?: Record<string, string>; about?: string } = {},
): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  const named = about === undefined ? '' : html`aria-label="${label}: ${about}"`;
  return formTo(request, action, html`${hidden}<button class="${kind}" ${named}>${label}</button>`, 'inline');
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
export function timestamp({ texts, deps }: Pick<ConsoleRequest, 'texts' | 'deps'>, ms: number): Html {
  const format = new Intl.DateTimeFormat(texts.lang, {
    ...{ dateStyle: 'medium', timeStyle: 'short', timeZone: deps.config.TIME_ZONE },
  });
  return html`<time datetime="${new Date(ms).toISOString()}">${format.format(ms)}</time>`;
}

export function number({ texts }: Pick<ConsoleRequest, 'texts'>, value: number): string {
  return value.toLocaleString(texts.lang);
}

/** What an application may do, in two words. */
export function stateBadge(texts: Texts, { access, suspended }: Pick<Application, 'access' | 'suspended'>): Html {
  if (suspended !== null) return html`<span class="badge bad">${texts.stopped.badge}</span>`;
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
