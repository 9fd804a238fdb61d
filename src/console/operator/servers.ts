import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { changeNetwork } from '#admin/network.ts';
import { createServer } from '#admin/servers.ts';
import { field, select } from '#http/fields.ts';
import { type Html, section } from '#http/page.ts';
import { listServers, PUNISHMENT_SCOPES, type ServerNow } from '#store/game/servers.ts';
import { erasedAmong } from '#store/accounts/deleted-players.ts';
import { hiddenOn, NETWORK } from '#store/game/hidden-lists.ts';
import { flashSecret } from '../flash-message.ts';
import { fieldsOf, formTo, number, type Problems, textOf } from '../components.ts';
import { operationForm } from '../operation-form.ts';
import { operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import type { Texts } from '../texts/index.ts';
import { inOperator } from './layout.ts';
import { table } from '../lists.ts';

const MAX_NAME = 64;
const MAX_HIDDEN_TEXT = 16_000;

/** All game servers, and a form to add one. */
async function serversPage(request: ConsoleRequest, problems: Problems = {}) {
  const { deps, now, form } = request;
  const { operator: t } = request.texts;
  const servers = await listServers(deps.db, now - deps.config.PRESENCE_TIMEOUT * 1000);
  const rows = servers.map((server) => [
    html`<a href="/console/operator/servers/${idOf(server.key)}">${server.name}</a>`,
    server.region,
    number(request, server.order),
    `${number(request, server.playerCount)}${server.max === 0 ? '' : ` / ${number(request, server.max)}`}`,
    playedOn(server, t),
  ]);
  const headings = [t.server, t.region, t.order, t.sections['/players'], t.plays];
  const inner = html`<section class="card">
      ${table(t.sections['/servers'], headings, rows, { empty: t.no_servers })}
    </section>
    <section class="card form" aria-labelledby="new">
      <h2 id="new">${t.new_server}</h2>
      <p>${t.new_server_lead}</p>
      ${formTo(
        request,
        '/operator/servers',
        html`${field({ name: 'name', label: t.server, value: form['name'], error: problems['name'], maxlength: MAX_NAME })}
          <button>${t.create_server}</button>`,
      )}
    </section>
    ${await networkCard(request, problems)}`;
  return inOperator(request, '/servers', t.sections['/servers'], inner);
}

/** The map that a server plays; a lobby reports without one. */
function playedOn({ online, current_map }: ServerNow, t: Texts['operator']): Html {
  if (online && current_map !== '') return html`${current_map}`;
  return html`<span class="soft">${online ? t.no_match : t.silent}</span>`;
}

/** The fields of a server's settings. */
export function serverFields(
  { texts: { operator: t } }: ConsoleRequest,
  submitted: ConsoleRequest['form'],
  problems: Problems,
  erased: readonly string[] = [],
): Html {
  const scopes = PUNISHMENT_SCOPES.map((value) => ({ value, label: t.punishment_scopes[value] }));
  const input = fieldsOf(t, { order: '0', max: '0', ...submitted }, problems);
  return html`${input('region', { maxlength: 64 })} ${input('order', { type: 'number' })}
  ${input('icon', { optional: true })} ${input('max', { type: 'number' })}
  ${select('punishments', t.may_change, scopes, submitted['punishments'] ?? 'network')}
  ${hiddenField(t, submitted['hidden'], problems, { erased })}`;
}

/** The list of players who are never shown live, one a line. */
function hiddenField(
  t: Texts['operator'],
  value: string | undefined,
  problems: Problems,
  { id = 'hidden', erased }: { id?: string; erased: readonly string[] },
): Html {
  const hint = erased.length === 0 ? t.hidden_hint : `${t.hidden_hint} ${t.erased_hidden(erased.join(', '))}`;
  return field({
    ...{ name: 'hidden', id, label: t.hidden, hint, value, error: problems[id] },
    ...{ rows: 4, maxlength: MAX_HIDDEN_TEXT, optional: true },
  });
}

async function networkCard(request: ConsoleRequest, problems: Problems): Promise<Html> {
  const { texts, deps, form } = request;
  const { operator: t } = texts;
  const isRefused = problems['network'] !== undefined;
  const stored = await hiddenOn(deps.db, NETWORK);
  const listed = isRefused ? form['hidden'] : stored.join('\n');
  const own = { id: 'network', erased: await erasedAmong(deps.db, stored) };
  const content = html`<p>${t.whole_network_lead}</p>
    ${formTo(request, '/operator/network', html`${hiddenField(t, listed, problems, own)}<button>${texts.save}</button>`)}`;
  return section('whole', t.whole_network, content, 'card form');
}

/** The settings as they were entered; without a choice of punishments that one stays as it is. */
export function readSettings(form: ConsoleRequest['form']): Record<string, string | undefined> {
  const [region = '', order = '', icon = '', max = ''] = SETTINGS.map((name) => form[name]?.trim());
  const punishments = PUNISHMENT_SCOPES.find((value) => value === form['punishments']);
  return { region, order, icon, max, punishments, hidden: form['hidden'] };
}

const SETTINGS = ['region', 'order', 'icon', 'max'] as const;

export const wrongSetting = ({ texts }: ConsoleRequest, field: string): string | undefined =>
  field === 'hidden' ? texts.operator.hidden_wrong : undefined;

export const serverListRoutes: readonly Route[] = [
  operatorPage('/operator/servers', (request) => serversPage(request)),
  operationForm('/operator/servers', createServer, {
    find: async () => undefined,
    // The page of the server, which follows, has its settings.
    read: ({ name }) => ({ name: textOf(name, MAX_NAME) }),
    wrong: ({ texts }) => texts.application.problems.name(MAX_NAME),
    again: serversPage,
    refused: {
      exists: (request, _, { name }) => serversPage(request, { name: request.texts.operator.server_exists(name) }),
    },
    done: (request, _, { server, secret }) => {
      const id = idOf(server.key);
      flashSecret(request, id, secret);
      return `/operator/servers/${id}?done=completed`;
    },
  }),
  operationForm('/operator/network', changeNetwork, {
    find: async () => undefined,
    read: ({ hidden }) => ({ hidden: hidden ?? '' }),
    again: (request) => serversPage(request, { network: request.texts.operator.hidden_wrong }),
    refused: {},
    done: () => '/operator/servers?done=saved',
  }),
];
