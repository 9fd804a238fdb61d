import { html } from 'hono/html';
import type { Html } from '#base/page.ts';
import { notice } from '#base/form.ts';
import { setDisabled, setRole, unlinkPlayer } from '#records/account-changes.ts';
import { deleteAccount } from '#records/account-deletions.ts';
import { endSessions, sessionsOf } from '#records/account-sessions.ts';
import { type Account, accountById, accountsBefore, findAccount } from '#records/accounts.ts';
import { connectedApplications } from '#records/consents.ts';
import { applicationsOwnedBy } from '#records/owners.ts';
import { finishPseudonyms } from '#records/pseudonyms.ts';
import { button, factsList, formTo, input, moment, textOf } from '../parts.ts';
import { operatorForm, operatorPage, type Row, type Visit } from '../rows.ts';
import { notFound } from '../sign-in.ts';
import { inOperator } from './frame.ts';
import { finder, pager, table } from './lists.ts';

const AT_ONCE = 50;
const AFTER_ALL = '~';

async function accounts(visit: Visit) {
  const { c, desk, texts } = visit;
  const { operator: t } = texts;
  const query = textOf(c.req.query('q'), 254);
  const one = query === undefined ? undefined : await findAccount(desk.db, query);
  const found =
    query === undefined
      ? await accountsBefore(desk.db, textOf(c.req.query('before'), 32) ?? AFTER_ALL, AT_ONCE)
      : one === undefined
        ? []
        : [one];
  const rows = found.map(
    (account) =>
      html`<tr>
        <th scope="row"><a href="/console/operator/accounts/${account.id}">${account.name}</a></th>
        <td>${account.email}</td>
        <td>${badges(visit, account)}</td>
        <td>${moment(visit, account.created)}</td>
      </tr>`,
  );
  const last = query === undefined && found.length === AT_ONCE ? found.at(-1)!.id : undefined;
  const heads = [t.account_name, t.email, t.state, t.created];
  const inner = html`<section class="card">
    ${finder(visit, t.find_account, query)}
    ${found.length === 0 ? html`<p class="soft">${t.nothing_found}</p>` : table(t.sections['/accounts'], heads, rows)}
    ${pager(visit, last)}
  </section>`;
  return inOperator(visit, '/accounts', t.sections['/accounts'], inner);
}

function badges({ texts: { operator: t } }: Visit, account: Account): Html {
  return html`${account.role === 'operator' ? html`<span class="badge warn">${t.is_operator}</span> ` : ''}${
    account.disabled === null ? '' : html`<span class="badge bad">${t.is_disabled}</span> `
  }${account.player_uuid === null ? '' : html`<span class="badge good">${t.is_linked}</span> `}${
    account.email_verified ? '' : html`<span class="badge">${t.is_unverified}</span>`
  }`;
}

async function demand({ c, desk }: Visit): Promise<Account> {
  const account = await accountById(desk.db, c.req.param('id')!);
  if (account === undefined) throw notFound();
  return account;
}

async function one(visit: Visit, wrong?: string) {
  const { desk, now, person } = visit;
  const { operator: t } = visit.texts;
  const account = await demand(visit);
  const sessions = await sessionsOf(desk.db, account.id, now);
  const [owned, connected] = [
    await applicationsOwnedBy(desk.db, account.id),
    await connectedApplications(desk.db, account.id),
  ];
  const facts: [string, Html | string][] = [
    ['ID', html`<code>${account.id}</code>`],
    [t.email, account.email],
    [t.state, badges(visit, account)],
    [t.created, moment(visit, account.created)],
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
    ${account.id === person.account.id ? notice(t.own_account) : changesCard(visit, account, wrong)}`;
  return inOperator(visit, '/accounts', account.name, inner, wrong === undefined ? 200 : 422);
}

function changesCard(visit: Visit, { id, role, disabled, player_uuid, name }: Account, wrong?: string): Html {
  const { operator: t, application } = visit.texts;
  const root = `/operator/accounts/${id}`;
  const act = (change: string, label: string, kind = 'quiet'): Html =>
    button(visit, root, label, { kind, fields: { change } });
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
        visit,
        root,
        html`<input type="hidden" name="change" value="delete" />
          ${input({ name: 'name', label: application.delete_confirm(name), error: wrong })}
          <button class="danger">${t.delete_account}</button>`,
      )}
    </section>`;
}

const CHANGES: Record<string, (visit: Visit, account: Account) => Promise<unknown>> = {
  disable: ({ desk, now }, { id }) => setDisabled(desk.db, id, now),
  enable: ({ desk }, { id }) => setDisabled(desk.db, id, null),
  sign_out: ({ desk }, { id }) => desk.db.transaction((tx) => endSessions(tx, id)),
  unlink: ({ desk }, { id }) => unlinkPlayer(desk.db, id),
  make_operator: ({ desk }, { id }) => setRole(desk.db, id, 'operator'),
  make_user: ({ desk }, { id }) => setRole(desk.db, id, 'user'),
  delete: remove,
};

/** The matches stay, under a pseudonym. */
async function remove({ desk, now }: Visit, { id }: Account): Promise<void> {
  await deleteAccount(desk.db, now, id);
  await finishPseudonyms(desk.db);
}

async function change(visit: Visit) {
  const { form, person, texts } = visit;
  const account = await demand(visit);
  const name = form['change'] ?? '';
  // An operator cannot lock themselves out, nor give up the role by mistake: another one does it, or a command.
  if (!Object.hasOwn(CHANGES, name) || account.id === person.account.id) return `/operator/accounts/${account.id}`;
  if (name === 'delete' && form['name']?.trim() !== account.name) return await one(visit, texts.operator.not_the_name);
  await CHANGES[name]!(visit, account);
  await visit.record({ action: `account.${name}`, subject: account.id, label: account.name });
  return name === 'delete' ? '/operator/accounts?done=told' : `/operator/accounts/${account.id}?done=told`;
}

export const accountRows: readonly Row[] = [
  operatorPage('/operator/accounts', accounts),
  operatorPage('/operator/accounts/:id', (visit) => one(visit)),
  operatorForm('/operator/accounts/:id', change),
];
