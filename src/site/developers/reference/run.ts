import { html } from 'hono/html';
import { HttpError } from '#http/errors.ts';
import type { Html } from '#http/page.ts';
import { idOf } from '#platform/ids.ts';
import type { Db } from '#db/db.ts';
import { listMaps } from '#store/game/maps/maps.ts';
import { listMatchesWhere } from '#store/game/match-lists.ts';
import { hasPseudonym, playersBefore } from '#store/game/players.ts';
import { listPunishments } from '#store/game/punishments.ts';
import { listServerNames } from '#store/game/servers.ts';
import type { PageRequest } from '#site/page-request.ts';
import type { Text } from '../text/en.ts';
import { type ApiDocument, contentOf, type Operation, type Parameter } from './document.ts';

export const RUN_PATH = '/developers/reference/run';

/** Client IDs are random hexadecimal digits; this also keeps a value of the address from ending the quotes of a command. */
const CLIENT_ID = /^[\w.-]{1,64}$/;

/**
 * The Client ID in the address of the page, which is public: an application sends it in the code of its pages.
 * @throws HttpError 400
 */
export function chosenClientId(request: PageRequest): string | undefined {
  const value = request.query('client_id');
  if (value === undefined || CLIENT_ID.test(value)) return value;
  throw new HttpError(400, 'client_id', request.text.error.parameter('client_id'));
}

const LAST = Number.MAX_SAFE_INTEGER;
/** The newest players may be pseudonyms of deleted accounts. */
const PLAYERS = 10;

/** An id of this network, by the path of its resource: commands and forms with it succeed. */
export type SampleIds = Readonly<Record<string, string>>;

/** @returns no id of a kind that the network does not have yet */
export async function sampleIds(db: Db, now: number): Promise<SampleIds> {
  const [[match], [map], players, [punishment], [server]] = await Promise.all([
    listMatchesWhere(db, {}, LAST, 1),
    listMaps(db, { before: LAST, limit: 1 }),
    playersBefore(db, LAST, PLAYERS),
    listPunishments(db, LAST, 1, now),
    listServerNames(db),
  ]);
  const player = players.find((one) => !hasPseudonym(one))?.uuid;
  const byKey = Object.entries({ matches: match, maps: map, punishments: punishment, servers: server });
  const ids = byKey.flatMap(([name, row]) => (row === undefined ? [] : [[`/v1/${name}/{id}`, idOf(row.key)] as const]));
  return { ...Object.fromEntries(ids), ...(player !== undefined && { '/v1/players/{id}': player }) };
}

/** What commands and forms contain. */
export interface Filled {
  clientId: string;
  ids: SampleIds;
}

/**
 * The form that sends a request to a path, and its command for curl. Without a script the form opens the response in a
 * new tab; `script/reference.js` shows it below the form, and writes the fields into the command.
 */
export function runForm(document: ApiDocument, path: string, text: Text['reference'], { clientId, ids }: Filled): Html {
  const { operationId: id, parameters } = document.paths[path]!.get;
  const address = document.servers[0].url + path;
  const samples = samplesOf(document, path, ids);
  return html`<form
      class="run"
      action="${RUN_PATH}"
      target="_blank"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      data-address="${address}"
    >
      <input
        type="hidden"
        name="path"
        value="${path}"
      />${clientId === '' ? '' : html`<input type="hidden" name="client_id" value="${clientId}" />`}
      <div class="run-fields">
        ${clientId === '' ? runField({ id: `${id}-client_id`, name: 'client_id', isRequired: true }) : ''}
        ${parameters.map((parameter) => {
          const { name, required: isRequired } = parameter;
          return parameter.schema.enum === undefined
            ? runField({ id: `${id}-${name}`, name, isRequired, value: name === 'id' ? samples['id']! : '' })
            : runChoice(`${id}-${name}`, parameter);
        })}
      </div>
      <button>${text.run}<span class="hidden"> ${path}</span></button>
    </form>
    <div class="answer" role="status" data-running="${text.running}" data-unreachable="${text.unreachable}"></div>
    ${commandOf(fill(address, samples), clientId)}`;
}

/** The command of a stream, without a form: it would wait for the end of the response, which never comes. */
export const streamCommand = (document: ApiDocument, path: string, clientId: string): Html =>
  commandOf(document.servers[0].url + path, clientId);

const commandOf = (address: string, clientId: string): Html =>
  html`<h4>curl</h4>
    <pre tabindex="0" lang="en"><code class="curl">${curl(address, clientId)}</code></pre>`;

interface RunField {
  id: string;
  name: string;
  isRequired: boolean;
  value?: string;
}

function runField({ id, name, isRequired, value = '' }: RunField): Html {
  return html`<div>
    <label for="${id}"><code>${name}</code></label>
    <input id="${id}" name="${name}" maxlength="256" value="${value}" ${isRequired ? html`required` : ''} />
  </div>`;
}

function runChoice(id: string, { name, required, schema }: Parameter): Html {
  return html`<div>
    <label for="${id}"><code>${name}</code></label>
    <select id="${id}" name="${name}" ${required ? html`required` : ''}>
      <option></option>
      ${schema.enum!.map((value) => html`<option>${value}</option>`)}
    </select>
  </div>`;
}

/** A value for each parameter of the path. */
function samplesOf(document: ApiDocument, path: string, ids: SampleIds): Record<string, string> {
  const others = document.paths[path]!.get.parameters.filter(({ in: place }) => place === 'path');
  const choices = others.map(({ name, schema }) => [name, String(schema.enum?.[0] ?? '')]);
  return { ...Object.fromEntries(choices), id: sampleId(document, path, ids) };
}

/** An address with its parameters filled in. */
const fill = (address: string, values: Readonly<Record<string, string>>): string =>
  address.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));

/** The id of the resource that the path begins with: one of this network, else that of the example. */
function sampleId(document: ApiDocument, path: string, ids: SampleIds): string {
  if (!path.includes('{id}')) return '';
  const base = path.slice(0, path.indexOf('{id}') + '{id}'.length);
  const response = document.paths[base]?.get.responses[200];
  const example = response !== undefined && 'content' in response ? contentOf(response)?.example : undefined;
  return ids[base] ?? (example as { id?: string } | undefined)?.id ?? '';
}

const curl = (address: string, clientId: string): string =>
  `curl -H 'X-Client-ID: ${clientId || 'YOUR_CLIENT_ID'}' '${address}'`;

/**
 * `/developers/reference/run`: redirects a form without a script to the data API.
 * @throws HttpError 400
 */
export function runRedirect(request: PageRequest, document: ApiDocument): Response {
  const path = request.query('path') ?? '';
  const operation: Operation | undefined = Object.hasOwn(document.paths, path) ? document.paths[path]!.get : undefined;
  if (operation === undefined) throw new HttpError(400, 'path', request.text.error.parameter('path'));
  const given = (name: string): string => request.query(name) ?? '';
  const query = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const sent = new URLSearchParams(
    [...query, 'client_id'].map((name) => [name, given(name)]).filter(([, value]) => value !== ''),
  );
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  const filled = fill(path, Object.fromEntries(inPath.map((name) => [name, given(name)])));
  const address = document.servers[0].url + filled;
  return new Response(null, {
    status: 303,
    headers: { location: `${address}?${sent.toString()}`, 'cache-control': 'no-store' },
  });
}
