import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import { eventsOfKey, type LedgerEvent } from '#events/ledger/server-events.ts';
import { targetOfChange } from '#events/punishments/changes.ts';
import { type Html, section } from '#http/page.ts';
import { mapByName } from '#store/game/maps/maps.ts';
import { serverByKey } from '#store/game/servers.ts';
import { formTo, hiddenFields, timestamp } from '../components.ts';
import { type ConsoleRequest, operatorPage, type Route } from '../routes.ts';
import { notFound } from '../sign-in.ts';
import { inOperator } from './layout.ts';
import { type Cell, keyBefore, olderPager, PAGE_SIZE, table } from '../lists.ts';
import { readTime, timeField } from '../entry-fields.ts';

/** All that one key of a game server changed, with a link to each record, and the form that withdraws it. */
async function keyPage(request: ConsoleRequest) {
  const { c, deps } = request;
  const { server_key: t, operator: o } = request.texts;
  const server = await serverByKey(deps.db, keyOf(c.req.param('id')!) ?? 0, 0);
  const key = c.req.param('key')!;
  const credential = keyOf(key);
  if (server === undefined || credential === undefined) throw notFound();
  const sinceText = c.req.query('since')?.trim() ?? '';
  const since = sinceText === '' ? 0 : readTime(deps.config.TIME_ZONE, sinceText);
  const scope = { server: server.key, credential, since: since ?? Number.MAX_SAFE_INTEGER };
  const { events, next } = await eventsOfKey(deps.db, { ...scope, before: keyBefore(request), limit: PAGE_SIZE });
  const rows = await Promise.all(events.map((event) => eventRow(request, event)));
  const path = `/operator/servers/${idOf(server.key)}`;
  const error = since === undefined ? o.since_wrong : undefined;
  const sinceField = { name: 'since', label: o.withdraw_since, hint: request.texts.zone(deps.config.TIME_ZONE) };
  const hidden = hiddenFields({ key, since: since ? new Date(since).toISOString() : '' });
  const withdrawal = html`<p>${t.undo_lead}</p>
    ${formTo(request, `${path}/withdraw`, html`${hidden}<button class="danger">${o.undo_confirm}</button>`)}`;
  const inner = html`<section class="card">
      <p><a href="/console${path}">${server.name}</a> · ${o.key} <code>${key}</code></p>
      <form class="row bottom" action="/console${path}/keys/${key}" role="search" aria-label="${o.withdraw_since}">
        ${timeField(deps.config.TIME_ZONE, { ...sinceField, value: sinceText, error, optional: true })}
        <button class="quiet">${o.find}</button>
      </form>
      ${table(t.title, [o.received, o.event, o.about, o.state], rows, { first: 'td', empty: next === undefined ? o.nothing_found : t.older })}
      ${olderPager(request, next === undefined ? undefined : idOf(next))}
    </section>
    ${rows.length === 0 ? '' : section('undo', t.undo, withdrawal, 'card form')}`;
  return inOperator(request, '/servers', t.title, inner, error === undefined ? 200 : 422);
}

async function eventRow(request: ConsoleRequest, event: LedgerEvent): Promise<Cell[]> {
  const { receipt_states } = request.texts.operator;
  const state = event.withdrawn ? 'withdrawn' : 'accepted';
  return [
    timestamp(request, event.received),
    html`<code>${event.type}</code> <span class="hint">${idOf(event.key)}</span>`,
    await recordOf(request, event),
    html`<span class="badge ${event.withdrawn ? 'warn' : 'good'}">${receipt_states[state]}</span>`,
  ];
}

const link = (href: string, label: string): Html => html`<a href="${href}"><bdi>${label}</bdi></a>`;

/** The members of events that name what an event is about. */
interface Named {
  name?: string;
  map?: string;
  player?: { uuid: string; name: string };
  punished?: { name: string };
}

/** The record that an event created or changed, with a link while it exists. */
export async function recordOf(
  { deps: { db } }: ConsoleRequest,
  { key, type, body, withdrawn }: LedgerEvent,
): Promise<Html> {
  const { name, map, player, punished } = JSON.parse(body) as Named;
  if (type === 'match.finished') return withdrawn ? html`${map}` : link(`/matches/${idOf(key)}`, map ?? idOf(key));
  if (type.startsWith('punishment.')) {
    const target = await targetOfChange(db, key);
    if (target === undefined) return html`${punished?.name ?? '–'}`;
    return link(`/console/operator/punishments/${idOf(target.key)}`, target.punished);
  }
  if (player !== undefined) return link(`/console/operator/players/${player.uuid}`, player.name);
  const mapName = type.startsWith('map.') ? (map ?? name) : map;
  const found = mapName === undefined ? undefined : await mapByName(db, mapName);
  return found === undefined ? html`${mapName ?? name ?? '–'}` : link(`/maps/${idOf(found.key)}`, found.name);
}

export const serverKeyRoutes: readonly Route[] = [operatorPage('/operator/servers/:id/keys/:key', keyPage)];
