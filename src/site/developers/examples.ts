import { readdirSync, readFileSync } from 'node:fs';

/** The texts of the files of a folder beside this file, by name. */
export function textsIn(folder: string): ReadonlyMap<string, string> {
  const url = new URL(folder, import.meta.url);
  return new Map(readdirSync(url).map((name) => [name, readFileSync(new URL(name, url), 'utf8')]));
}

/**
 * The values of the placeholders in the examples, which are written as `@api@`. On the pages, values that only the
 * reader knows are words in capitals.
 */
export interface Placeholders {
  api: string;
  auth: string;
  ingest: string;
  client_id: string;
  client_secret: string;
  token: string;
  player: string;
  redirect: string;
  server_key: string;
}

const files = textsIn('examples/');

/**
 * The text of an example file with its placeholders replaced. A line that ends in `//@http@` is only for a sign-in on
 * plain http.
 * @throws Error if there is no file of this name
 */
export function example(name: string, placeholders: Placeholders): string {
  const text = files.get(name);
  if (text === undefined) throw new Error(`There is no example ${name}`);
  const isSecure = /^https:/.test(placeholders.auth);
  const lines = isSecure ? text.replaceAll(/^.*\/\/@http@\n/gm, '') : text.replaceAll(' //@http@', '');
  return filled(lines, { ...placeholders, redirect_encoded: encodeURIComponent(placeholders.redirect) }).trimEnd();
}

/** A text with the placeholders that have a value replaced. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/@(\w+)@/g, (placeholder, name: string) => values[name] ?? placeholder);
