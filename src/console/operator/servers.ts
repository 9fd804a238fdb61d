import { html } from 'hono/html';
import { idOf } from '#base/ids.ts';
import type { Html } from '#base/page.ts';
import { tellAsOperator } from '#records/operator-acts.ts';
import type { Receipt } from '#records/receipts.ts';
import { createServerKey } from '#records/server-keys.ts';
import { listServers, serverByName, type ServerNow } from '#records/servers.ts';
import { showSecretOnce } from '../once.ts';
import { formTo, input, number, type Problems, textOf } from '../parts.ts';
import { operatorForm, operatorPage, type Row, type Visit } from '../rows.ts';
import { inOperator } from './frame.ts';
import { table } from './lists.ts';

const MAX_NAME = 64;

/** Every game server, and a form for one more. */
async function servers(visit: Visit, problems: Problems = {}) {
  const { desk, now, form, c } = visit;
  const { operator: t } = visit.texts;
  const isPage = c.req.method === 'GET';
  const all = await listServers(desk.db, now - desk.config.PRESENCE_TIMEOUT * 1000);
  const rows = all.map(
    (server) =>
      html`<tr>
        <th scope="row"><a href="/console/operator/servers/${idOf(server.key)}">${server.name}</a></th>
        <td>${server.region}</td>
        <td>${number(visit, server.order)}</td>
        <td>${number(visit, server.players.length)} / ${number(visit, server.max)}</td>
        <td>${server.current_map === '' ? html`<span class="soft">${t.silent}</span>` : server.current_map}</td>
      </tr>`,
  );
  const heads = [t.server, t.region, t.order, t.players, t.plays];
  const inner = html`<section class="card">
      ${all.length === 0 ? html`<p class="soft">${t.no_servers}</p>` : table(t.sections['/servers'], heads, rows)}
    </section>
    <section class="card form" aria-labelledby="new">
      <h2 id="new">${t.new_server}</h2>
      <p>${t.new_server_lead}</p>
      ${formTo(
        visit,
        '/operator/servers',
        html`${input({ name: 'name', label: t.server, value: form['name'], error: problems['name'], maxlength: MAX_NAME })}
          ${factFields(visit, form, problems)}<button>${t.create_server}</button>`,
      )}
    </section>`;
  return inOperator(visit, '/servers', t.sections['/servers'], inner, isPage ? 200 : 422);
}

/** What is fixed about a server. */
export function factFields({ texts: { operator: t } }: Visit, said: Visit['form'], problems: Problems): Html {
  return html`${input({ name: 'region', label: t.region, value: said['region'], error: problems['region'], maxlength: 64 })}
  ${input({ name: 'order', label: t.order, type: 'number', value: said['order'] ?? '0', error: problems['order'] })}
  ${input({ name: 'icon', label: t.icon, value: said['icon'], error: problems['icon'], optional: true })}
  ${input({ name: 'max', label: t.max, type: 'number', value: said['max'] ?? '0', error: problems['max'] })}`;
}

export interface ServerFacts {
  region: string;
  order: number;
  icon: string;
  max: number;
}

/** Reads them; what is no number is left to the check of the event to refuse. */
export function factsIn(form: Visit['form']): ServerFacts {
  const whole = (name: string): number =>
    /^-?\d{1,9}$/.test(form[name]?.trim() ?? '') ? Number(form[name]) : Number.NaN;
  const [region, icon] = [form['region']?.trim() ?? '', form['icon']?.trim() ?? ''];
  return { region, order: whole('order'), icon, max: whole('max') };
}

/** What was refused, beside the field it is about. */
export function problemsOf(receipt: Receipt): Problems | undefined {
  if (receipt.status !== 'rejected') return undefined;
  const field = receipt.place === 'server' ? 'name' : receipt.place.replace(/^data\./, '');
  return { [field]: receipt.reason };
}

/** @returns undefined where it is known under the name */
async function known({ desk: { db } }: Visit, name: string): Promise<ServerNow | undefined> {
  const server = await serverByName(db, name);
  return server && (await listServers(db, 0)).find(({ key }) => key === server.key);
}

async function create(visit: Visit) {
  const { desk, form, texts, now } = visit;
  const { operator: t } = texts;
  const name = textOf(form['name'], MAX_NAME);
  if (name === undefined) return await servers(visit, { name: t.server_name_wrong(MAX_NAME) });
  if ((await known(visit, name)) !== undefined) return await servers(visit, { name: t.server_known(name) });
  const event = { type: 'server.configured', server: name, data: factsIn(form) } as const;
  const problems = problemsOf(await tellAsOperator(desk.db, desk.clock, event));
  if (problems !== undefined) return await servers(visit, problems);
  const id = idOf((await serverByName(desk.db, name))!.key);
  await visit.record({ action: 'server.create', subject: id, label: name });
  showSecretOnce(visit, id, await createServerKey(desk.db, now, (await serverByName(desk.db, name))!.key));
  await visit.record({ action: 'server.key.create', subject: id, label: name });
  return `/operator/servers/${id}?done=told`;
}

export const serverListRows: readonly Row[] = [
  operatorPage('/operator/servers', (visit) => servers(visit)),
  operatorForm('/operator/servers', create),
];
