import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { listed } from '#http/pager.ts';
import { field, notice } from '#http/fields.ts';
import { setDisabled, setRole, unlinkPlayer } from '#store/accounts/account-changes.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { endSessions, sessionsOf } from '#store/accounts/account-sessions.ts';
import { type Account, accountById, accountsBefore, findAccount } from '#store/accounts/accounts.ts';
import { connectedApplications } from '#store/accounts/consents.ts';
import { applicationsOwnedBy } from '#store/applications/owners.ts';
import { rewriteLedger } from '#events/anonymise.ts';
import { button, factsList, formTo, timestamp, textOf } from '../components.ts';
import { operatorForm, operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { notFound } from '../sign-in.ts';
import { inOperator } from './layout.ts';
import { finder, olderPager, PAGE, table } from './lists.ts';

const AFTER_ALL = '~';

async function accounts(request: ConsoleRequest) {
  const { c, deps, texts } = request;
  const { operator: t } = texts;
  const query = textOf(c.req.query('q'), 254);
  const one = query === undefined ? undefined : await findAccount(deps.db, query);
  const found =
    query === undefined
      ? await accountsBefore(deps.db, textOf(c.req.query('before'), 32) ?? AFTER_ALL, PAGE + 1)
      : one === undefined
        ? []
        : [one];
  const { items, next } = listed(found, PAGE, ({ id }) => id);
  const rows = items.map(
    (account) =>
      html`<tr>
        <th scope="row"><a href="/console/operator/accounts/${account.id}">${account.name}</a></th>
        <td>${account.email}</td>
        <td>${badges(request, account)}</td>
        <td>${timestamp(request, account.created)}</td>
      </tr>`,
  );
  const heads = [t.account_name, t.email, t.state, t.created];
  const inner = html`<section class="card">
    ${finder(request, t.find_account, query)}
    ${items.length === 0 ? html`<p class="soft">${t.nothing_found}</p>` : table(t.sections['/accounts'], heads, rows)}
    ${olderPager(request, next)}
  </section>`;
  return inOperator(request, '/accounts', t.sections['/accounts'], inner);
}

function badges({ texts: { operator: t } }: ConsoleRequest, account: Account): Html {
  return html`${account.role === 'operator' ? html`<span class="badge warn">${t.is_operator}</span> ` : ''}${
    account.disabled === null ? '' : html`<span class="badge bad">${t.is_disabled}</span> `
  }${account.player_uuid === null ? '' : html`<span class="badge good">${t.is_linked}</span> `}${
    account.email_verified ? '' : html`<span class="badge">${t.is_unverified}</span>`
  }`;
}

async function demand({ c, deps }: ConsoleRequest): Promise<Account> {
  const account = await accountById(deps.db, c.req.param('id')!);
  if (account === undefined) throw notFound();
  return account;
}

async function one(request: ConsoleRequest, wrong?: string) {
  const { deps, now, person } = request;
  const { operator: t } = request.texts;
  const account = await demand(request);
  const sessions = await sessionsOf(deps.db, account.id, now);
  const [owned, connected] = [
    await applicationsOwnedBy(deps.db, account.id),
    await connectedApplications(deps.db, account.id),
  ];
  const facts: [string, Html | string][] = [
    ['ID', html`<code>${account.id}</code>`],
    [t.email, account.email],
    [t.state, badges(request, account)],
    [t.created, timestamp(request, account.created)],
    [
      t.game_account,
      account.player_uuid === null ? '–' : html`<a href="/players/${account.player_uuid}">${account.player_uuid}</a>`,
    ],
    [t.sessions, String(sessions.length)],
    [
      t.owns,
      owned.length === 0
        ? '–'
        : html`${owned.map((app) => html`<a href="/console/applications/${app.client_id}">${app.name}</a> `)}`,
    ],
    [t.connected, connected.map(({ name }) => name).join(', ') || '–'],
  ];
  const inner = html`<section class="card">
      ${factsList(facts)}
      <p><a href="/console/operator/audit?subject=${account.id}">${t.see_audit}</a></p>
    </section>
    ${account.id === person.account.id ? notice(t.own_account) : changesCard(request, account, wrong)}`;
  return inOperator(request, '/accounts', account.name, inner, wrong === undefined ? 200 : 422);
}

function changesCard(
  request: ConsoleRequest,
  { id, role, disabled, player_uuid, name }: Account,
  wrong?: string,
): Html {
  const { operator: t, application } = request.texts;
  const root = `/operator/accounts/${id}`;
  const act = (change: string, label: string, kind = 'quiet'): Html =>
    button(request, root, label, { kind, fields: { change } });
  return html`<section class="card" aria-labelledby="changes">
      <h2 id="changes">${t.changes}</h2>
      <div class="actions">
        ${disabled === null ? act('disable', t.disable, 'quiet danger') : act('enable', t.enable)}
        ${act('sign_out', t.end_sessions)} ${player_uuid === null ? '' : act('unlink', t.unlink)}
        ${role === 'user' ? act('make_operator', t.make_operator) : act('make_user', t.make_user)}
      </div>
    </section>
    <section class="card form" aria-labelledby="delete">
      <h2 id="delete">${t.delete_account}</h2>
      <p>${t.delete_account_hint}</p>
      ${formTo(
        request,
        root,
        html`<input type="hidden" name="change" value="delete" />
          ${field({ name: 'name', label: application.delete_confirm(name), error: wrong })}
          <button class="danger">${t.delete_account}</button>`,
      )}
    </section>`;
}

const CHANGES: Record<string, (request: ConsoleRequest, account: Account) => Promise<unknown>> = {
  disable: ({ deps, now }, { id }) => setDisabled(deps.db, id, now),
  enable: ({ deps }, { id }) => setDisabled(deps.db, id, null),
  sign_out: ({ deps }, { id }) => deps.db.transaction((tx) => endSessions(tx, id)),
  unlink: ({ deps }, { id }) => unlinkPlayer(deps.db, id),
  make_operator: ({ deps }, { id }) => setRole(deps.db, id, 'operator'),
  make_user: ({ deps }, { id }) => setRole(deps.db, id, 'user'),
  delete: remove,
};

/** The matches stay, under a pseudonym. */
async function remove({ deps, now }: ConsoleRequest, { id }: Account): Promise<void> {
  await deleteAccount(deps.db, now, id);
  await rewriteLedger(deps.db);
}

async function change(request: ConsoleRequest) {
  const { form, person, texts } = request;
  const account = await demand(request);
  const name = form['change'] ?? '';
  // An operator cannot lock themselves out, nor give up the role by mistake: another one does it, or a command.
  if (!Object.hasOwn(CHANGES, name) || account.id === person.account.id) return `/operator/accounts/${account.id}`;
  if (name === 'delete' && form['name']?.trim() !== account.name)
    return await one(request, texts.operator.not_the_name);
  await CHANGES[name]!(request, account);
  await request.record({ action: `account.${name}`, subject: account.id, label: account.name });
  return name === 'delete' ? '/operator/accounts?done=told' : `/operator/accounts/${account.id}?done=told`;
}

export const accountRoutes: readonly Route[] = [
  operatorPage('/operator/accounts', accounts),
  operatorPage('/operator/accounts/:id', (request) => one(request)),
  operatorForm('/operator/accounts/:id', change),
];
