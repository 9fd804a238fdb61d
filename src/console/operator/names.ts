import { html } from 'hono/html';
import { field } from '#http/fields.ts';
import { renameAccount } from '#admin/accounts.ts';
import { COLON } from '#http/languages.ts';
import { type Html, section } from '#http/page.ts';
import { type Account, accountById, accountByName, accountByPlayer } from '#store/accounts/accounts.ts';
import { findPlayer, namesOf, type Player } from '#store/game/players.ts';
import { formTo, textOf } from '../components.ts';
import { mailNewName } from '#mails/recovery-mails.ts';
import { operationForm } from '../operation-form.ts';
import { moderatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { requireAccount } from './accounts.ts';
import { factorCard } from './factor-reset.ts';
import { inOperator } from './layout.ts';
import { nothingFound, searchForm } from '../lists.ts';
import { headCard, namesCard, punishmentsCard } from './player-cards.ts';

/** The player of a name, with all names that the network has seen, and the account, whose name may be replaced. */
async function namesPage(request: ConsoleRequest, renaming?: { account: Account; problem: string }) {
  const { c, deps } = request;
  const { operator: t } = request.texts;
  const query = renaming?.account.name ?? textOf(c.req.query('q'), 64);
  const player = query === undefined ? undefined : await findPlayer(deps.db, query);
  const account = renaming?.account ?? (query === undefined ? undefined : await findAccount(request, query, player));
  const isFound = player !== undefined || account !== undefined;
  const inner = html`<section class="card">
      ${searchForm(request, t.find_name, query, '/console/operator/names')}
      ${query === undefined || isFound ? '' : await nothingFound(request, query)}
    </section>
    ${player === undefined ? '' : await playerCards(request, player)}
    ${account === undefined ? '' : html`${accountCard(request, account, renaming?.problem)} ${await factorCard(request, account)}`}`;
  return inOperator(request, '/names', t.sections['/names'], inner);
}

async function findAccount({ deps: { db } }: ConsoleRequest, query: string, player: Player | undefined) {
  return (
    (await accountByName(db, query)) ??
    (await accountById(db, query)) ??
    (player === undefined ? undefined : await accountByPlayer(db, player.uuid))
  );
}

async function playerCards(request: ConsoleRequest, player: Player): Promise<Html> {
  const { uuid, name, key } = player;
  const page = request.person.isOperator ? '/console/operator/players' : '/players';
  const title = html`<h2>
    <a href="${page}/${uuid}"><bdi>${name}</bdi></a>
  </h2>`;
  return html`${await headCard(request, player, { title })} ${await punishmentsCard(request, player)}
  ${namesCard(request, await namesOf(request.deps.db, key))}`;
}

function accountCard(request: ConsoleRequest, account: Account, problem: string | undefined): Html {
  const { operator: t } = request.texts;
  const { id, name, player_uuid } = account;
  const value = request.form['name'];
  const content = html`${
    player_uuid !== null || !mayRename(request, account)
      ? html`<p>${player_uuid === null ? t.own_account : t.name_follows_game}</p>`
      : formTo(
          request,
          `/operator/names/${id}`,
          html`${field({ name: 'name', label: t.new_name, hint: t.new_name_hint, value, error: problem, maxlength: 16 })}
            <button>${t.rename}</button>`,
        )
  }`;
  return section(
    'account',
    html`${request.texts.player_page.account}${COLON[request.texts.lang]}${name}`,
    content,
    'card form',
  );
}

/** Moderators rename accounts without a role, operators all but their own. */
function mayRename({ person }: ConsoleRequest, { id, role }: Account): boolean {
  return id !== person.account.id && (role === 'user' || person.isOperator);
}

const gone = ({ name }: Account): string =>
  `/operator/names?${new URLSearchParams({ q: name, done: 'gone' }).toString()}`;

const renaming = operationForm('/operator/names/:id', renameAccount, {
  find: requireAccount,
  instead: (request, account) => (mayRename(request, account) ? undefined : gone(account)),
  wrong: ({ texts }) => texts.operator.name_shape,
  again: async (request, { name }) =>
    await namesPage(request, { account: await requireAccount(request), problem: name! }),
  refused: {
    linked: (_, account) => gone(account),
    taken: (request, account) => namesPage(request, { account, problem: request.texts.operator.name_taken }),
  },
  done: ({ deps }, account, _, { name }) => {
    mailNewName(deps, { ...account, name });
    return `/operator/names?${new URLSearchParams({ q: name, done: 'saved' }).toString()}`;
  },
});

export const nameRoutes: readonly Route[] = [
  moderatorPage('/operator/names', (request) => namesPage(request)),
  renaming,
];
