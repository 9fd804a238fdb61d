import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import { field, notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { keyCursor, listed } from '#http/pager.ts';
import { revokePunishment } from '#events/operator-events.ts';
import { findPlayer } from '#store/game/players.ts';
import {
  listPunishments,
  listPunishmentsOf,
  type Punishment,
  punishmentByKey,
  REVOKED,
} from '#store/game/punishments.ts';
import { factsList, formTo, linesOf, timestamp, textOf } from '../components.ts';
import { operatorForm, operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { notFound } from '../sign-in.ts';
import { inOperator } from './layout.ts';
import { searchForm, keyBefore, olderPager, PAGE_SIZE, table } from './lists.ts';

const MAX_REASON = 500;

async function punishmentsPage(request: ConsoleRequest) {
  const { c } = request;
  const { operator: t } = request.texts;
  const query = textOf(c.req.query('q'), 64);
  const { items, next } = listed(await find(request, query), PAGE_SIZE, keyCursor);
  const rows = items.map(
    (punishment) =>
      html`<tr>
        <th scope="row">
          <a href="/console/operator/punishments/${idOf(punishment.key)}">${punishment.punished.name}</a>
        </th>
        <td>${punishment.type}</td>
        <td>${punishment.reason}</td>
        <td>${stateBadge(request, punishment)}</td>
        <td>${timestamp(request, punishment.time)}</td>
      </tr>`,
  );
  const headings = [t.player, t.kind, t.reason, t.state, t.when];
  const inner = html`<section class="card">
    ${searchForm(request, t.find_player, query)}
    ${items.length === 0 ? html`<p class="soft">${t.nothing_found}</p>` : table(t.sections['/punishments'], headings, rows)}
    ${olderPager(request, next)}
  </section>`;
  return inOperator(request, '/punishments', t.sections['/punishments'], inner);
}

async function find(request: ConsoleRequest, query: string | undefined): Promise<Punishment[]> {
  const { deps, now } = request;
  const before = keyBefore(request);
  if (query === undefined) return await listPunishments(deps.db, before, PAGE_SIZE + 1, now);
  const player = await findPlayer(deps.db, query);
  return player === undefined ? [] : await listPunishmentsOf(deps.db, player.key, before, PAGE_SIZE + 1, now);
}

function stateBadge({ texts: { operator: t } }: ConsoleRequest, { state }: Punishment): Html {
  return html`<span class="badge ${['bad', '', 'good'][state]}">${t.punishment_states[state]}</span>`;
}

async function requirePunishment({ c, deps, now }: ConsoleRequest): Promise<Punishment> {
  const found = await punishmentByKey(deps.db, keyOf(c.req.param('id')!) ?? 0, now);
  if (found === undefined) throw notFound();
  return found;
}

async function punishmentPage(request: ConsoleRequest, problem?: string) {
  const { operator: t } = request.texts;
  const punishment = await requirePunishment(request);
  const { key, punished, punisher, type, reason, server, time, expires, state } = punishment;
  const facts: [string, Html | string][] = [
    [t.player, html`<a href="/console/operator/players/${punished.uuid}">${punished.name}</a>`],
    [t.kind, type],
    [t.reason, reason === '' ? '–' : reason],
    [t.punisher, punisher?.name ?? '–'],
    [t.server, server === '' ? '–' : server],
    [t.when, timestamp(request, time)],
    [t.expires, expires === null ? t.never_expires : timestamp(request, expires)],
    [t.state, stateBadge(request, punishment)],
  ];
  const inner = html`<section class="card">${factsList(facts)}</section>
    ${
      state === REVOKED
        ? ''
        : html`<section class="card form" aria-labelledby="revoke">
            <h2 id="revoke">${t.revoke}</h2>
            ${notice(problem, 'bad')}
            ${formTo(
              request,
              `/operator/punishments/${idOf(key)}`,
              html`${field({ name: 'reason', label: t.revoke_reason, hint: t.revoke_hint, maxlength: MAX_REASON })}
                <button class="danger">${t.revoke}</button>`,
            )}
          </section>`
    }`;
  return inOperator(request, '/punishments', `${type}: ${punished.name}`, inner, problem === undefined ? 200 : 422);
}

async function revoke(request: ConsoleRequest) {
  const { deps, form, texts } = request;
  const reason = linesOf(form['reason'], MAX_REASON);
  const { key, punished, type } = await requirePunishment(request);
  if (reason === undefined) return await punishmentPage(request, texts.operator.reason_missing(MAX_REASON));
  const receipt = await revokePunishment(deps.db, deps.clock, key);
  if (receipt?.status === 'rejected') return await punishmentPage(request, receipt.reason);
  const detail = { type, reason };
  await request.record({ action: 'punishment.revoke', subject: idOf(key), label: punished.name, detail });
  return `/operator/punishments/${idOf(key)}?done=revoked`;
}

export const punishmentRoutes: readonly Route[] = [
  operatorPage('/operator/punishments', punishmentsPage),
  operatorPage('/operator/punishments/:id', (request) => punishmentPage(request)),
  operatorForm('/operator/punishments/:id', revoke),
];
