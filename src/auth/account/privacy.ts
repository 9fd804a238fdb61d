import { html } from 'hono/html';
import { checkbox } from '#http/fields.ts';
import type { Form } from '#http/form.ts';
import { type Html, section } from '#http/page.ts';
import { reportAsOperator } from '#events/ingest/operator-events.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { type Privacy, privacyOf, SWITCHES } from '#store/game/private-players.ts';
import { Keys } from '#store/sequence.ts';
import type { Texts } from '#auth/texts/index.ts';
import { record } from '../audit.ts';
import type { Context, Deps } from '../deps.ts';
import type { SignedIn } from '../session.ts';

/** What a person keeps private of the linked game account. It is an event, so that the ledger and its exports have it. */

export async function privacyCard(
  { db, config }: Deps,
  { account: { privacy: t }, save }: Texts,
  uuid: string | null,
): Promise<Html> {
  if (uuid === null) return html``;
  const privacy = await privacyOf(db.shortReads, uuid);
  const content = html`<p>${t.lead} ${t.in_matches[config.PRIVATE_IN_MATCHES]}</p>
    <form class="stack" method="post" action="/account/privacy">
      ${SWITCHES.map((name) => checkbox(name, t[name], privacy[name]))}
      <button>${save}</button>
    </form>`;
  return section('privacy', t.title, content);
}

/** @returns whether the account has a game account */
export async function changePrivacy(c: Context, deps: Deps, { account }: SignedIn, form: Form): Promise<boolean> {
  const [profile, online, names] = SWITCHES.map((name) => form[name] === '1') as [boolean, boolean, boolean];
  const privacy: Privacy = { profile, online, names };
  return await deps.db.transaction(async (tx) => {
    // Until the lock is held, an event may link the game account to another account.
    await Keys.lock(tx);
    const uuid = (await accountById(tx, account.id))?.player_uuid ?? null;
    if (uuid === null) return false;
    const receipt = await reportAsOperator(tx, deps.clock, {
      type: 'player.privacy',
      data: { player: uuid, ...privacy },
    });
    if (receipt.status === 'rejected') throw new Error(`The change of the privacy was rejected: ${receipt.reason}`);
    await record(tx, c, deps, account, { action: 'account.privacy', detail: { ...privacy } });
    return true;
  });
}
