import { html } from 'hono/html';
import { isEmail } from '#platform/email.ts';
import { choices, field, notice } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { type Account, accountById } from '#store/accounts/accounts.ts';
import { changeAddress, mailResetLink, makeResetLink, resendVerification } from '../account-recovery.ts';
import { button, formTo } from '../components.ts';
import { consumeSecret, flashSecret, secretNotice } from '../flash-message.ts';
import { operatorForm, operatorPage, type Route, type ConsoleRequest } from '../routes.ts';
import { notFound } from '../sign-in.ts';
import { inOperator } from './layout.ts';

/** Helps somebody who cannot sign in: a link for a new password, another e-mail address, the link to confirm it. */
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
        ? html`${passwordCard(request, account)} ${addressCard(request, account, problem)}`
        : notice(refusal, 'bad')
    }`;
  return inOperator(request, '/accounts', t.title(name), inner, problem === undefined ? 200 : 422);
}

/** Nobody helps a disabled account, or their own: a stolen session must not take over the account for good. */
function refusalFor({ texts, person }: ConsoleRequest, { id, disabled }: Account): string | undefined {
  if (id === person.account.id) return texts.operator.own_account;
  return disabled === null ? undefined : texts.help.disabled;
}

async function requireAccount({ c, deps }: ConsoleRequest): Promise<Account> {
  const account = await accountById(deps.db, c.req.param('id')!);
  if (account === undefined) throw notFound();
  return account;
}

function passwordCard(request: ConsoleRequest, { id, email }: Account): Html {
  const { help: t } = request.texts;
  const root = `/operator/accounts/${id}/password`;
  return html`<section class="card stack" aria-labelledby="password">
    <h2 id="password">${t.password}</h2>
    <p>${t.password_hint}</p>
    <div class="actions">
      ${button(request, root, t.by_mail(email), { kind: '', fields: { way: 'mail' } })}
      ${button(request, root, t.on_paper, { fields: { way: 'paper' } })}
    </div>
    <p class="hint">${t.paper_hint}</p>
  </section>`;
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
  return html`<section class="card form" aria-labelledby="address">
    <h2 id="address">${t.address}</h2>
    ${
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
    )}
  </section>`;
}

const PAGE = '/operator/accounts/:id/help';

async function resetPassword(request: ConsoleRequest): Promise<string> {
  const { deps, form } = request;
  const account = await requireAccount(request);
  const { id, name } = account;
  if (refusalFor(request, account) !== undefined) return `/operator/accounts/${id}/help`;
  const way = form['way'] === 'paper' ? 'paper' : 'mail';
  if (way === 'mail') await mailResetLink(deps, account);
  else flashSecret(request, `reset ${id}`, (await makeResetLink(deps, account)).link);
  await request.record({ action: 'account.reset_password', subject: id, label: name, detail: { way } });
  return `/operator/accounts/${id}/help${way === 'mail' ? '?done=mailed' : ''}`;
}

async function changeEmail(request: ConsoleRequest) {
  const { deps, form, texts } = request;
  const { help: t } = texts;
  const account = await requireAccount(request);
  const { id, name } = account;
  if (refusalFor(request, account) !== undefined) return `/operator/accounts/${id}/help`;
  const email = form['email']?.trim() ?? '';
  if (!isEmail(email)) return await helpPage(request, t.address_wrong);
  if (email === account.email) return await helpPage(request, t.address_same);
  const now = form['way'] === 'now';
  if (!(await changeAddress(deps, account, email, now))) return await helpPage(request, t.address_taken);
  await request.record({ action: 'account.email', subject: id, label: name, detail: { confirmed: now } });
  return `/operator/accounts/${id}/help?done=${now ? 'saved' : 'mailed'}`;
}

async function resend(request: ConsoleRequest): Promise<string> {
  const account = await requireAccount(request);
  const { id, name, email_verified } = account;
  if (refusalFor(request, account) !== undefined) return `/operator/accounts/${id}/help`;
  if (email_verified) return `/operator/accounts/${id}/help?done=gone`;
  await resendVerification(request.deps, account);
  await request.record({ action: 'account.verification', subject: id, label: name });
  return `/operator/accounts/${id}/help?done=mailed`;
}

export const accountHelpRoutes: readonly Route[] = [
  operatorPage(PAGE, (request) => helpPage(request)),
  operatorForm('/operator/accounts/:id/password', 'always', resetPassword),
  operatorForm('/operator/accounts/:id/email', 'always', changeEmail),
  operatorForm('/operator/accounts/:id/verification', 'never', resend),
];
