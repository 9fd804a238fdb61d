import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { field, select } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { reasonAbout } from '#events/schema/problems.ts';
import { reportAsOperator } from '#events/operator-events.ts';
import type { Receipt } from '#events/receipts.ts';
import { createServerKey } from '#store/game/server-keys.ts';
import {
  listServers,
  PUNISHMENT_SCOPES,
  type PunishmentScope,
  serverByName,
  type ServerNow,
} from '#store/game/servers.ts';
import { flashSecret } from '../flash-message.ts';
import { formTo, number, type Problems, textOf } from '../components.ts';
import { operatorForm, operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import type { Texts } from '../texts/index.ts';
import { inOperator } from './layout.ts';
import { table } from './lists.ts';

const MAX_NAME = 64;

/** All game servers, and a form to add one. */
async function serversPage(request: ConsoleRequest, problems: Problems = {}) {
  const { deps, now, form, c } = request;
  const { operator: t } = request.texts;
  const isPage = c.req.method === 'GET';
  const servers = await listServers(deps.db, now - deps.config.PRESENCE_TIMEOUT * 1000);
  const rows = servers.map(
    (server) =>
      html`<tr>
        <th scope="row"><a href="/console/operator/servers/${idOf(server.key)}">${server.name}</a></th>
        <td>${server.region}</td>
        <td>${number(request, server.order)}</td>
        <td>
          ${number(request, server.playerCount)}${server.max === 0 ? '' : html` / ${number(request, server.max)}`}
        </td>
        <td>${playedOn(server, t)}</td>
      </tr>`,
  );
  const headings = [t.server, t.region, t.order, t.players, t.plays];
  const inner = html`<section class="card">
      ${servers.length === 0 ? html`<p class="soft">${t.no_servers}</p>` : table(t.sections['/servers'], headings, rows)}
    </section>
    <section class="card form" aria-labelledby="new">
      <h2 id="new">${t.new_server}</h2>
      <p>${t.new_server_lead}</p>
      ${formTo(
        request,
        '/operator/servers',
        html`${field({ name: 'name', label: t.server, value: form['name'], error: problems['name'], maxlength: MAX_NAME })}
          ${serverFields(request, form, problems)}<button>${t.create_server}</button>`,
      )}
    </section>`;
  return inOperator(request, '/servers', t.sections['/servers'], inner, isPage ? 200 : 422);
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
): Html {
  const scopes = PUNISHMENT_SCOPES.map((value) => ({ value, label: t.punishment_scopes[value] }));
  return html`${field({ name: 'region', label: t.region, value: submitted['region'], error: problems['region'], maxlength: 64 })}
  ${field({ name: 'order', label: t.order, type: 'number', value: submitted['order'] ?? '0', error: problems['order'] })}
  ${field({ name: 'icon', label: t.icon, value: submitted['icon'], error: problems['icon'], optional: true })}
  ${field({ name: 'max', label: t.max, type: 'number', value: submitted['max'] ?? '0', error: problems['max'] })}
  ${select('punishments', t.may_change, scopes, submitted['punishments'] ?? 'network')}`;
}

export interface ServerSettings {
  region: string;
  order: number;
  icon: string;
  max: number;
  punishments?: PunishmentScope;
}

/** Reads the fields. Whatever is not a whole number becomes NaN, which the validation of the event refuses. */
export function readServerForm(form: ConsoleRequest['form']): ServerSettings {
  const whole = (name: string): number =>
    /^-?\d{1,9}$/.test(form[name]?.trim() ?? '') ? Number(form[name]) : Number.NaN;
  const [region, icon] = [form['region']?.trim() ?? '', form['icon']?.trim() ?? ''];
  const punishments = PUNISHMENT_SCOPES.find((value) => value === form['punishments']);
  return { region, order: whole('order'), icon, max: whole('max'), ...(punishments && { punishments }) };
}

/** The reason of a rejected event, by the form field that it is about; undefined where the event was accepted. */
export function problemsOf(receipt: Receipt): Problems | undefined {
  if (receipt.status !== 'rejected') return undefined;
  const field = receipt.place === 'server' ? 'name' : receipt.place.replace(/^data\./, '');
  return { [field]: reasonAbout('This', receipt) };
}

/** Whether a server has this name. A removed one does not count: its name can be used again. */
async function isTaken({ deps: { db } }: ConsoleRequest, name: string): Promise<boolean> {
  const server = await serverByName(db, name);
  return server !== undefined && (await listServers(db, 0)).some(({ key }) => key === server.key);
}

async function create(request: ConsoleRequest) {
  const { deps, form, texts, now } = request;
  const { operator: t } = texts;
  const name = textOf(form['name'], MAX_NAME);
  if (name === undefined) return await serversPage(request, { name: t.server_name_wrong(MAX_NAME) });
  if (await isTaken(request, name)) return await serversPage(request, { name: t.server_exists(name) });
  const event = { type: 'server.configured', server: name, data: readServerForm(form) } as const;
  const problems = problemsOf(await reportAsOperator(deps.db, deps.clock, event));
  if (problems !== undefined) return await serversPage(request, problems);
  const { key } = (await serverByName(deps.db, name))!;
  const id = idOf(key);
  await request.record({ action: 'server.create', subject: id, label: name });
  flashSecret(request, id, await createServerKey(deps.db, now, key));
  await request.record({ action: 'server.key.create', subject: id, label: name });
  return `/operator/servers/${id}?done=completed`;
}

export const serverListRoutes: readonly Route[] = [
  operatorPage('/operator/servers', (request) => serversPage(request)),
  operatorForm('/operator/servers', create),
];
