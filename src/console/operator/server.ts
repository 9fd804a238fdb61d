import { html } from 'hono/html';
import { boundOf, idOf, keyOf } from '#base/ids.ts';
import type { Html } from '#base/page.ts';
import { tellAsOperator } from '#records/operator-acts.ts';
import { type LoggedReceipt, receiptsBefore } from '#records/receipt-log.ts';
import {
  createServerKey,
  listServerKeys,
  revokeServerKeys,
  rotateServerKey,
  type ServerKey,
} from '#records/server-keys.ts';
import { serverByKey, type ServerNow } from '#records/servers.ts';
import { withdrawEvents, withdrawSince } from '#records/withdrawals.ts';
import { secretNotice, showSecretOnce, takeSecret } from '../once.ts';
import { button, formTo, input, moment, type Problems } from '../parts.ts';
import { operatorForm, operatorPage, type Row, type Visit } from '../rows.ts';
import { notFound } from '../sign-in.ts';
import { inOperator } from './frame.ts';
import { pager, table } from './lists.ts';
import { factFields, factsIn, problemsOf } from './servers.ts';

const RECEIPTS = 20;
const OVERLAP_MS = 24 * 3_600_000;

async function demand({ c, desk, now }: Visit): Promise<ServerNow> {
  const since = now - desk.config.PRESENCE_TIMEOUT * 1000;
  const server = await serverByKey(desk.db, keyOf(c.req.param('id')!) ?? 0, since);
  if (server === undefined) throw notFound();
  return server;
}

/** One game server: its keys, what it has sent, and how to take that back. */
async function one(visit: Visit, problems: Problems = {}) {
  const { c, form, now, desk } = visit;
  const { operator: t } = visit.texts;
  const server = await demand(visit);
  const isPage = c.req.method === 'GET';
  const id = idOf(server.key);
  const { region, order, icon, max } = server;
  const said = isPage ? { region, order: String(order), icon, max: String(max) } : form;
  const before = c.req.query('before');
  const receipts = await receiptsBefore(
    desk.db,
    server.key,
    before ? boundOf(before) : Number.MAX_SAFE_INTEGER,
    RECEIPTS,
  );
  const inner = html`${secretNotice(visit, t.ingest_key, takeSecret(visit, id))}
    ${keysCard(visit, id, await listServerKeys(desk.db, server.key), now)} ${receiptsCard(visit, id, receipts)}
    ${withdrawCard(visit, id, problems)}
    <section class="card form" aria-labelledby="facts">
      <h2 id="facts">${t.facts}</h2>
      ${formTo(visit, `/operator/servers/${id}`, html`${factFields(visit, said, problems)}<button>${visit.texts.save}</button>`)}
    </section>
    <section class="card" aria-labelledby="delete">
      <h2 id="delete">${t.delete_server}</h2>
      <p>${t.delete_server_hint}</p>
      ${button(visit, `/operator/servers/${id}/delete`, t.delete_server, { kind: 'quiet danger' })}
    </section>`;
  return inOperator(visit, '/servers', server.name, inner, isPage ? 200 : 422);
}

function keysCard(visit: Visit, id: string, keys: readonly ServerKey[], now: number): Html {
  const { operator: t } = visit.texts;
  const root = `/operator/servers/${id}/keys`;
  const open = keys.filter(({ expires }) => expires === null || expires > now);
  return html`<section class="card" aria-labelledby="keys">
    <h2 id="keys">${t.keys}</h2>
    ${open.length === 0 ? html`<p class="soft">${t.no_keys}</p>` : ''}
    <ul class="rows">
      ${open.map(
        (key) =>
          html`<li>
            <span class="what"
              ><code>${key.test ? 'shk_test_…' : 'shk_…'}</code>
              ${key.test ? html`<span class="badge">${t.test_key}</span>` : ''}
              <span class="hint"
                >${t.made}
                ${moment(visit, key.created)}${
                  key.expires === null ? '' : html` · ${t.opens_until} ${moment(visit, key.expires)}`
                }</span
              ></span
            >
            ${button(visit, root, t.revoke_key, { kind: 'quiet danger', fields: { act: 'revoke', key: key.id }, about: key.id })}
          </li>`,
      )}
    </ul>
    <div class="actions">
      ${button(visit, root, t.new_key, { fields: { act: 'create' } })}
      ${button(visit, root, t.new_test_key, { fields: { act: 'test' } })}
      ${button(visit, root, t.rotate_key, { fields: { act: 'rotate' } })}
    </div>
  </section>`;
}

function receiptsCard(visit: Visit, id: string, receipts: readonly LoggedReceipt[]): Html {
  const { operator: t } = visit.texts;
  const rows = receipts.map(
    (receipt) =>
      html`<tr>
        <td>${moment(visit, receipt.received)}</td>
        <td><code>${receipt.type ?? '–'}</code> <span class="hint">${receipt.id}</span></td>
        <td>
          <span class="badge ${{ accepted: 'good', withdrawn: 'warn', rejected: 'bad' }[receipt.status]}"
            >${t.receipt_states[receipt.status]}</span
          >
          ${receipt.reason === undefined ? '' : html`<span class="hint">${receipt.place} ${receipt.reason}</span>`}
        </td>
        <td>
          ${
            receipt.status === 'accepted'
              ? button(visit, `/operator/servers/${id}/withdraw`, t.withdraw, {
                  ...{ kind: 'quiet small danger', fields: { receipt: receipt.receipt }, about: receipt.receipt },
                })
              : ''
          }
        </td>
      </tr>`,
  );
  const last = receipts.length === RECEIPTS ? receipts.at(-1)!.receipt : undefined;
  return html`<section class="card" aria-labelledby="receipts">
    <h2 id="receipts">${t.receipts}</h2>
    ${receipts.length === 0 ? html`<p class="soft">${t.no_receipts}</p>` : table(t.receipts, [t.received, t.event, t.state, t.withdraw], rows)}
    ${pager(visit, last)}
  </section>`;
}

function withdrawCard(visit: Visit, id: string, problems: Problems): Html {
  const { operator: t } = visit.texts;
  const since = { name: 'since', label: t.withdraw_since, hint: t.withdraw_since_hint, error: problems['since'] };
  return html`<section class="card form" aria-labelledby="withdraw">
    <h2 id="withdraw">${t.withdraw_title}</h2>
    <p>${t.withdraw_lead}</p>
    ${formTo(
      visit,
      `/operator/servers/${id}/withdraw`,
      html`${input({ ...since, value: visit.form['since'], maxlength: 40 })}<button class="danger">
          ${t.withdraw}
        </button>`,
    )}
  </section>`;
}

async function configure(visit: Visit) {
  const { desk, form } = visit;
  const { key, name } = await demand(visit);
  const event = { type: 'server.configured', server: name, data: factsIn(form) } as const;
  const problems = problemsOf(await tellAsOperator(desk.db, desk.clock, event));
  if (problems !== undefined) return await one(visit, problems);
  await visit.record({ action: 'server.set', subject: idOf(key), label: name });
  return `/operator/servers/${idOf(key)}?done=saved`;
}

async function keys(visit: Visit) {
  const { desk, form, now } = visit;
  const { key, name } = await demand(visit);
  const subject = idOf(key);
  const act = form['act'] ?? '';
  if (act === 'revoke') {
    const revoked = await revokeServerKeys(desk.db, now, key, form['key'] ?? '');
    if (revoked > 0)
      await visit.record({ action: 'server.key.revoke', subject, label: name, detail: { key: form['key'] } });
    return `/operator/servers/${subject}?done=${revoked > 0 ? 'withdrawn' : 'gone'}`;
  }
  const isRotation = act === 'rotate';
  const secret = isRotation
    ? await rotateServerKey(desk.db, now, key, OVERLAP_MS)
    : await createServerKey(desk.db, now, key, act === 'test');
  showSecretOnce(visit, subject, secret);
  const detail = { test: act === 'test' };
  await visit.record({ action: isRotation ? 'server.key.rotate' : 'server.key.create', subject, label: name, detail });
  return `/operator/servers/${subject}`;
}

async function withdraw(visit: Visit) {
  const { desk, form, texts } = visit;
  const { key, name } = await demand(visit);
  const { receipt, since } = form;
  const moment = since === undefined ? undefined : Date.parse(since.trim());
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(since?.trim() ?? '');
  if (receipt === undefined && (!isMoment || Number.isNaN(moment))) {
    return await one(visit, { since: texts.operator.since_wrong });
  }
  const done =
    receipt === undefined
      ? await withdrawSince(desk.db, desk.clock, key, moment!)
      : await withdrawEvents(desk.db, desk.clock, [keyOf(receipt) ?? 0], key);
  const detail = { receipt, since, events: done.events, fallen: done.fallen };
  await visit.record({ action: 'server.withdraw', subject: idOf(key), label: name, detail });
  return `/operator/servers/${idOf(key)}?done=${done.events > 0 ? 'told' : 'gone'}`;
}

async function remove(visit: Visit) {
  const { desk } = visit;
  const { key, name } = await demand(visit);
  await tellAsOperator(desk.db, desk.clock, { type: 'server.removed', server: name, data: {} });
  await visit.record({ action: 'server.delete', subject: idOf(key), label: name });
  return '/operator/servers?done=told';
}

const AT = '/operator/servers/:id';
export const serverRows: readonly Row[] = [
  operatorPage(AT, (visit) => one(visit)),
  operatorForm(AT, configure),
  operatorForm(`${AT}/keys`, keys),
  operatorForm(`${AT}/withdraw`, withdraw),
  operatorForm(`${AT}/delete`, remove),
];
