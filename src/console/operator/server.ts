import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import { field } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { listed } from '#http/pager.ts';
import { reportAsOperator } from '#events/operator-events.ts';
import { type LoggedReceipt, receiptsBefore } from '#events/receipt-log.ts';
import {
  createServerKey,
  listServerKeys,
  revokeServerKeys,
  rotateServerKey,
  type ServerKey,
} from '#store/game/server-keys.ts';
import { serverByKey, type ServerNow } from '#store/game/servers.ts';
import { createWithdrawal, receiptImpact, withdrawalImpact } from '#events/jobs/withdrawal.ts';
import { secretNotice, flashSecret, consumeSecret } from '../flash-message.ts';
import { button, formTo, number, timestamp, type Problems } from '../components.ts';
import { operatorForm, operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { notFound } from '../sign-in.ts';
import { connectionCard, typeOf } from './connection.ts';
import { isConfirmed } from '../confirmation.ts';
import { confirmationPage } from './confirmation.ts';
import { inOperator } from './layout.ts';
import { hiddenHeading, keyBefore, olderPager, table } from './lists.ts';
import { serverFields, readServerForm, problemsOf } from './servers.ts';
import { managementCard, manageServer, unmanageServer } from './management/management-card.ts';
import { unwatchServer, watchCard, watchServer } from './watch.ts';

const RECEIPTS = 20;
const OVERLAP_MS = 24 * 3_600_000;

async function requireServer({ c, deps, now }: ConsoleRequest): Promise<ServerNow> {
  const since = now - deps.config.PRESENCE_TIMEOUT * 1000;
  const server = await serverByKey(deps.db, keyOf(c.req.param('id')!) ?? 0, since);
  if (server === undefined) throw notFound();
  return server;
}

/** One game server: its keys, recent receipts, withdrawal of events, and its settings. */
async function serverPage(request: ConsoleRequest, problems: Problems = {}) {
  const { c, form, now, deps } = request;
  const { operator: t } = request.texts;
  const server = await requireServer(request);
  const isPage = c.req.method === 'GET';
  const id = idOf(server.key);
  const { region, order, icon, max, punishments } = server;
  const isOwnForm = !isPage && 'region' in form;
  const submitted = !isOwnForm ? { region, order: String(order), icon, max: String(max), punishments } : form;
  const receipts = await receiptsBefore(deps.db, server.key, keyBefore(request), RECEIPTS + 1);
  const inner = html`${secretNotice(request, t.ingest_key, consumeSecret(request, id))}
    ${c.req.query('before') ? '' : connectionCard(request, server, receipts)}
    ${keysCard(request, id, await listServerKeys(deps.db, server.key), now)} ${receiptsCard(request, id, receipts)}
    ${await watchCard(request, server, problems)} ${await managementCard(request, server, problems)}
    ${retractCard(request, id, problems)}
    <section class="card form" aria-labelledby="facts">
      <h2 id="facts">${t.facts}</h2>
      ${formTo(request, `/operator/servers/${id}`, html`${serverFields(request, submitted, problems)}<button>${request.texts.save}</button>`)}
    </section>
    <section class="card" aria-labelledby="delete">
      <h2 id="delete">${t.delete_server}</h2>
      <p>${t.delete_server_hint}</p>
      ${button(request, `/operator/servers/${id}/delete`, t.delete_server, { kind: 'quiet danger' })}
    </section>`;
  return inOperator(request, '/servers', server.name, inner, isPage ? 200 : 422);
}

function keysCard(request: ConsoleRequest, id: string, keys: readonly ServerKey[], now: number): Html {
  const { operator: t } = request.texts;
  const root = `/operator/servers/${id}/keys`;
  const valid = keys.filter(({ expires }) => expires === null || expires > now);
  return html`<section class="card" aria-labelledby="keys">
    <h2 id="keys">${t.keys}</h2>
    ${valid.length === 0 ? html`<p class="soft">${t.no_keys}</p>` : ''}
    <ul class="rows">
      ${valid.map(
        (key) =>
          html`<li>
            <span class="what"
              ><code>${key.test ? 'shk_test_…' : 'shk_…'}</code>
              ${key.test ? html`<span class="badge">${t.test_key}</span>` : ''}
              <span class="hint"
                >${t.made}
                ${timestamp(request, key.created)}${
                  key.expires === null ? '' : html` · ${t.valid_until} ${timestamp(request, key.expires)}`
                }
                · <a href="/console/operator/punishments/changes?key=${key.id}">${t.changes_by_key}</a></span
              ></span
            >
            ${button(request, root, t.revoke_key, { kind: 'quiet danger', fields: { act: 'revoke', key: key.id }, about: key.id })}
          </li>`,
      )}
    </ul>
    <div class="actions">
      ${button(request, root, t.new_key, { fields: { act: 'create' } })}
      ${button(request, root, t.new_test_key, { fields: { act: 'test' } })}
      ${button(request, root, t.rotate_key, { fields: { act: 'rotate' } })}
    </div>
  </section>`;
}

function receiptsCard(request: ConsoleRequest, id: string, receipts: readonly LoggedReceipt[]): Html {
  const { operator: t } = request.texts;
  const { items, next } = listed(receipts, RECEIPTS, ({ receipt }) => receipt);
  const rows = items.map(
    (receipt) =>
      html`<tr>
        <td>${timestamp(request, receipt.received)}</td>
        <td>${typeOf(request, receipt)} <span class="hint">${receipt.id}</span></td>
        <td>
          <span class="badge ${{ accepted: 'good', withdrawn: 'warn', rejected: 'bad' }[receipt.status]}"
            >${t.receipt_states[receipt.status]}</span
          >
          ${reasonsIn(receipt).map((reason) => html`<span class="hint">${reason}</span>`)}
        </td>
        <td>
          ${
            receipt.status === 'accepted'
              ? button(request, `/operator/servers/${id}/withdraw`, t.withdraw, {
                  kind: 'quiet small danger',
                  fields: { receipt: receipt.receipt },
                  about: receipt.receipt,
                })
              : ''
          }
        </td>
      </tr>`,
  );
  return html`<section class="card" aria-labelledby="receipts">
    <h2 id="receipts">${t.receipts}</h2>
    ${receipts.length === 0 ? html`<p class="soft">${t.no_receipts}</p>` : table(t.receipts, [t.received, t.event, t.state, hiddenHeading(t.withdraw)], rows)}
    ${olderPager(request, next)}
  </section>`;
}

function reasonsIn({ problems, reason }: LoggedReceipt): string[] {
  return problems?.map((problem) => problem.reason) ?? (reason === undefined ? [] : [reason]);
}

function retractCard(request: ConsoleRequest, id: string, problems: Problems): Html {
  const { operator: t } = request.texts;
  const since = { name: 'since', label: t.withdraw_since, hint: t.withdraw_since_hint, error: problems['since'] };
  return html`<section class="card form" aria-labelledby="withdraw">
    <h2 id="withdraw">${t.withdraw_title}</h2>
    <p>${t.withdraw_lead}</p>
    ${formTo(
      request,
      `/operator/servers/${id}/withdraw`,
      html`${field({ ...since, value: request.form['since'], maxlength: 40 })}<button class="danger">
          ${t.withdraw}
        </button>`,
    )}
  </section>`;
}

async function configure(request: ConsoleRequest) {
  const { deps, form } = request;
  const { key, name } = await requireServer(request);
  const event = { type: 'server.configured', server: name, data: readServerForm(form) } as const;
  const problems = problemsOf(await reportAsOperator(deps.db, deps.clock, event));
  if (problems !== undefined) return await serverPage(request, problems);
  await request.record({ action: 'server.set', subject: idOf(key), label: name });
  return `/operator/servers/${idOf(key)}?done=saved`;
}

async function changeKeys(request: ConsoleRequest) {
  const { deps, form, now } = request;
  const { key, name } = await requireServer(request);
  const subject = idOf(key);
  const act = form['act'] ?? '';
  if (act === 'revoke') {
    if (!isConfirmed(request)) return await confirmRevocation(request, key, name);
    const revoked = await revokeServerKeys(deps.db, now, key, form['key'] ?? '');
    if (revoked > 0)
      await request.record({ action: 'server.key.revoke', subject, label: name, detail: { key: form['key'] } });
    return `/operator/servers/${subject}?done=${revoked > 0 ? 'withdrawn' : 'gone'}`;
  }
  const isRotation = act === 'rotate';
  const secret = isRotation
    ? await rotateServerKey(deps.db, now, key, OVERLAP_MS)
    : await createServerKey(deps.db, now, key, act === 'test');
  flashSecret(request, subject, secret);
  const detail = { test: act === 'test' };
  await request.record({
    action: isRotation ? 'server.key.rotate' : 'server.key.create',
    subject,
    label: name,
    detail,
  });
  return `/operator/servers/${subject}`;
}

async function confirmRevocation(request: ConsoleRequest, server: number, name: string) {
  const { deps, form, now, texts } = request;
  const { confirm: t, operator } = texts;
  const id = form['key'] ?? '';
  const valid = (await listServerKeys(deps.db, server)).filter(({ expires }) => expires === null || expires > now);
  const back = `/operator/servers/${idOf(server)}`;
  if (!valid.some((key) => key.id === id)) return `${back}?done=gone`;
  const impact = [t.revoke_key_falls(id), ...(valid.length === 1 ? [t.last_key] : [])];
  return confirmationPage(request, {
    section: '/servers',
    title: t.revoke_key(name),
    impact,
    submit: operator.revoke_key,
    back,
  });
}

/** Withdraws one event by its receipt, or all events that were received since a timestamp. */
async function withdraw(request: ConsoleRequest) {
  const { deps, form, texts } = request;
  const { key, name } = await requireServer(request);
  const { receipt, since } = form;
  const sinceMs = since === undefined ? undefined : Date.parse(since.trim());
  const hasTimestampFormat = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(since?.trim() ?? '');
  if (receipt === undefined && (!hasTimestampFormat || Number.isNaN(sinceMs))) {
    return await serverPage(request, { since: texts.operator.since_wrong });
  }
  const types =
    receipt === undefined ? await withdrawalImpact(deps.db, key, sinceMs!) : await receiptImpact(deps.db, key, receipt);
  const total = types.values().reduce((sum, count) => sum + count, 0);
  if (total === 0 && receipt !== undefined) return `/operator/servers/${idOf(key)}?done=gone`;
  if (!isConfirmed(request)) return confirmWithdrawal(request, key, name, types);
  const params =
    receipt === undefined ? { server: key, since: sinceMs! } : { server: key, keys: [keyOf(receipt) ?? 0] };
  const job = await createWithdrawal(deps.db, deps.clock, params, { label: name, total });
  const detail = { receipt, since, events: total, job: idOf(job) };
  await request.record({ action: 'server.withdraw', subject: idOf(key), label: name, detail });
  return `/operator/jobs/${idOf(job)}`;
}

function confirmWithdrawal(request: ConsoleRequest, server: number, name: string, types: ReadonlyMap<string, number>) {
  const { confirm: t, operator } = request.texts;
  const total = types.values().reduce((sum, count) => sum + count, 0);
  const list = html`<ul>
    ${[...types].map(([type, count]) => html`<li><code>${type}</code>: ${number(request, count)}</li>`)}
  </ul>`;
  return confirmationPage(request, {
    section: '/servers',
    title: t.withdraw(name),
    impact: total === 0 ? [t.nothing] : [t.withdraw_falls(number(request, total)), list],
    submit: operator.withdraw,
    back: `/operator/servers/${idOf(server)}`,
  });
}

async function remove(request: ConsoleRequest) {
  const { deps, now, texts } = request;
  const { key, name } = await requireServer(request);
  if (!isConfirmed(request)) {
    const keys = (await listServerKeys(deps.db, key)).filter(({ expires }) => expires === null || expires > now);
    return confirmationPage(request, {
      section: '/servers',
      title: texts.confirm.delete_server(name),
      impact: [texts.confirm.delete_server_falls(number(request, keys.length))],
      submit: texts.operator.delete_server,
      back: `/operator/servers/${idOf(key)}`,
    });
  }
  await reportAsOperator(deps.db, deps.clock, { type: 'server.removed', server: name, data: {} });
  await request.record({ action: 'server.delete', subject: idOf(key), label: name });
  return '/operator/servers?done=completed';
}

async function watch(request: ConsoleRequest) {
  const server = await requireServer(request);
  const problems = await watchServer(request, server);
  return problems === undefined
    ? `/operator/servers/${idOf(server.key)}?done=saved`
    : await serverPage(request, problems);
}

async function unwatch(request: ConsoleRequest) {
  const server = await requireServer(request);
  const done = (await unwatchServer(request, server)) ? 'completed' : 'gone';
  return `/operator/servers/${idOf(server.key)}?done=${done}`;
}

async function manage(request: ConsoleRequest) {
  const server = await requireServer(request);
  const problems = await manageServer(request, server);
  return problems === undefined
    ? `/operator/servers/${idOf(server.key)}?done=saved`
    : await serverPage(request, problems);
}

async function unmanage(request: ConsoleRequest) {
  const server = await requireServer(request);
  const done = (await unmanageServer(request, server)) ? 'completed' : 'gone';
  return `/operator/servers/${idOf(server.key)}?done=${done}`;
}

const AT = '/operator/servers/:id';
export const serverRoutes: readonly Route[] = [
  operatorPage(AT, (request) => serverPage(request)),
  operatorForm(AT, 'never', configure),
  operatorForm(`${AT}/keys`, ({ act }) => act !== 'revoke', changeKeys),
  operatorForm(`${AT}/watch`, 'never', watch),
  operatorForm(`${AT}/watch/remove`, 'never', unwatch),
  operatorForm(`${AT}/management`, 'always', manage),
  operatorForm(`${AT}/management/remove`, 'never', unmanage),
  operatorForm(`${AT}/withdraw`, 'never', withdraw),
  operatorForm(`${AT}/delete`, 'never', remove),
];
