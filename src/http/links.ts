import type { Language } from './languages.ts';

/** A page's own path, for links to it: two slashes at its start would name a host. */
export function ownPath({ pathname }: Pick<URL, 'pathname'>): string {
  return pathname.replace(/^[/\\]+/, '/');
}

/** Parameters of one look at a page, which links to other looks at it leave out: language, outcome, place in a list. */
const TRANSIENT = ['lang', 'done', 'max_id', 'behind', 'before'];

/** A page's address with other parameters: given ones are set, `undefined` ones and transient ones go. */
export function linkTo(url: URL, changes: Readonly<Record<string, string | undefined>> = {}): string {
  const query = new URLSearchParams(url.searchParams);
  for (const name of TRANSIENT) query.delete(name);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  return addressOf(url, query);
}

/** The same page in another language. */
export function languageLink(url: URL, language: Language): string {
  const query = new URLSearchParams(url.searchParams);
  query.set('lang', language);
  return addressOf(url, query);
}

const addressOf = (url: URL, query: URLSearchParams): string =>
  query.size === 0 ? ownPath(url) : `${ownPath(url)}?${query.toString()}`;

/** Where a contact leads: a web address stays, a mail address becomes `mailto:`; undefined for any other text. */
export function contactLink(contact: string): string | undefined {
  if (/^(https?:\/\/|mailto:)/.test(contact)) return contact;
  return /^[^\s@]+@[^\s@]+$/.test(contact) ? `mailto:${contact}` : undefined;
}
