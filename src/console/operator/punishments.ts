import { html } from 'hono/html';
import { boundOf, idOf, keyOf } from '#base/ids.ts';
import { notice } from '#base/form.ts';
import type { Html } from '#base/page.ts';
import { revokePunishment } from '#records/operator-acts.ts';
import { findPlayer } from '#records/players.ts';
import { listPunishments, listPunishmentsOf, type Punishment, punishmentByKey, REVOKED } from '#records/punishments.ts';
import { factsList, formTo, input, linesOf, moment, textOf } from '../parts.ts';
import { operatorForm, operatorPage, type Row, type Visit } from '../rows.ts';
import { notFound } from '../sign-in.ts';
import { inOperator } from './frame.ts';
import { finder, pager, table } from './lists.ts';

const AT_ONCE = 50;
const MAX_REASON = 500;

async function punishments(visit: Visit) {
  const { c } = visit;
  const { operator: t } = visit.texts;
  const query = textOf(c.req.query('q'), 64);
  const found = await find(visit, query);
  const rows = found.map(
    (one) =>
      html`<tr>
        <th scope="row"><a href="/console/operator/punishments/${idOf(one.key)}">${one.punished.name}</a></th>
        <td>${one.type}</td>
        <td>${one.reason}</td>
        <td>${stateBadge(visit, one)}</td>
        <td>${moment(visit, one.time)}</td>
      </tr>`,
  );
  const heads = [t.player, t.kind, t.reason, t.state, t.when];
  const inner = html`<section class="card">
    ${finder(visit, t.find_player, query)}
    ${found.length === 0 ? html`<p class="soft">${t.nothing_found}</p>` : table(t.sections['/punishments'], heads, rows)}
    ${pager(visit, found.length === AT_ONCE ? idOf(found.at(-1)!.key) : undefined)}
  </section>`;
  return inOperator(visit, '/punishments', t.sections['/punishments'], inner);
}

async function find({ c, desk: { db }, now }: Visit, query: string | undefined): Promise<Punishment[]> {
  const before = c.req.query('before') ? boundOf(c.req.query('before')!) : Number.MAX_SAFE_INTEGER;
  if (query === undefined) return await listPunishments(db, before, AT_ONCE, now);
  const player = await findPlayer(db, query);
  return player === undefined ? [] : await listPunishmentsOf(db, player.key, before, AT_ONCE, now);
}

function stateBadge({ texts: { operator: t } }: Visit, { state }: Punishment): Html {
  return html`<span class="badge ${['bad', '', 'good'][state]}">${t.punishment_states[state]}</span>`;
}

async function demand({ c, desk, now }: Visit): Promise<Punishment> {
  const found = await punishmentByKey(desk.db, keyOf(c.req.param('id')!) ?? 0, now);
  if (found === undefined) throw notFound();
  return found;
}

async function one(visit: Visit, wrong?: string) {
  const { operator: t } = visit.texts;
  const punishment = await demand(visit);
  const { key, punished, punisher, type, reason, server, time, expires, state } = punishment;
  const facts: [string, Html | string][] = [
    [t.player, html`<a href="/players/${punished.uuid}">${punished.name}</a>`],
    [t.kind, type],
    [t.reason, reason === '' ? '–' : reason],
    [t.punisher, punisher?.name ?? '–'],
    [t.server, server === '' ? '–' : server],
    [t.when, moment(visit, time)],
    [t.expires, expires === null ? t.never_expires : moment(visit, expires)],
    [t.state, stateBadge(visit, punishment)],
  ];
  const inner = html`<section class="card">${factsList(facts)}</section>
    ${
      state === REVOKED
        ? ''
        : html`<section class="card form" aria-labelledby="revoke">
            <h2 id="revoke">${t.revoke}</h2>
            ${notice(wrong, 'bad')}
            ${formTo(
              visit,
              `/operator/punishments/${idOf(key)}`,
              html`${input({ name: 'reason', label: t.revoke_reason, hint: t.revoke_hint, maxlength: MAX_REASON })}
                <button class="danger">${t.revoke}</button>`,
            )}
          </section>`
    }`;
  return inOperator(visit, '/punishments', `${type}: ${punished.name}`, inner, wrong === undefined ? 200 : 422);
}

async function revoke(visit: Visit) {
  const { desk, form, texts } = visit;
  const reason = linesOf(form['reason'], MAX_REASON);
  const { key, punished, type } = await demand(visit);
  if (reason === undefined) return await one(visit, texts.operator.reason_missing(MAX_REASON));
  const receipt = await revokePunishment(desk.db, desk.clock, key);
  if (receipt?.status === 'rejected') return await one(visit, receipt.reason);
  const detail = { type, reason };
  await visit.record({ action: 'punishment.revoke', subject: idOf(key), label: punished.name, detail });
  return `/operator/punishments/${idOf(key)}?done=revoked`;
}

export const punishmentRows: readonly Row[] = [
  operatorPage('/operator/punishments', punishments),
  operatorPage('/operator/punishments/:id', (visit) => one(visit)),
  operatorForm('/operator/punishments/:id', revoke),
];
