import { html } from 'hono/html';
import { changeEmail, resetPassword, sendVerification } from '#admin/accounts.ts';
import { choices, field, notice } from '#http/fields.ts';
import { type Html, section } from '#http/page.ts';
import type { Account } from '#store/accounts/accounts.ts';
import { mailAddressChange, mailResetLink, mailVerification, makeResetLink } from '#mails/recovery-mails.ts';
import { button, formTo } from '../components.ts';
import { consumeSecret, flashSecret, secretNotice } from '../flash-message.ts';
import { operationForm } from '../operation-form.ts';
import { operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { otherAccount, requireAccount } from './accounts.ts';
import { factorCard } from './factor-reset.ts';
import { inOperator } from './layout.ts';

/** Helps a person who cannot sign in: a link for a new password, another e-mail address, the link to confirm it. */
async function helpPage(request: ConsoleRequest, problem?: string) {
  const { help: t } = request.texts;
  const account = await requireAccount(request);
  const { id, name } = account;
  const refusal = refusalFor(request, account);
  const link = consumeSecret(request, `reset ${id}`);
  const inner = html`<p><a href="/console/operator/accounts/${id}">${name}</a></p>
    ${secretNotice(request, t.paper_link, link)}
    ${
      refusal === undefined
        ? html`${passwordCard(request, account)} ${await factorCard(request, account)}
          ${addressCard(request, account, problem)}`
        : notice(refusal, 'bad')
    }`;
  return inOperator(request, '/accounts', t.title(name), inner);
}

/** An operator cannot help a disabled account, or their own: a stolen session must not take over the account. */
function refusalFor({ texts, person }: ConsoleRequest, { id, disabled }: Account): string | undefined {
  if (id === person.account.id) return texts.operator.own_account;
  return disabled === null ? undefined : texts.help.disabled;
}

function passwordCard(request: ConsoleRequest, { id, email }: Account): Html {
  const { help: t } = request.texts;
  const root = `/operator/accounts/${id}/password`;
  const content = html`<p>${t.password_hint}</p>
    <div class="actions">
      ${button(request, root, t.by_mail(email), { kind: '', fields: { way: 'mail' } })}
      ${button(request, root, t.on_paper, { fields: { way: 'paper' } })}
    </div>
    <p class="hint">${t.paper_hint}</p>`;
  return section('password', t.password, content, 'card stack');
}

function addressCard(request: ConsoleRequest, account: Account, problem: string | undefined): Html {
  const { form, texts } = request;
  const { help: t } = texts;
  const root = `/operator/accounts/${account.id}`;
  const ways = [
    { value: 'link', label: t.confirm_first, hint: t.confirm_first_hint },
    { value: 'now', label: t.change_now, hint: t.change_now_hint },
  ];
  const address = { name: 'email', label: t.new_address, type: 'email', maxlength: 254 } as const;
  const content = html`${
    account.email_verified
      ? ''
      : html`<div class="row spread">
          <p>${t.unverified(account.email)}</p>
          ${button(request, `${root}/verification`, t.resend)}
        </div>`
  }
  ${formTo(
    request,
    `${root}/email`,
    html`${field({ ...address, value: form['email'], error: problem })}
      ${choices('way', t.address_how, ways, form['way'] ?? 'link')} <button>${t.change_address}</button>`,
  )}`;
  return section('address', t.address, content, 'card form');
}

const AT = '/operator/accounts/:id';
const pathOf = ({ id }: Account, done = ''): string => `/operator/accounts/${id}/help${done}`;
const find = requireAccount;
const disabled = (_: ConsoleRequest, account: Account): string => pathOf(account);

const FORMS: readonly Route[] = [
  operationForm(`${AT}/password`, resetPassword, {
    find,
    read: ({ way }) => ({ paper: way === 'paper' }),
    refused: { disabled },
    done: (request, account, { secret }, { paper }) => {
      if (paper) flashSecret(request, `reset ${account.id}`, makeResetLink(request.deps, account, secret));
      else mailResetLink(request.deps, account, secret);
      return pathOf(account, paper ? '' : '?done=mailed');
    },
  }),
  operationForm(`${AT}/email`, changeEmail, {
    find,
    read: ({ email, way }) => ({ email: email?.trim() ?? '', verified: way === 'now' }),
    wrong: ({ texts }) => texts.help.address_wrong,
    again: (request, { email }) => helpPage(request, email),
    refused: {
      disabled,
      same: (request) => helpPage(request, request.texts.help.address_same),
      taken: (request) => helpPage(request, request.texts.help.address_taken),
    },
    done: ({ deps }, account, { secret }, { email, verified }) => {
      mailAddressChange(deps, account, email, secret);
      return pathOf(account, `?done=${verified ? 'saved' : 'mailed'}`);
    },
  }),
  operationForm(`${AT}/verification`, sendVerification, {
    find,
    refused: { disabled, verified: (_, account) => pathOf(account, '?done=gone') },
    done: ({ deps }, account, { secret }) => {
      mailVerification(deps, account, secret);
      return pathOf(account, '?done=mailed');
    },
  }),
];

export const accountHelpRoutes: readonly Route[] = [
  operatorPage(`${AT}/help`, (request) => helpPage(request)),
  ...FORMS.map((form) => otherAccount(form, '/help')),
];
