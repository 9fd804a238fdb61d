import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('examples/', import.meta.url);

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

const files = new Map(readdirSync(FOLDER).map((name) => [name, readFileSync(new URL(name, FOLDER), 'utf8')]));

/**
 * The text of an example file with its placeholders replaced. A line that ends in `//@http@` is only for a sign-in on
 * plain http.
 * @throws Error if there is no file of this name
 */
export function example(name: string, placeholders: Placeholders): string {
  const text = files.get(name);
  if (text === undefined) throw new Error(`There is no example ${name}`);
  const values = { ...placeholders, redirect_encoded: encodeURIComponent(placeholders.redirect) };
  const isSecure = /^https:/.test(placeholders.auth);
  const lines = isSecure ? text.replaceAll(/^.*\/\/@http@\n/gm, '') : text.replaceAll(' //@http@', '');
  return Object.entries(values)
    .reduce((filled, [placeholder, value]) => filled.replaceAll(`@${placeholder}@`, value), lines)
    .trimEnd();
}
