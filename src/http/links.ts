import { html } from 'hono/html';
import type { Config } from '#platform/config/config.ts';
import type { Language } from './languages.ts';
import type { Html } from './page.ts';

/** The path of a page for a relative link. Leading slashes are reduced to one: `//name` would link to another host. */
export function ownPath({ pathname }: Pick<URL, 'pathname'>): string {
  return pathname.replace(/^[/\\]+/, '/');
}

/** Query parameters that links do not carry over: language, flash message, position in a list. */
const TRANSIENT = ['lang', 'done', 'max_id', 'behind', 'before'];

/**
 * A relative link to the same page with other query parameters.
 * @param changes values to set; `undefined` removes a parameter, as happens to the transient ones
 */
export function linkTo(url: URL, changes: Readonly<Record<string, string | undefined>> = {}): string {
  const query = new URLSearchParams(url.searchParams);
  for (const name of TRANSIENT) query.delete(name);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  return relativeAddress(url, query);
}

/** A relative link to the same page in another language; keeps the position in a list. */
export function languageLink(url: URL, language: Language): string {
  const query = new URLSearchParams(url.searchParams);
  query.set('lang', language);
  return relativeAddress(url, query);
}

const relativeAddress = (url: URL, query: URLSearchParams): string =>
  query.size === 0 ? ownPath(url) : `${ownPath(url)}?${query.toString()}`;

/** How a punished person objects: a web address, an e-mail address or any other text; empty if the operator set none. */
export const appealContact = ({ APPEAL_URL, CONTACT }: Pick<Config, 'APPEAL_URL' | 'CONTACT'>): string =>
  APPEAL_URL === '' ? CONTACT : APPEAL_URL;

/** The link for a contact: a web address as it is, an e-mail address as `mailto:`; undefined for any other text. */
export function contactLink(contact: string): string | undefined {
  if (/^(https?:\/\/|mailto:)/.test(contact)) return contact;
  return /^[^\s@]+@[^\s@]+$/.test(contact) ? `mailto:${contact}` : undefined;
}

/** A contact as text, with its link if it has one. */
export function contactHtml(contact: string): Html {
  const link = contactLink(contact);
  const label = html`<bdi>${contact}</bdi>`;
  return link === undefined ? label : html`<a href="${link}">${label}</a>`;
}
