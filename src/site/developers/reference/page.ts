import { html, raw } from 'hono/html';
import { COLON } from '#http/languages.ts';
import { type Html, inline } from '#http/page.ts';
import { type Application } from '#store/applications/applications.ts';
import { applicationsOwnedBy } from '#store/applications/owners.ts';
import type { PageContent, PageRequest } from '#site/page-request.ts';
import { layout, pathOf, table } from '../components.ts';
import type { Text } from '../text/en.ts';
import {
  type ResponseObject,
  type ApiDocument,
  contentOf,
  examplesOf,
  membersOf,
  type Operation,
  type Schema,
  schemaName,
} from './document.ts';
import { chosenClientId, type Filled, runForm, sampleIds, streamCommand } from './run.ts';

const PATH = pathOf('reference');

/** `/developers/reference`: the OpenAPI document of the data API as a page. Its descriptions are in English. */
export async function referencePage(request: PageRequest, text: Text, document: ApiDocument): Promise<PageContent> {
  const words = text.reference;
  const owned = await ownApplications(request);
  const ids = await sampleIds(request.db, request.now);
  const clientId = chosenClientId(request) ?? owned?.[0]?.client_id ?? '';
  const openapi = `${document.servers[0].url}/v1/openapi.json`;
  const page = layout(
    text,
    'reference',
    words,
    html`<p class="lead">${words.lead} <a href="${openapi}">${words.document}</a></p>
      ${contents(document, words)}
      <section class="prose" aria-labelledby="application">
        <h2 id="application">${words.application}</h2>
        ${applicationChoice(words, owned, clientId)}
      </section>
      <section class="prose" aria-labelledby="credentials">
        <h2 id="credentials">${words.credentials}</h2>
        <p lang="en">${inline(document.info.description)}</p>
        ${credentials(document, words)}
      </section>
      ${document.tags.map(({ name, description }) => tagSection(document, words, { name, description, clientId, ids }))}
      <section class="prose" aria-labelledby="headers">
        <h2 id="headers">${words.headers}</h2>
        ${headers(document, words)}
      </section>
      <section class="prose" aria-labelledby="errors">
        <h2 id="errors">${words.errors}</h2>
        ${errors(document, words)}
      </section>
      <section aria-labelledby="schemas">
        <h2 id="schemas">${words.schemas}</h2>
        ${schemas(document, words)}
      </section>`,
  );
  const api = [document.servers[0].url];
  return {
    ...page,
    kind: 'developers',
    scripts: [...page.scripts!, 'reference.js'],
    policy: { 'connect-src': api, 'form-action': api },
  };
}

type Words = Text['reference'];

/** The applications of the person, those with access to the data API first; undefined without a session. */
async function ownApplications({ deps: { db }, person }: PageRequest): Promise<Application[] | undefined> {
  const signedIn = await person();
  if (signedIn === undefined) return undefined;
  const owned = await applicationsOwnedBy(db, signedIn.account.id);
  return owned.toSorted((a, b) => Number(b.access === 'approved') - Number(a.access === 'approved'));
}

/** Chooses the Client ID of all forms of the page: one of the person's applications, or any that the person types. */
function applicationChoice(words: Words, owned: Application[] | undefined, clientId: string): Html {
  const to = `/console/sign-in?${new URLSearchParams({ to: PATH }).toString()}`;
  const isOwn = owned?.some((application) => application.client_id === clientId) ?? false;
  const field = !isOwn
    ? html`<input
        id="client_id"
        name="client_id"
        value="${clientId}"
        required
        maxlength="64"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
      />`
    : html`<select id="client_id" name="client_id">
        ${owned!.map(
          ({ client_id, name }) =>
            html`<option value="${client_id}" ${client_id === clientId ? html`selected` : ''}>${name}</option>`,
        )}
      </select>`;
  return html`<p>${words.applicationText}</p>
    <form class="big-find" action="${PATH}">
      <label for="client_id">${isOwn ? words.application : 'Client ID'}</label>
      ${field}<button>${words.use}</button>
    </form>
    <p class="small">
      ${owned === undefined ? html`<a rel="nofollow" href="${to}">${words.signIn}</a> · ` : ''}<a href="/console"
        >${words.register}</a
      >
    </p>`;
}

function contents(document: ApiDocument, words: Words): Html {
  const parts = [
    ...document.tags.map(({ name }) => ({ href: `#tag-${name}`, label: name })),
    ...(['headers', 'errors', 'schemas'] as const).map((part) => ({ href: `#${part}`, label: words[part] })),
  ];
  return html`<nav class="choices" aria-label="${words.contents}">
    <ul>
      ${parts.map(({ href, label }) => html`<li><a href="${href}">${label}</a></li>`)}
    </ul>
  </nav>`;
}

function credentials({ components }: ApiDocument, words: Words): Html {
  return table(
    words.credentialColumns,
    Object.values(components.securitySchemes).map(({ in: place, name, description }) => [
      place === undefined ? 'Authorization: Bearer\u00A0…' : place === 'query' ? `?${name}=…` : `${name}: …`,
      description,
    ]),
    'en',
  );
}

/**
 * Markup without indentation, and with quotation marks as they are in preformatted text, which has no markup inside: a fifth
 * of the page.
 */
const compact = (markup: Html): Html =>
  raw(
    (markup as string).replace(
      /(<pre[^>]*>)([^]*?<\/pre>)|\n\s+/g,
      (_, start?: string, text = '') => `${start ?? '\n'}${text.replaceAll('&quot;', '"')}`,
    ),
  );

interface Tag extends Filled {
  name: string;
  description: string;
}

function tagSection(document: ApiDocument, words: Words, { name, description, ...filled }: Tag): Html {
  const operations = Object.entries(document.paths).filter(([, { get }]) => get.tags.includes(name));
  return compact(
    html`<section aria-labelledby="tag-${name}">
      <h2 id="tag-${name}" lang="en">${name}</h2>
      <p class="soft" lang="en">${description}</p>
      ${operations.map(
        ([path, { get }]) =>
          html`<details class="card unfold">
            <summary>
              <h3><code>GET ${path}</code></h3>
              <span class="soft" lang="en">${inline(get.summary)}</span>
              ${get.deprecated ? html`<span class="badge warn">${words.deprecated}</span>` : ''}
            </summary>
            <div id="${get.operationId}">
              ${parameters(get, words)} ${answers(get, words)}
              ${
                isStream(get)
                  ? streamCommand(document, path, filled.clientId)
                  : html`<h4>${words.try}</h4>
                      ${runForm(document, path, words, filled)}`
              }
            </div>
          </details>`,
      )}
    </section>`,
  );
}

const isStream = ({ responses }: Operation): boolean =>
  'text/event-stream' in ((responses[200] as ResponseObject).content ?? {});

function parameters({ parameters: all }: Operation, words: Words): Html {
  if (all.length === 0) return html``;
  return html`<h4>${words.parameters}</h4>
    ${memberList(
      words,
      all.map(({ name, schema, description, required, in: place }) => ({
        name: place === 'path' ? `{${name}}` : name,
        type: typeOf(schema),
        notes: required ? [words.required] : [],
        description,
      })),
    )}`;
}

/** The statuses of a path; those of errors refer to the section of errors, which all paths share. */
function answers({ responses }: Operation, words: Words): Html {
  const all = Object.entries(responses);
  const shared = all.filter(([, answer]) => '$ref' in answer);
  return html`<h4>${words.answers}</h4>
    ${all.map(([status, answer]) => ('$ref' in answer ? '' : ownResponse(status, answer, words)))}
    <p>
      ${words.errors}${COLON[words.lang]}${shared.map(([status]) => html`<a href="#error-${status}">${status}</a> `)}
    </p>`;
}

const ownResponse = (status: string, response: ResponseObject, words: Words): Html => {
  const { description, headers: sent = {} } = response;
  const content = contentOf(response);
  return html`<p>
      <strong>${status}</strong>
      <span lang="en">${inline(description)}</span
      >${content === undefined ? '' : html`: ${typeOf(content.schema)}`}<br />
      <span class="soft small">${words.headers}${COLON[words.lang]}${Object.keys(sent).join(', ')}</span>
    </p>
    ${content === undefined ? '' : json(content.example)}`;
};

/** The headers of a successful response and those that only errors have. */
function headers({ components, paths }: ApiDocument, words: Words): Html {
  const success = Object.values(paths)[0]!.get.responses[200] as ResponseObject;
  const others = [success, ...Object.values(components.responses)].flatMap(({ headers: sent = {} }) =>
    Object.entries(sent).flatMap(([name, header]) => ('$ref' in header ? [] : [[name, header.description] as const])),
  );
  const limits = Object.entries(components.headers).map(
    ([name, { description, example }]) => [name, `${description}: \`${example}\``] as const,
  );
  return table(words.headerColumns, [...new Map([...limits, ...others])], 'en');
}

function errors({ components }: ApiDocument, words: Words): Html {
  return html`${Object.entries(components.responses).map(
    ([status, { headers: sent = {}, ...response }]) =>
      html`<h3 id="error-${status}">${status} <span lang="en">${inline(response.description)}</span></h3>
        <p class="soft small">${words.headers}${COLON[words.lang]}${Object.keys(sent).join(', ')}</p>
        ${json(contentOf(response)!.example)}`,
  )}`;
}

function schemas(document: ApiDocument, words: Words): Html {
  const examples = examplesOf(document);
  return compact(
    html`${Object.entries(document.components.schemas).map(
      ([name, schema]) =>
        html`<details class="card unfold">
          <summary>
            <h3><code>${name}</code></h3>
            ${schema.description === undefined ? '' : html`<span class="soft" lang="en">${inline(schema.description)}</span>`}
          </summary>
          <div id="schema-${name}">
            ${memberList(
              words,
              membersOf(schema).map(({ name: member, schema: type, isRequired }) => ({
                name: member,
                type: typeOf(type),
                notes: isRequired ? [] : [words.optional],
                description: type.description ?? '',
              })),
            )}
            ${examples.has(name) ? json(examples.get(name)) : ''}
          </div>
        </details>`,
    )}`,
  );
}

interface MemberRow {
  name: string;
  type: Html;
  notes: readonly string[];
  description: string;
}

/** Members with their types and meanings. A list, because a row of a table takes three times the bytes. */
function memberList({ lang }: Words, rows: readonly MemberRow[]): Html {
  const note = (words: string): Html => html`<span class="badge" lang="${lang}">${words}</span> `;
  return html`<ul class="members" lang="en">
    ${rows.map(
      ({ name, type, notes, description }) =>
        html`<li><code>${name}</code> <i>${type}</i> ${notes.map(note)}${inline(description)}</li>`,
    )}
  </ul>`;
}

/** The type of a value in words, with links to named schemas: `array of Match`, `"win" or "lose"`. */
function typeOf(schema: Schema): Html {
  const { $ref, items, anyOf, oneOf, enum: values, additionalProperties: others } = schema;
  if ($ref !== undefined) return html`<a href="#schema-${schemaName($ref)}">${schemaName($ref)}</a>`;
  if (items !== undefined) return html`array of ${typeOf(items)}`;
  const variants = anyOf ?? oneOf;
  if (variants !== undefined)
    return html`${variants.map((variant, index) => html`${index > 0 ? ' or ' : ''}${typeOf(variant)}`)}`;
  if ('const' in schema) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (values !== undefined)
    return html`${values.map((value, index) => html`${index > 0 ? ' or ' : ''}<code>${value}</code>`)}`;
  if (typeof others === 'object' && schema.properties === undefined) return html`object of ${typeOf(others)}`;
  return html`${[schema.type ?? 'any value', schema.format].filter((part) => part !== undefined).join(', ')}${
    schema.default === undefined ? '' : html`, default <code>${JSON.stringify(schema.default)}</code>`
  }${schema.maxLength === undefined ? '' : `, at most ${schema.maxLength} characters`}`;
}

const json = (value: unknown): Html =>
  html`<pre
    tabindex="0"
    lang="en"
  ><code>${typeof value === 'string' ? value : JSON.stringify(value, null, 1)}</code></pre>`;
