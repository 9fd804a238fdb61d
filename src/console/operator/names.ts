import { html } from 'hono/html';
import { field } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { setName } from '#store/accounts/account-changes.ts';
import { nameProblem } from '#store/accounts/account-names.ts';
import { type Account, accountById, accountByName, accountByPlayer } from '#store/accounts/accounts.ts';
import { findPlayer, namesOf, type Player } from '#store/game/players.ts';
import { formTo, textOf, timestamp } from '../components.ts';
import { renamedMail } from '../mails.ts';
import { moderatorForm, moderatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { notFound } from '../sign-in.ts';
import { inOperator } from './layout.ts';
import { searchForm, table } from './lists.ts';

/** Who bears a name: a player with all names that the network has seen, and an account, whose name may be replaced. */
async function namesPage(request: ConsoleRequest, renaming?: { account: Account; problem: string }) {
  const { c, deps } = request;
  const { operator: t } = request.texts;
  const query = renaming?.account.name ?? textOf(c.req.query('q'), 64);
  const player = query === undefined ? undefined : await findPlayer(deps.db, query);
  const account = renaming?.account ?? (query === undefined ? undefined : await accountOf(request, query, player));
  const isFound = player !== undefined || account !== undefined;
  const inner = html`<section class="card">
      ${searchForm(request, t.find_name, query, '/console/operator/names')}
      ${query === undefined || isFound ? '' : html`<p class="soft">${t.nothing_found}</p>`}
    </section>
    ${player === undefined ? '' : await playerCard(request, player)}
    ${account === undefined ? '' : accountCard(request, account, renaming?.problem)}`;
  return inOperator(request, '/names', t.sections['/names'], inner, renaming === undefined ? 200 : 422);
}

async function accountOf({ deps: { db } }: ConsoleRequest, query: string, player: Player | undefined) {
  return (
    (await accountByName(db, query)) ??
    (await accountById(db, query)) ??
    (player === undefined ? undefined : await accountByPlayer(db, player.uuid))
  );
}

async function playerCard(request: ConsoleRequest, { key, uuid, name }: Player): Promise<Html> {
  const { operator: t } = request.texts;
  const rows = (await namesOf(request.deps.db, key)).map(
    (observed) =>
      html`<tr>
        <th scope="row">${observed.name}</th>
        <td>${timestamp(request, observed.first_seen)}</td>
        <td>${timestamp(request, observed.last_seen)}</td>
      </tr>`,
  );
  return html`<section class="card" aria-labelledby="player">
    <h2 id="player">${t.player}: <a href="/players/${uuid}">${name}</a></h2>
    <p><code>${uuid}</code></p>
    ${table(t.names, [t.names, t.first_seen, t.last_seen], rows)}
    <div class="actions">
      <a class="button quiet" href="/console/operator/punishments?q=${uuid}">${t.see_punishments}</a>
      <a class="button quiet" href="/console/operator/punishments/new?player=${uuid}">${t.issue}</a>
    </div>
  </section>`;
}

function accountCard(request: ConsoleRequest, account: Account, problem: string | undefined): Html {
  const { operator: t } = request.texts;
  const { id, name, player_uuid } = account;
  const value = request.form['name'];
  return html`<section class="card form" aria-labelledby="account">
    <h2 id="account">${t.the_account}: ${name}</h2>
    ${
      player_uuid !== null || !mayRename(request, account)
        ? html`<p>${player_uuid === null ? t.own_account : t.name_follows_game}</p>`
        : formTo(
            request,
            `/operator/names/${id}`,
            html`${field({ name: 'name', label: t.new_name, hint: t.new_name_hint, value, error: problem, maxlength: 16 })}
              <button>${t.rename}</button>`,
          )
    }
  </section>`;
}

/** Nobody renames a colleague through this page, except operators, who manage all accounts. */
function mayRename({ person }: ConsoleRequest, { id, role }: Account): boolean {
  return id !== person.account.id && (role === 'user' || person.isOperator);
}

async function rename(request: ConsoleRequest) {
  const { c, deps, form, texts } = request;
  const { operator: t } = texts;
  const account = await accountById(deps.db, c.req.param('id')!);
  if (account === undefined) throw notFound();
  if (account.player_uuid !== null || !mayRename(request, account))
    return `/operator/names?${new URLSearchParams({ q: account.name, done: 'gone' }).toString()}`;
  const name = (form['name'] ?? '').trim();
  const problem = await nameProblem(deps.db, name);
  if (problem !== undefined)
    return await namesPage(request, { account, problem: problem === 'shape' ? t.name_shape : t.name_taken });
  if (!(await setName(deps.db, account.id, name))) return await namesPage(request, { account, problem: t.name_taken });
  const detail = { from: account.name };
  await request.record({ action: 'account.rename', subject: account.id, label: name, detail });
  deps.mail.send(renamedMail(deps.config, { ...account, name }));
  return `/operator/names?${new URLSearchParams({ q: name, done: 'saved' }).toString()}`;
}

export const nameRoutes: readonly Route[] = [
  moderatorPage('/operator/names', (request) => namesPage(request)),
  moderatorForm('/operator/names/:id', 'never', rename),
];
