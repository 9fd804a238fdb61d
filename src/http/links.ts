import type { Language } from './languages.ts';

/** The path of a page for a relative link. Leading slashes are reduced to one: `//name` would link to another host. */
export function ownPath({ pathname }: Pick<URL, 'pathname'>): string {
  return pathname.replace(/^[/\\]+/, '/');
}

/** Query parameters that links do not carry over: language, flash message, position in a list. */
const TRANSIENT = ['lang', 'done', 'max_id', 'behind', 'before', 'around'];

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

/** The link for a contact: a web address as it is, an e-mail address as `mailto:`; undefined for any other text. */
export function contactLink(contact: string): string | undefined {
  if (/^(https?:\/\/|mailto:)/.test(contact)) return contact;
  return /^[^\s@]+@[^\s@]+$/.test(contact) ? `mailto:${contact}` : undefined;
}
