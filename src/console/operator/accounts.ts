import { html } from 'hono/html';
import {
  changeRole,
  deleteAccount,
  disableAccount,
  enableAccount,
  signOutAccount,
  unlinkAccount,
} from '#admin/accounts.ts';
import type { Html } from '#http/page.ts';
import { listed } from '#http/pager.ts';
import { field, notice } from '#http/fields.ts';
import type { AccountImpact } from '#store/accounts/account-deletions.ts';
import { sessionsOf } from '#store/accounts/account-sessions.ts';
import { type Account, accountById, accountsBefore, findAccount, type Role } from '#store/accounts/accounts.ts';
import { connectedApplications } from '#store/accounts/consents.ts';
import { applicationsOwnedBy } from '#store/applications/owners.ts';
import { button, factsList, formTo, number, timestamp, textOf } from '../components.ts';
import { isTyped, oneOfForms, operationForm } from '../operation-form.ts';
import { operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { orNotFound } from '../sign-in.ts';
import { type Act, confirmationPage, inOperator } from './layout.ts';
import { searchForm, olderPager, PAGE_SIZE, table } from '../lists.ts';

/** Sorts after every account id, so the first page starts at the newest account. */
const AFTER_ALL_IDS = '~';

async function accountsPage(request: ConsoleRequest) {
  const { operator: t, application } = request.texts;
  const query = textOf(request.c.req.query('q'), 254);
  const { items, next } = listed(await accountsFor(request, query), PAGE_SIZE, ({ id }) => id);
  const rows = items.map((account) => [
    html`<a href="/console/operator/accounts/${account.id}">${account.name}</a>`,
    account.email,
    badges(request, account),
    timestamp(request, account.created),
  ]);
  const headings = [application.name, t.email, t.state, t.created];
  const inner = html`<section class="card">
    ${searchForm(request, t.find_account, query)}
    ${table(t.sections['/accounts'], headings, rows, { empty: t.nothing_found })} ${olderPager(request, next)}
  </section>`;
  return inOperator(request, '/accounts', t.sections['/accounts'], inner);
}

async function accountsFor({ c, deps }: ConsoleRequest, query: string | undefined): Promise<Account[]> {
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

export const requireAccount = async ({ c, deps }: ConsoleRequest): Promise<Account> =>
  orNotFound(await accountById(deps.db, c.req.param('id')!));

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
  return inOperator(request, '/accounts', account.name, inner);
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

const AT = '/operator/accounts/:id';
const pathOf = ({ id }: Account): string => `/operator/accounts/${id}`;

type Question = Pick<Act, 'title' | 'impact' | 'undo' | 'submit'>;

const ask = (request: ConsoleRequest, account: Account, question: Question) =>
  confirmationPage(request, { section: '/accounts', back: pathOf(account), ...question });

function confirmDisabling(request: ConsoleRequest, account: Account, impact: AccountImpact) {
  const { confirm: t, operator } = request.texts;
  return ask(request, account, {
    title: t.disable_account(account.name),
    impact: [t.disable_impact, ...linesAbout(request, impact)],
    undo: t.disable_undo,
    submit: operator.disable,
  });
}

function linesAbout(request: ConsoleRequest, { sessions, connected, suspended }: AccountImpact): string[] {
  const { confirm: t } = request.texts;
  return [
    t.sessions(number(request, sessions)),
    ...(connected.length === 0 ? [] : [t.connected(connected.join(', '))]),
    ...(suspended.length === 0 ? [] : [t.suspended(suspended.join(', '))]),
  ];
}

function confirmRole(request: ConsoleRequest, account: Account, _: unknown, { role }: { role: Role }) {
  const { confirm: t, operator } = request.texts;
  const { name, role: present } = account;
  if (role === 'operator') {
    const [title, undo] = [t.make_operator(name), t.make_operator_undo];
    return ask(request, account, { title, impact: [t.make_operator_impact], undo, submit: operator.make_operator });
  }
  const undo = t.make_user_undo;
  if (role === 'user') {
    const title = t.make_user(name, present === 'moderator' ? operator.is_moderator : operator.is_operator);
    return ask(request, account, { title, impact: [t.make_user_impact], undo, submit: operator.make_user });
  }
  const submit = operator.make_moderator;
  if (present === 'operator')
    return ask(request, account, {
      title: t.demote(name, operator.is_operator),
      impact: [t.demote_impact],
      undo,
      submit,
    });
  const [title, impact] = [t.make_moderator(name), [t.make_moderator_impact]];
  return ask(request, account, { title, impact, undo: t.make_operator_undo, submit });
}

async function confirmSignOut(request: ConsoleRequest, account: Account) {
  const { confirm: t, operator } = request.texts;
  const sessions = await sessionsOf(request.deps.db, account.id, request.now);
  return ask(request, account, {
    title: t.sign_out(account.name),
    impact: [t.sessions(number(request, sessions.length)), t.sign_out_impact],
    undo: t.sign_out_undo,
    submit: operator.end_sessions,
  });
}

function confirmUnlinking(request: ConsoleRequest, account: Account) {
  const { confirm: t, operator } = request.texts;
  const { id, name, player_uuid } = account;
  if (player_uuid === null) return undefined;
  return ask(request, account, {
    title: t.unlink(name),
    impact: [t.unlink_impact(`${name}-${id}`)],
    undo: t.unlink_undo,
    submit: operator.unlink,
  });
}

function confirmDeletion(request: ConsoleRequest, account: Account, impact: AccountImpact) {
  const { confirm: t, operator } = request.texts;
  return ask(request, account, {
    title: t.delete_account(account.name),
    impact: [...linesAbout(request, impact), ...(account.player_uuid === null ? [] : [t.pseudonym])],
    submit: operator.delete_account,
  });
}

const onAccount = { find: requireAccount, at: pathOf, refused: {}, done: 'completed' } as const;
const lastOperator = {
  last_operator: (request: ConsoleRequest) => accountPage(request, request.texts.confirm.last_operator),
};

const ROLE = operationForm(AT, changeRole, {
  ...onAccount,
  read: ({ change }) => ({ role: change?.replace('make_', '') }),
  confirm: confirmRole,
  refused: lastOperator,
});

const FORMS = {
  disable: operationForm(AT, disableAccount, { ...onAccount, confirm: confirmDisabling, refused: lastOperator }),
  enable: operationForm(AT, enableAccount, onAccount),
  sign_out: operationForm(AT, signOutAccount, { ...onAccount, confirm: confirmSignOut }),
  unlink: operationForm(AT, unlinkAccount, { ...onAccount, confirm: confirmUnlinking }),
  delete: operationForm(AT, deleteAccount, {
    ...onAccount,
    instead: (request, { name }) =>
      isTyped(request, name) ? undefined : accountPage(request, request.texts.operator.not_the_name),
    at: () => '/operator/accounts',
    confirm: confirmDeletion,
    refused: lastOperator,
  }),
  make_operator: ROLE,
  make_moderator: ROLE,
  make_user: ROLE,
};

/**
 * A form about the account of another person: operators cannot change their own, so that they do not lock themselves out
 * by mistake, and a stolen session cannot take over the account.
 * @param page the page of the form, below that of the account
 */
export const otherAccount = (form: Route, page = ''): Route => ({
  ...form,
  handle: async (request) => {
    const { account } = request.person;
    return request.c.req.param('id') === account.id ? `${pathOf(account)}${page}` : await form.handle(request);
  },
});

export const accountRoutes: readonly Route[] = [
  operatorPage('/operator/accounts', accountsPage),
  operatorPage(AT, (request) => accountPage(request)),
  otherAccount(oneOfForms('change', FORMS)),
];
