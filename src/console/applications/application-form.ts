import { html } from 'hono/html';
import { containsAddress } from '#text/text.ts';
import type { Form } from '#http/form.ts';
import { check, choices, notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import {
  type Application,
  APPLICATION_TYPES,
  type ApplicationSettings,
  type ApplicationType,
} from '#store/applications/applications.ts';
import { checkRedirectUri, needsRedirectUri } from '#store/applications/redirect-uris.ts';
import { fieldsOf, isFine, type Problems, textOf } from '../components.ts';
import type { Texts } from '../texts/index.ts';

const MAX_URIS = 10;
export const MAX_NAME = 64;

/** What an owner can set about an application. */
type ApplicationFields = ApplicationSettings & Pick<Application, 'type'>;

/**
 * Reads and validates the form of an application.
 * @param existing application: its type cannot change, and its name and Redirect URIs stay valid; without it the form
 * chooses the type
 * @returns the fields, or what is wrong with them by field name
 */
export function readApplicationForm(
  form: Form,
  texts: Texts,
  existing?: Pick<Application, 'name' | 'type' | 'redirect_uris' | 'post_logout_redirect_uris'>,
): ApplicationFields | Problems {
  const { problems: t } = texts.application;
  const chosen = existing?.type ?? APPLICATION_TYPES.find((known) => known === form['type']);
  const name = textOf(form['name'], MAX_NAME);
  const redirect_uris = urisIn(form['redirect_uris']);
  const post_logout_redirect_uris = urisIn(form['post_logout_redirect_uris']);
  const wrong = chosen === undefined ? undefined : wrongUri(chosen, redirect_uris, texts, existing?.redirect_uris);
  const problems = {
    name: name === undefined ? t.name(MAX_NAME) : wrongName(name, texts, existing?.name),
    type: chosen === undefined ? t.type : undefined,
    redirect_uris: wrong ?? missingUri(chosen, redirect_uris, texts),
    post_logout_redirect_uris:
      chosen && wrongUri(chosen, post_logout_redirect_uris, texts, existing?.post_logout_redirect_uris),
  };
  if (!isFine(problems)) return problems;
  return {
    name: name!,
    type: chosen!,
    redirect_uris,
    post_logout_redirect_uris,
    require_pkce: form['require_pkce'] === '1',
    rotate_refresh_tokens: form['rotate_refresh_tokens'] === '1',
  };
}

export function isValidForm(read: ApplicationFields | Problems): read is ApplicationFields {
  return Array.isArray(read['redirect_uris']);
}

function urisIn(text = ''): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

function wrongName(name: string, { application }: Texts, registered?: string): string | undefined {
  return name !== registered && containsAddress(name) ? application.problems.name_address : undefined;
}

function wrongUri(
  type: ApplicationType,
  uris: readonly string[],
  { application }: Texts,
  registered: readonly string[] = [],
): string | undefined {
  const { problems: t } = application;
  if (uris.length > MAX_URIS) return t.too_many_uris(MAX_URIS);
  for (const uri of uris.filter((candidate) => !registered.includes(candidate))) {
    const wrong = checkRedirectUri(type, uri);
    if (wrong !== undefined) return t.uri(uri, t.uri_rules[wrong]);
  }
  return undefined;
}

function missingUri(type: ApplicationType | undefined, uris: readonly string[], { application }: Texts) {
  return uris.length === 0 && (type === undefined || needsRedirectUri(type)) ? application.problems.no_uri : undefined;
}

/** @param type of an existing application; without it the type can be chosen */
export function applicationFields(texts: Texts, form: Form, problems: Problems, type?: ApplicationType): Html {
  const { application: t } = texts;
  const input = fieldsOf(t, form, problems);
  return html`${notice(isFine(problems) ? undefined : texts.problem, 'bad')} ${input('name', { maxlength: MAX_NAME })}
  ${type === undefined ? choices('type', t.type, typeChoices(texts), form['type'] ?? 'service') : ''}
  ${problems['type'] === undefined ? '' : html`<p class="error">${problems['type']}</p>`}
  ${input('redirect_uris', { rows: 3, maxlength: 4000, optional: true })}
  ${input('post_logout_redirect_uris', { rows: 2, maxlength: 4000, optional: true })}
  ${check('require_pkce', t.require_pkce, t.require_pkce_hint, form['require_pkce'] === '1')}
  ${type === 'service' ? check('rotate_refresh_tokens', t.rotate, t.rotate_hint, form['rotate_refresh_tokens'] === '1') : ''}`;
}

function typeChoices({ application: t }: Texts) {
  return (['service', 'web', 'installed'] as const).map((type) => ({ value: type, ...t.types[type] }));
}
