import { html } from 'hono/html';
import { notice } from '#base/form.ts';
import type { Html } from '#base/page.ts';
import { uuidOf } from '#base/text.ts';
import { tellAsOperator } from '#records/operator-acts.ts';
import { findPlayer, namesOf, type Player } from '#records/players.ts';
import { formTo, input, moment, textOf } from '../parts.ts';
import { operatorForm, operatorPage, type Row, type Visit } from '../rows.ts';
import { inOperator } from './frame.ts';

/** Somebody's two UUIDs become one: first both are looked at, then it is done, since it cannot be taken back. */
async function merge(visit: Visit, wrong?: string) {
  const { c, form } = visit;
  const { operator: t } = visit.texts;
  const said = c.req.method === 'GET' ? c.req.query() : form;
  const [from, into] = [await known(visit, said['from']), await known(visit, said['into'])];
  const isReady = from !== undefined && into !== undefined && from.uuid !== into.uuid;
  const asked = said['from'] !== undefined || said['into'] !== undefined;
  const problem = wrong ?? (asked && !isReady ? t.merge_unknown : undefined);
  const field = (name: 'from' | 'into', label: string, hint: string): Html =>
    input({ name, label, hint, value: said[name], maxlength: 64 });
  const inner = html`<section class="card form">
      <p>${t.merge_lead}</p>
      ${notice(problem, 'bad')}
      <form class="stack" action="/console/operator/players">
        ${field('from', t.merge_from, t.merge_from_hint)} ${field('into', t.merge_into, t.merge_into_hint)}
        <button class="quiet">${t.merge_look}</button>
      </form>
    </section>
    ${isReady ? await confirmation(visit, from, into) : ''}`;
  return inOperator(visit, '/players', t.sections['/players'], inner, problem === undefined ? 200 : 422);
}

async function known({ desk: { db } }: Visit, text: string | undefined): Promise<Player | undefined> {
  const said = textOf(text, 64);
  return said === undefined ? undefined : await findPlayer(db, said);
}

async function confirmation(visit: Visit, from: Player, into: Player): Promise<Html> {
  const { operator: t } = visit.texts;
  return html`<section class="card form" aria-labelledby="sure">
    <h2 id="sure">${t.merge_title(from.name, into.name)}</h2>
    <dl class="facts">
      <dt>${t.merge_from}</dt>
      <dd>${await described(visit, from)}</dd>
      <dt>${t.merge_into}</dt>
      <dd>${await described(visit, into)}</dd>
    </dl>
    <p><strong>${t.merge_for_good}</strong></p>
    ${formTo(
      visit,
      '/operator/players',
      html`<input type="hidden" name="from" value="${from.uuid}" />
        <input type="hidden" name="into" value="${into.uuid}" />
        <button class="danger">${t.merge_submit}</button>`,
    )}
  </section>`;
}

async function described(visit: Visit, { key, uuid, name, last_login }: Player): Promise<Html> {
  const names = (await namesOf(visit.desk.db, key)).map((one) => one.name);
  return html`<a href="/players/${uuid}">${name}</a><br /><code>${uuid}</code
    ><br />${names.length > 1 ? html`<span class="hint">${names.join(', ')}</span><br />` : ''}<span class="hint"
      >${last_login === null ? '' : moment(visit, last_login)}</span
    >`;
}

async function merged(visit: Visit) {
  const { desk, form, texts } = visit;
  const [from, into] = [uuidOf(form['from'] ?? ''), uuidOf(form['into'] ?? '')];
  if (from === undefined || into === undefined) return await merge(visit, texts.operator.merge_unknown);
  const receipt = await tellAsOperator(desk.db, desk.clock, { type: 'player.merged', data: { from, into } });
  if (receipt.status === 'rejected') return await merge(visit, `${receipt.place}: ${receipt.reason}`);
  await visit.record({ action: 'player.merge', subject: from, label: into, detail: { from, into } });
  return '/operator/players?done=merged';
}

export const playerRows: readonly Row[] = [
  operatorPage('/operator/players', (visit) => merge(visit)),
  operatorForm('/operator/players', merged),
];
