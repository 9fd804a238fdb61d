import type { Hono } from 'hono';
import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { type Account, accountById } from '#store/accounts/accounts.ts';
import { LINK_CODE_MS, isLinkCodeValid, newLinkCode } from '#store/accounts/link-codes.ts';
import type { Context, Deps, Env } from '../deps.ts';
import { LINK_SCRIPT, showCard } from '../layout.ts';
import { ifSignedIn, signedIn, signedInForm } from '../session.ts';
import { finish, restart, type Interaction, interactionForm, readInteraction } from './interaction.ts';
import type { Texts } from '../texts/index.ts';

/**
 * Links a game account: the page shows a code, the player types it in the game, and the game server reports the code with
 * the player's UUID (event `account.link`).
 */
export function linkPages(app: Hono<Env>, deps: Deps): void {
  const show = ifSignedIn(deps, (c, { account }) => showLink(c, deps, account));
  const submit = signedInForm(deps, (c, { account }, { code }) => showLink(c, deps, account, code));
  app.get('/account/link', show).post('/account/link', submit);
  app.get('/account/link/state', async (c) => {
    const current = await signedIn(c, deps);
    return current === undefined ? c.body(null, 410) : linkState(c, current.account);
  });
  app.get('/sign-in/:uid/link/state', async (c) => {
    const { prompt, accountId } = await readInteraction(c, deps);
    const account = prompt === 'link' ? await accountById(deps.db.shortReads, accountId ?? '') : undefined;
    return account === undefined ? c.body(null, 410) : linkState(c, account);
  });
  const check = interactionForm(deps, 'link', (c, interaction, { code }) => showLinkStep(c, deps, interaction, code));
  app.post('/sign-in/:uid/link', check);
}

/** Tells the script whether the account is linked. */
function linkState(c: Context, { player_uuid }: Account): Response {
  return c.json({ linked: player_uuid !== null }, 200, { 'cache-control': 'no-store' });
}

async function showLink(c: Context, deps: Deps, account: Account, shown?: string): Promise<Response> {
  if (account.player_uuid !== null) {
    return c.redirect(`/account${shown === undefined ? '' : '?done=linked'}`, 303);
  }
  const code = await codeFor(deps, account, shown);
  const content = codeContent(c.get('texts'), { code, action: '/account/link', checked: shown !== undefined });
  return await showCard(c, deps, c.get('texts').link.title, content, { scripts: [LINK_SCRIPT] });
}

/** With `REGISTRATION=linked` a person must link a game account before signing in to an application. */
export async function showLinkStep(
  c: Context,
  deps: Deps,
  interaction: Interaction,
  shown?: string,
): Promise<Response> {
  const account = await accountById(deps.db, interaction.accountId ?? '');
  if (account === undefined) return restart(c, interaction);
  if (account.player_uuid !== null) {
    return await finish(c, deps, { link: {} });
  }
  const texts = c.get('texts');
  const content = codeContent(texts, {
    code: await codeFor(deps, account, shown),
    action: `/sign-in/${interaction.uid}/link`,
    checked: shown !== undefined,
    why: texts.link.needed(interaction.application.name),
    cancel: `/sign-in/${interaction.uid}/cancel`,
  });
  return await showCard(c, deps, texts.link.title, content, { scripts: [LINK_SCRIPT] });
}

/** Keeps the shown code while it is valid, because the event with it may still be on its way. */
async function codeFor({ db, clock }: Deps, { id }: Account, shown: string | undefined): Promise<string> {
  const isValid = shown !== undefined && (await isLinkCodeValid(db, clock.now(), id, shown));
  return isValid ? shown : await newLinkCode(db, clock.now(), id);
}

interface CodeCard {
  code: string;
  action: string;
  checked: boolean;
  why?: string;
  cancel?: string;
}

function codeContent({ link: t, cancel, back }: Texts, card: CodeCard): Html {
  return html`${card.why === undefined ? '' : html`<p class="soft">${card.why}</p>`}
    ${notice(card.checked ? t.not_yet : undefined)}
    <p>${t.lead}</p>
    <code class="typed">${t.command(card.code)}</code>
    <p class="hint">${t.valid(LINK_CODE_MS / 60_000)} ${t.warning}</p>
    <form method="post" action="${card.action}" data-state="${card.action}/state" data-valid="${LINK_CODE_MS}">
      <input type="hidden" name="code" value="${card.code}" />
      <p role="status" hidden>${t.follows}</p>
      <button>${t.check}</button>
    </form>
    ${
      card.cancel === undefined
        ? html`<p><a href="/account">${back}</a></p>`
        : html`<form method="post" action="${card.cancel}"><button class="quiet">${cancel}</button></form>`
    }`;
}
