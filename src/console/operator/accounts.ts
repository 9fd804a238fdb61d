import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { listed } from '#http/pager.ts';
import { field, notice } from '#http/fields.ts';
import { setDisabled, setRole, unlinkPlayer } from '#store/accounts/account-changes.ts';
import { accountImpact, deleteAccount } from '#store/accounts/account-deletions.ts';
import { endSessions, sessionsOf } from '#store/accounts/account-sessions.ts';
import { type Account, accountById, accountsBefore, findAccount } from '#store/accounts/accounts.ts';
import { connectedApplications } from '#store/accounts/consents.ts';
import { applicationsOwnedBy } from '#store/applications/owners.ts';
import { button, factsList, formTo, number, timestamp, textOf } from '../components.ts';
import { operatorForm, operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { notFound } from '../sign-in.ts';
import { isConfirmed } from '../confirmation.ts';
import { type Act, confirmationPage } from './confirmation.ts';
import { inOperator } from './layout.ts';
import { searchForm, olderPager, PAGE_SIZE, table } from './lists.ts';

/** Sorts after every account id, so the first page starts at the newest account. */
const AFTER_ALL_IDS = '~';

async function accountsPage(request: ConsoleRequest) {
  const { operator: t } = request.texts;
  const query = textOf(request.c.req.query('q'), 254);
  const { items, next } = listed(await find(request, query), PAGE_SIZE, ({ id }) => id);
  const rows = items.map(
    (account) =>
      html`<tr>
        <th scope="row"><a href="/console/operator/accounts/${account.id}">${account.name}</a></th>
        <td>${account.email}</td>
        <td>${badges(request, account)}</td>
        <td>${timestamp(request, account.created)}</td>
      </tr>`,
  );
  const headings = [t.account_name, t.email, t.state, t.created];
  const inner = html`<section class="card">
    ${searchForm(request, t.find_account, query)}
    ${items.length === 0 ? html`<p class="soft">${t.nothing_found}</p>` : table(t.sections['/accounts'], headings, rows)}
    ${olderPager(request, next)}
  </section>`;
  return inOperator(request, '/accounts', t.sections['/accounts'], inner);
}

async function find({ c, deps }: ConsoleRequest, query: string | undefined): Promise<Account[]> {
  if (query === undefined)
    return await accountsBefore(deps.db, textOf(c.req.query('before'), 32) ?? AFTER_ALL_IDS, PAGE_SIZE + 1);
  const account = await findAccount(deps.db, query);
  return account === undefined ? [] : [account];
}

function badges({ texts: { operator: t } }: ConsoleRequest, account: Account): Html {
  const role = { user: undefined, moderator: t.is_moderator, operator: t.is_operator }[account.role];
  return html`${role === undefined ? '' : html`<span class="badge warn">${role}</span> `}${
    account.disabled === null ? '' : html`<span class="badge bad">${t.is_disabled}</span> `
  }${account.player_uuid === null ? '' : html`<span class="badge good">${t.is_linked}</span> `}${
    account.email_verified ? '' : html`<span class="badge">${t.is_unverified}</span>`
  }`;
}

const hasBadges = ({ role, disabled, player_uuid, email_verified }: Account): boolean =>
  role !== 'user' || disabled !== null || player_uuid !== null || !email_verified;

async function requireAccount({ c, deps }: ConsoleRequest): Promise<Account> {
  const account = await accountById(deps.db, c.req.param('id')!);
  if (account === undefined) throw notFound();
  return account;
}

async function accountPage(request: ConsoleRequest, problem?: string) {
  const { deps, now, person } = request;
  const { operator: t } = request.texts;
  const account = await requireAccount(request);
  const sessions = await sessionsOf(deps.db, account.id, now);
  const owned = await applicationsOwnedBy(deps.db, account.id);
  const connected = await connectedApplications(deps.db, account.id);
  const facts: [string, Html | string][] = [
    ['ID', html`<code>${account.id}</code>`],
    [t.email, account.email],
    [t.state, hasBadges(account) ? badges(request, account) : '–'],
    [t.created, timestamp(request, account.created)],
    [
      t.game_account,
      account.player_uuid === null
        ? '–'
        : html`<a href="/console/operator/players/${account.player_uuid}">${account.player_uuid}</a>`,
    ],
    [t.sessions, String(sessions.length)],
    [
      t.owns,
      owned.length === 0
        ? '–'
        : html`${owned.map((app) => html`<div><a href="/console/applications/${app.client_id}">${app.name}</a></div>`)}`,
    ],
    [t.connected, connected.map(({ name }) => name).join(', ') || '–'],
  ];
  const inner = html`<section class="card">
      ${factsList(facts)}
      <p><a href="/console/operator/audit?subject=${account.id}">${t.see_audit}</a></p>
      ${account.id === person.account.id ? '' : html`<p><a class="button quiet" href="/console/operator/accounts/${account.id}/help">${request.texts.help.link}</a></p>`}
    </section>
    ${account.id === person.account.id ? notice(t.own_account) : changesCard(request, account, problem)}`;
  return inOperator(request, '/accounts', account.name, inner, problem === undefined ? 200 : 422);
}

function changesCard(
  request: ConsoleRequest,
  { id, role, disabled, player_uuid, name }: Account,
  problem?: string,
): Html {
  const { operator: t, application } = request.texts;
  const root = `/operator/accounts/${id}`;
  const changeButton = (change: string, label: string, kind = 'quiet'): Html =>
    button(request, root, label, { kind, fields: { change } });
  return html`<section class="card" aria-labelledby="changes">
      <h2 id="changes">${t.changes}</h2>
      <div class="actions">
        ${disabled === null ? changeButton('disable', t.disable, 'quiet danger') : changeButton('enable', t.enable)}
        ${changeButton('sign_out', t.end_sessions)}
        ${player_uuid === null ? '' : changeButton('unlink', t.unlink, 'quiet danger')}
        ${role === 'operator' ? '' : changeButton('make_operator', t.make_operator)}
        ${role === 'moderator' ? '' : changeButton('make_moderator', t.make_moderator)}
        ${role === 'user' ? '' : changeButton('make_user', t.make_user)}
      </div>
      ${role === 'moderator' ? '' : html`<p class="hint">${t.moderator_hint}</p>`}
    </section>
    <section class="card form" aria-labelledby="delete">
      <h2 id="delete">${t.delete_account}</h2>
      <p>${t.delete_account_hint}</p>
      ${formTo(
        request,
        root,
        html`<input type="hidden" name="change" value="delete" />
          ${field({ name: 'name', label: application.delete_confirm(name), error: problem })}
          <button class="danger">${t.delete_account}</button>`,
      )}
    </section>`;
}

/** Each returns false or `last operator` where the account is the last operator, who has to stay one. */
const CHANGES: Record<string, (request: ConsoleRequest, account: Account) => Promise<unknown>> = {
  disable: ({ deps, now }, { id }) => setDisabled(deps.db, id, now),
  enable: ({ deps }, { id }) => setDisabled(deps.db, id, null),
  sign_out: ({ deps }, { id }) => deps.db.transaction((tx) => endSessions(tx, id)),
  unlink: ({ deps }, { id }) => unlinkPlayer(deps.db, id).then(() => true),
  make_operator: ({ deps }, { id }) => setRole(deps.db, id, 'operator'),
  make_moderator: ({ deps }, { id }) => setRole(deps.db, id, 'moderator'),
  make_user: ({ deps }, { id }) => setRole(deps.db, id, 'user'),
  delete: ({ deps, now }, { id }) => deleteAccount(deps.db, now, id),
};

type Confirmation = Pick<Act, 'title' | 'impact' | 'undo' | 'submit'>;

type Question = (request: ConsoleRequest, account: Account) => Promise<Confirmation> | Confirmation | undefined;

/** The content of the page before a change; a change without one is made at once. */
const CONFIRMED: Record<string, Question> = {
  disable: confirmDisabling,
  make_operator: ({ texts: { confirm: t, operator } }, { name }) => {
    const undo = t.make_operator_undo;
    return { title: t.make_operator(name), impact: [t.make_operator_falls], undo, submit: operator.make_operator };
  },
  make_moderator: ({ texts: { confirm: t, operator } }, { name, role }) => {
    if (role !== 'operator') return undefined;
    const [title, undo] = [t.demote(name, operator.is_operator), t.make_user_undo];
    return { title, impact: [t.demote_falls], undo, submit: operator.make_moderator };
  },
  make_user: ({ texts: { confirm: t, operator } }, { name, role }) => {
    const title = t.make_user(name, role === 'moderator' ? operator.is_moderator : operator.is_operator);
    return { title, impact: [t.make_user_falls], undo: t.make_user_undo, submit: operator.make_user };
  },
  unlink: ({ texts: { confirm: t, operator } }, { id, name, player_uuid }) => {
    if (player_uuid === null) return undefined;
    return {
      title: t.unlink(name),
      impact: [t.unlink_falls(`${name}-${id}`)],
      undo: t.unlink_undo,
      submit: operator.unlink,
    };
  },
  delete: confirmDeletion,
};

async function confirmDeletion(request: ConsoleRequest, account: Account): Promise<Confirmation> {
  const { confirm: t, operator } = request.texts;
  const impact = [...(await impactOn(request, account)), ...(account.player_uuid === null ? [] : [t.pseudonym])];
  return { title: t.delete_account(account.name), impact, submit: operator.delete_account };
}

async function confirmDisabling(request: ConsoleRequest, account: Account): Promise<Confirmation> {
  const { confirm: t, operator } = request.texts;
  const impact = [t.disable_falls, ...(await impactOn(request, account))];
  return { title: t.disable_account(account.name), impact, undo: t.disable_undo, submit: operator.disable };
}

async function impactOn(request: ConsoleRequest, { id }: Account): Promise<string[]> {
  const { confirm: t } = request.texts;
  const { sessions, connected, suspended } = await accountImpact(request.deps.db, request.now, id);
  return [
    t.sessions(number(request, sessions)),
    ...(connected.length === 0 ? [] : [t.connected(connected.join(', '))]),
    ...(suspended.length === 0 ? [] : [t.suspended(suspended.join(', '))]),
  ];
}

async function change(request: ConsoleRequest) {
  const { form, person, texts } = request;
  const account = await requireAccount(request);
  const name = form['change'] ?? '';
  // Operators cannot change their own account, so that nobody locks themselves out by mistake.
  if (!Object.hasOwn(CHANGES, name) || account.id === person.account.id) return `/operator/accounts/${account.id}`;
  if (name === 'delete' && form['name']?.trim() !== account.name)
    return await accountPage(request, texts.operator.not_the_name);
  const question = isConfirmed(request) ? undefined : await CONFIRMED[name]?.(request, account);
  if (question !== undefined) {
    const back = `/operator/accounts/${account.id}`;
    return confirmationPage(request, { section: '/accounts', back, ...question });
  }
  const changed = await CHANGES[name]!(request, account);
  if (changed === false || changed === 'last operator') return await accountPage(request, texts.confirm.last_operator);
  await request.record({ action: `account.${name}`, subject: account.id, label: account.name });
  return name === 'delete' ? '/operator/accounts?done=completed' : `/operator/accounts/${account.id}?done=completed`;
}

export const accountRoutes: readonly Route[] = [
  operatorPage('/operator/accounts', accountsPage),
  operatorPage('/operator/accounts/:id', (request) => accountPage(request)),
  operatorForm('/operator/accounts/:id', ({ change: name }) => name !== 'sign_out' && name !== 'unlink', change),
];
