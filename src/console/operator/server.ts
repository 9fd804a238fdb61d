import { html } from 'hono/html';
import { idOf, keyOf } from '#platform/ids.ts';
import {
  changeServer,
  createKey,
  deleteServer,
  manageServer,
  revokeKey,
  rotateKey,
  unmanageServer,
  unwatchServer,
  watchServer,
  withdrawEvents,
} from '#admin/servers.ts';
import type { Form } from '#http/form.ts';
import { type Html, inline, section } from '#http/page.ts';
import { listed } from '#http/pager.ts';
import { type LoggedReceipt, receiptsBefore } from '#events/ledger/server-events.ts';
import { erasedAmong } from '#store/accounts/deleted-players.ts';
import { hiddenOn } from '#store/game/hidden-lists.ts';
import { listServerKeys, type ServerKey } from '#store/game/server-keys.ts';
import { type Server, serverByKey, type ServerNow } from '#store/game/servers.ts';
import { secretNotice, flashSecret, consumeSecret } from '../flash-message.ts';
import { button, formTo, number, timestamp, type Problems } from '../components.ts';
import { oneOfForms, operationForm } from '../operation-form.ts';
import { operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { orNotFound } from '../sign-in.ts';
import { connectionCard, typeOf } from './connection.ts';
import { confirmationPage, inOperator } from './layout.ts';
import { keysCard } from './keys-card.ts';
import { hiddenHeading, keyBefore, olderPager, table } from '../lists.ts';
import { readSettings, serverFields, wrongSetting } from './servers.ts';
import { readTime, timeField } from '../entry-fields.ts';
import { managementCard, readManagement, readTarget, watchCard, wrongManagement, wrongTarget } from './following.ts';

const RECEIPTS = 20;

async function requireServer({ c, deps, now }: ConsoleRequest): Promise<ServerNow> {
  const since = now - deps.config.PRESENCE_TIMEOUT * 1000;
  return orNotFound(await serverByKey(deps.db, keyOf(c.req.param('id')!) ?? 0, since));
}

/** One game server: its keys, recent receipts, withdrawal of events, and its settings. */
async function serverPage(request: ConsoleRequest, problems: Problems = {}) {
  const { c, form, deps } = request;
  const { operator: t } = request.texts;
  const server = await requireServer(request);
  const isPage = c.req.method === 'GET';
  const id = idOf(server.key);
  const { region, order, icon, max, punishments } = server;
  const listed = await hiddenOn(deps.db, server.key);
  const hidden = listed.join('\n');
  const isOwnForm = !isPage && 'region' in form;
  const submitted = !isOwnForm ? { region, order: String(order), icon, max: String(max), punishments, hidden } : form;
  const receipts = await receiptsBefore(deps.db, server.key, keyBefore(request), RECEIPTS + 1);
  const deletion = html`<p>${t.delete_server_hint}</p>
    ${button(request, `/operator/servers/${id}/delete`, t.delete_server, { kind: 'quiet danger' })}`;
  const inner = html`${secretNotice(request, t.ingest_key, consumeSecret(request, id))}
    ${c.req.query('before') ? '' : connectionCard(request, server, receipts)}
    ${keysCard(request, id, await listServerKeys(deps.db, server.key))} ${receiptsCard(request, id, receipts)}
    ${await watchCard(request, server, problems)} ${await managementCard(request, server, problems)}
    ${retractCard(request, id, problems)}
    <section class="card form" aria-labelledby="facts">
      <h2 id="facts">${t.facts}</h2>
      ${formTo(request, `/operator/servers/${id}`, html`${serverFields(request, submitted, problems, await erasedAmong(deps.db, listed))}<button>${request.texts.save}</button>`)}
    </section>
    ${section('delete', t.delete_server, deletion)}`;
  return inOperator(request, '/servers', server.name, inner);
}

function receiptsCard(request: ConsoleRequest, id: string, receipts: readonly LoggedReceipt[]): Html {
  const { operator: t } = request.texts;
  const { items, next } = listed(receipts, RECEIPTS, ({ receipt }) => receipt);
  const withdrawButton = (receipt: string): Html =>
    button(request, `/operator/servers/${id}/withdraw`, t.withdraw, {
      ...{ kind: 'quiet small danger', fields: { receipt }, about: receipt },
    });
  const badges = { accepted: 'good', withdrawn: 'warn', rejected: 'bad' };
  const rows = items.map((one) => [
    timestamp(request, one.received),
    html`${typeOf(request, one)} <span class="hint">${one.id}</span>`,
    html`<span class="badge ${badges[one.status]}">${t.receipt_states[one.status]}</span>
      ${reasonsIn(one).map((reason) => html`<span class="hint">${inline(reason)}</span>`)}`,
    one.status === 'accepted' ? withdrawButton(one.receipt) : '',
  ]);
  const headings = [t.received, t.event, t.state, hiddenHeading(t.withdraw)];
  const content = html`${table(t.receipts, headings, rows, { first: 'td', empty: t.no_receipts })}
  ${olderPager(request, next)}`;
  return section('receipts', t.receipts, content);
}

function reasonsIn({ problems, reason }: LoggedReceipt): string[] {
  return problems?.map((problem) => problem.reason) ?? (reason === undefined ? [] : [reason]);
}

function retractCard(request: ConsoleRequest, id: string, problems: Problems): Html {
  const { operator: t } = request.texts;
  const since = { name: 'since', label: t.withdraw_since, error: problems['since'], value: request.form['since'] };
  const zone = request.deps.config.TIME_ZONE;
  const content = html`<p>${t.withdraw_lead}</p>
    ${formTo(
      request,
      `/operator/servers/${id}/withdraw`,
      html`${timeField(zone, { ...since, hint: request.texts.zone(zone) })}<button class="danger">
          ${t.withdraw}
        </button>`,
    )}`;
  return section('withdraw', t.withdraw_title, content, 'card form');
}

const AT = '/operator/servers/:id';
const at = ({ key }: Server): string => `/operator/servers/${idOf(key)}`;
const onServer = { find: requireServer, at, refused: {} };

function showSecret(request: ConsoleRequest, { key }: Server, { secret }: { secret: string }): string {
  flashSecret(request, idOf(key), secret);
  return `/operator/servers/${idOf(key)}`;
}

const creation = operationForm(`${AT}/keys`, createKey, {
  ...onServer,
  read: ({ act }) => ({ test: act === 'test' }),
  done: showSecret,
});

const rotation = operationForm(`${AT}/keys`, rotateKey, { ...onServer, read: () => ({}), done: showSecret });

const revocation = operationForm(`${AT}/keys`, revokeKey, {
  ...onServer,
  read: ({ key }) => ({ key: key ?? '' }),
  confirm: confirmRevocation,
  refused: { unknown_key: 'gone' },
  done: 'withdrawn',
});

function confirmRevocation(
  request: ConsoleRequest,
  server: Server,
  { valid }: { valid: readonly ServerKey[] },
  fields: { key?: string | undefined },
) {
  const { confirm: t, operator } = request.texts;
  return confirmationPage(request, {
    section: '/servers',
    title: t.revoke_key(server.name),
    impact: [t.revoke_key_impact(fields.key!), ...(valid.length === 1 ? [t.last_key] : [])],
    submit: operator.revoke_key,
    back: at(server),
  });
}

function confirmWithdrawal(
  request: ConsoleRequest,
  server: Server,
  { types, total }: { types: ReadonlyMap<string, number>; total: number },
) {
  const { confirm: t, operator } = request.texts;
  const list = html`<ul>
    ${[...types].map(([type, count]) => html`<li><code>${type}</code>: ${number(request, count)}</li>`)}
  </ul>`;
  return confirmationPage(request, {
    section: '/servers',
    title: t.withdraw(server.name),
    impact: total === 0 ? [t.nothing] : [t.withdraw_impact(number(request, total)), list],
    submit: operator.withdraw,
    back: at(server),
  });
}

function confirmDeletion(request: ConsoleRequest, server: Server, { keys }: { keys: readonly ServerKey[] }) {
  const { confirm: t, operator } = request.texts;
  return confirmationPage(request, {
    section: '/servers',
    title: t.delete_server(server.name),
    impact: [t.delete_server_impact(number(request, keys.length))],
    submit: operator.delete_server,
    back: at(server),
  });
}

/** The form of one event, of all since a time, or of a key, whose time may be empty. */
function readWithdrawal({ receipt, since = '', key, zone = 'UTC' }: Form): Record<string, unknown> {
  if (receipt !== undefined) return { receipt };
  if (key !== undefined && since.trim() === '') return { key };
  const time = readTime(zone, since);
  return { key, since: time === undefined ? since : new Date(time).toISOString() };
}

export const serverRoutes: readonly Route[] = [
  operatorPage(AT, (request) => serverPage(request)),
  operationForm(AT, changeServer, {
    ...onServer,
    read: readSettings,
    wrong: wrongSetting,
    again: serverPage,
    done: 'saved',
  }),
  oneOfForms(
    'act',
    { create: creation, test: creation, rotate: rotation, revoke: revocation },
    ({ c }) => `/operator/servers/${c.req.param('id')!}`,
  ),
  operationForm(`${AT}/watch`, watchServer, {
    ...onServer,
    read: readTarget,
    wrong: wrongTarget,
    again: serverPage,
    done: 'saved',
  }),
  operationForm(`${AT}/watch/remove`, unwatchServer, {
    ...onServer,
    refused: { not_watched: 'gone' },
    done: 'completed',
  }),
  operationForm(`${AT}/management`, manageServer, {
    ...onServer,
    read: readManagement,
    wrong: wrongManagement,
    again: serverPage,
    done: 'saved',
  }),
  operationForm(`${AT}/management/remove`, unmanageServer, {
    ...onServer,
    refused: { not_managed: 'gone' },
    done: 'completed',
  }),
  operationForm(`${AT}/withdraw`, withdrawEvents, {
    ...onServer,
    read: readWithdrawal,
    wrong: ({ texts }) => texts.operator.since_wrong,
    again: serverPage,
    confirm: confirmWithdrawal,
    refused: { unknown_receipt: 'gone', nothing_by_key: 'gone' },
    done: (_, __, { job }) => `/operator/jobs/${idOf(job)}`,
  }),
  operationForm(`${AT}/delete`, deleteServer, {
    ...onServer,
    confirm: confirmDeletion,
    done: () => '/operator/servers?done=completed',
  }),
];
