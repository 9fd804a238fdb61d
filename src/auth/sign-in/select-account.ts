import type { Hono } from 'hono';
import { html } from 'hono/html';
import { accountById } from '#store/accounts/accounts.ts';
import type { Context, Deps, Env } from '../deps.ts';
import { showCard } from '../layout.ts';
import { finish, type Interaction, interactionForm, restart } from './interaction.ts';

/** The page of `prompt=select_account`: continue with the account that is signed in, or sign in with another one. */
export function selectAccountPages(app: Hono<Env>, deps: Deps): void {
  const submit = interactionForm(deps, 'select_account', (c) => finish(c, deps, { select_account: {} }));
  app.post('/sign-in/:uid/account', submit);
}

export async function showSelectAccount(c: Context, deps: Deps, interaction: Interaction): Promise<Response> {
  const { select_account: t, consent, sign_in, cancel } = c.get('texts');
  const account = await accountById(deps.db.shortReads, interaction.accountId ?? '');
  if (account === undefined) return restart(c, interaction);
  const title = t.title(account.name);
  const path = `/sign-in/${interaction.uid}`;
  const content = html`<p class="soft">${sign_in.lead(interaction.application.name)}</p>
    <form class="stack" method="post" action="${path}/account"><button>${t.submit(account.name)}</button></form>
    <div class="row spread">
      <form method="post" action="${path}/switch"><button class="link">${consent.other}</button></form>
      <form method="post" action="${path}/cancel"><button class="link">${cancel}</button></form>
    </div>`;
  return await showCard(c, deps, title, content);
}
