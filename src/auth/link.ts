import type { Hono } from 'hono';
import { html } from 'hono/html';
import { notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { type Account, accountById } from '#store/accounts/accounts.ts';
import { LINK_CODE_MS, isLinkCodeValid, newLinkCode } from '#store/accounts/link-codes.ts';
import { type Context, type Deps, type Env, formOf } from './deps.ts';
import { showPage } from './layout.ts';
import { warn } from './mails.ts';
import { signedIn } from './session.ts';
import { finish, formTargetsOf, restart, type Step, stepOf } from './interaction.ts';
import type { Texts } from './texts/index.ts';

/** Proves a game account: the page shows a code, the player types it in the game, the game server reports who it was. */
export function linkPages(app: Hono<Env>, deps: Deps): void {
  app.get('/account/link', async (c) => {
    const current = await signedIn(c, deps);
    return current === undefined ? c.redirect('/sign-in', 303) : await showLink(c, deps, current.account);
  });
  app.post('/account/link', async (c) => {
    const { code } = await formOf(c, deps);
    const current = await signedIn(c, deps);
    return current === undefined ? c.redirect('/sign-in', 303) : await showLink(c, deps, current.account, code);
  });
  app.post('/sign-in/:uid/link', async (c) => {
    const { code } = await formOf(c, deps);
    const step = await stepOf(c, deps);
    if (step.prompt !== 'link') return c.redirect(`/sign-in/${step.uid}`, 303);
    return await showLinkStep(c, deps, step, code);
  });
}

async function showLink(c: Context, deps: Deps, account: Account, shown?: string): Promise<Response> {
  if (account.player_uuid !== null) {
    if (shown !== undefined) mailLinked(deps, account);
    return c.redirect(`/account${shown === undefined ? '' : '?done=linked'}`, 303);
  }
  const code = await codeFor(deps, account, shown);
  const main = codeCard(c.get('texts'), { code, action: '/account/link', tried: shown !== undefined });
  return await showPage(c, deps, { title: c.get('texts').link.title, main });
}

/** The network wants a game account before it lets anybody on to an application (`REGISTRATION=linked`). */
export async function showLinkStep(c: Context, deps: Deps, step: Step, shown?: string): Promise<Response> {
  const account = await accountById(deps.db, step.accountId ?? '');
  if (account === undefined) return restart(c, step);
  if (account.player_uuid !== null) {
    if (shown !== undefined) mailLinked(deps, account);
    return await finish(c, deps, { link: {} });
  }
  const texts = c.get('texts');
  const main = codeCard(texts, {
    code: await codeFor(deps, account, shown),
    action: `/sign-in/${step.uid}/link`,
    tried: shown !== undefined,
    why: texts.link.needed(step.application.name),
    cancel: `/sign-in/${step.uid}/cancel`,
  });
  return await showPage(c, deps, { title: texts.link.title, main, formTargets: formTargetsOf(step) });
}

/** A code that was typed already may still be on its way here: it is not replaced while it stands. */
async function codeFor({ db, clock }: Deps, { id }: Account, shown: string | undefined): Promise<string> {
  const stands = shown !== undefined && (await isLinkCodeValid(db, clock.now(), id, shown));
  return stands ? shown : await newLinkCode(db, clock.now(), id);
}

function mailLinked(deps: Deps, account: Account): void {
  warn(deps, account, (texts) => [texts.linked_subject, texts.linked(account.name)]);
}

interface CodeCard {
  code: string;
  action: string;
  tried: boolean;
  why?: string;
  cancel?: string;
}

function codeCard({ link: t, cancel, back }: Texts, card: CodeCard): Html {
  return html`<div class="card narrow stack">
    <h1>${t.title}</h1>
    ${card.why === undefined ? '' : html`<p class="soft">${card.why}</p>`} ${notice(card.tried ? t.not_yet : undefined)}
    <p>${t.lead}</p>
    <code class="typed">${t.command(card.code)}</code>
    <p class="hint">${t.valid(LINK_CODE_MS / 60_000)} ${t.warning}</p>
    <form method="post" action="${card.action}">
      <input type="hidden" name="code" value="${card.code}" />
      <button>${t.check}</button>
    </form>
    ${
      card.cancel === undefined
        ? html`<p><a href="/account">${back}</a></p>`
        : html`<form method="post" action="${card.cancel}"><button class="quiet">${cancel}</button></form>`
    }
  </div>`;
}
