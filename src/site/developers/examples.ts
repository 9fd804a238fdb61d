import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('examples/', import.meta.url);

/** What examples leave open, as `@api@`; on the pages a word in capitals stands for what only the reader knows. */
export interface Blanks {
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
 * The text of an example, its blanks filled in.
 * @throws where there is no such example: a fault of ours
 */
export function example(name: string, blanks: Blanks): string {
  const text = files.get(name);
  if (text === undefined) throw new Error(`There is no example ${name}`);
  const all = { ...blanks, redirect_encoded: encodeURIComponent(blanks.redirect) };
  return Object.entries(all)
    .reduce((filled, [blank, value]) => filled.replaceAll(`@${blank}@`, value), text)
    .trimEnd();
}
