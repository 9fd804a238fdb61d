import { html } from 'hono/html';
import { type Html, inline } from '#http/page.ts';
import type { PageContent, PageRequest } from '../page-request.ts';
import { layout, type PageName, table } from './components.ts';
import type { Text } from './text/en.ts';
import { readdirSync, readFileSync } from 'node:fs';

const guides = textsIn('guides/');

/**
 * A page from a Markdown file. Its first paragraph describes the page to search engines; as a quotation it is also shown. Of
 * Markdown it may have what `blockHtml` knows, without nesting.
 * @param values of the placeholders
 */
export function guidePage(
  { language }: PageRequest,
  name: PageName,
  text: Text,
  values: Placeholders & Record<string, string>,
): PageContent {
  const source = filled(guides.get(`${name}.${language}.md`)!, values).trimEnd();
  const [heading = '', first = '', ...rest] = source.split('\n\n');
  const blocks = isLead(first) ? [first, ...rest] : rest;
  return layout(
    text,
    name,
    { title: heading.slice('# '.length), description: isLead(first) ? first.slice(LEAD.length) : first },
    html`<div class="prose">${blocks.map((block) => blockHtml(block, text, values))}</div>`,
  );
}

const LEAD = '> ';
const isLead = (block: string): boolean => block.startsWith(LEAD);

/** Links to examples, one a line. The link text is the name of the language if there are several. */
const EXAMPLE = /^\[(.+)\]\(\.\.\/examples\/(.+)\)$/gm;

function blockHtml(block: string, text: Text, placeholders: Placeholders): Html {
  const lines = block.split('\n');
  if (isLead(block)) return html`<p class="lead">${block.slice(LEAD.length)}</p>`;
  if (block.startsWith('## ')) return headingHtml(block.slice('## '.length));
  if (block.startsWith('```')) return html`<pre tabindex="0"><code>${lines.slice(1, -1).join('\n')}</code></pre>`;
  if (block.startsWith('|')) return tableHtml(lines);
  if (block.startsWith('- '))
    return html`<ul>
      ${items(lines)}
    </ul>`;
  if (block.startsWith('1. '))
    return html`<ol>
      ${items(lines)}
    </ol>`;
  const examples = [...block.matchAll(EXAMPLE)].map(([, label, file]) => ({
    label: label!,
    file: file!,
    code: code(text, example(file!, placeholders)),
  }));
  if (examples.length === 0) return html`<p>${linked(block)}</p>`;
  return examples.length === 1 ? examples[0]!.code : tabs(text, examples);
}

/** `Limits {#limits}`: the id is optional. */
function headingHtml(heading: string): Html {
  const [, title, id] = /^(.+?)(?: \{#(.+)\})?$/.exec(heading)!;
  return html`<h2${id === undefined ? '' : html` id="${id}"`}>${title}</h2>`;
}

const items = (lines: readonly string[]): Html[] =>
  lines.map((line) => html`<li>${inline(line.slice(line.indexOf(' ') + 1))}</li>`);

/** The second line separates the head, whose cells may be empty, from the rows. */
function tableHtml([head = '', , ...rows]: readonly string[]): Html {
  const columns = cellsOf(head);
  return table(columns.some(Boolean) ? columns : undefined, rows.map(cellsOf));
}

const cellsOf = (line: string): string[] => line.slice(1, -1).split('|').map((cell) => cell.trim()); // prettier-ignore

/** Text with links: `[text](address)`, or `[text](address "button")` for one that looks like a button. */
function linked(text: string): Html {
  const parts = text.split(/(\[[^\]]+\]\([^)]+\))/);
  return html`${parts.map((part) => {
    const [, label, href, kind] = /^\[(.+)\]\(([^ ]+?)(?: "(.+)")?\)$/.exec(part) ?? [];
    if (label === undefined) return inline(part);
    return html`<a${kind === undefined ? '' : html` class="${kind}"`} href="${href}">${inline(label)}</a>`;
  })}`;
}

/** The code of an example; `copy.js` adds the copy button, whose texts are in the data attributes. */
const code = (text: Text, lines: string): Html =>
  html`<div class="example" data-copy="${text.copy}" data-copied="${text.copied}">
    <pre tabindex="0"><code>${lines}</code></pre>
  </div>`;

/** An example in several languages, one of which is visible: radio buttons choose it without a script. */
function tabs(text: Text, examples: readonly { label: string; file: string; code: Html }[]): Html {
  const name = examples[0]!.file.split('.')[0]!;
  return html`<fieldset class="tabs">
    <legend class="hidden">${text.language}</legend>
    ${examples.map(
      (one, index) =>
        html`<input type="radio" name="${name}" id="${name}-${index}" ${index === 0 ? html` checked` : ''} /><label
            for="${name}-${index}"
            >${one.label}</label
          >${one.code}`,
    )}
  </fieldset>`;
}

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
