import { html } from 'hono/html';
import { resetFactors } from '#admin/factors.ts';
import { factorCodeCommand } from '#context/command-name.ts';
import { type Html, section } from '#http/page.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { resetOf, resetRefusal } from '#store/accounts/factor-resets.ts';
import { mailFactorReset } from '#mails/recovery-mails.ts';
import { button, number, timestamp } from '../components.ts';
import { operationForm } from '../operation-form.ts';
import type { ConsoleRequest, Route } from '../routes.ts';
import { requireAccount } from './accounts.ts';
import { confirmationPage } from './layout.ts';

/** What staff can do about the second factors of a player, on the pages about an account. */
export async function factorCard(request: ConsoleRequest, account: Account): Promise<Html> {
  const { deps, texts } = request;
  const { factors: t } = texts;
  const content = html`${{
    staff: () => html`<p>${t.staff} <code>${factorCodeCommand(account.name)}</code></p>`,
    no_factor: () => html`<p>${t.none}</p>`,
    waiting: (effective: number) => html`<p>${t.waiting} ${timestamp(request, effective)}</p>`,
    possible: () =>
      html`<p>${t.hint}</p>
        <div class="actions">
          ${button(request, `/operator/accounts/${account.id}/factors`, t.reset, { kind: 'quiet danger' })}
        </div>`,
  }[(await resetRefusal(deps.db, account)) ?? 'possible']((await resetOf(deps.db, account.id)) ?? 0)}`;
  return section('factors', t.title, content, 'card stack');
}

/** Moderators have the page of names only. */
const pathOf = ({ person }: ConsoleRequest, { id, name }: Account, done: string): string =>
  person.isOperator
    ? `/operator/accounts/${id}/help?done=${done}`
    : `/operator/names?${new URLSearchParams({ q: name, done }).toString()}`;

const gone = (request: ConsoleRequest, account: Account): string => pathOf(request, account, 'gone');

export const factorResetRoutes: readonly Route[] = [
  operationForm('/operator/accounts/:id/factors', resetFactors, {
    find: requireAccount,
    confirm: (request, account, { passkeys, recovery_codes }) => {
      const { factors: t } = request.texts;
      return confirmationPage(request, {
        section: request.person.isOperator ? '/accounts' : '/names',
        title: t.ask_title(account.name),
        impact: [t.ask_removed(number(request, passkeys.length), number(request, recovery_codes))],
        undo: t.ask_owner,
        submit: t.reset,
        back: pathOf(request, account, ''),
      });
    },
    refused: { staff: gone, no_factor: gone, waiting: gone },
    done: (request, account, reset) => {
      mailFactorReset(request.deps, account, reset);
      return pathOf(request, account, 'mailed');
    },
  }),
];
