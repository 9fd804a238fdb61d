import { html } from 'hono/html';
import { keyOf } from '#platform/ids.ts';
import { mailServerOf } from '#platform/mail/mail.ts';
import type { Html } from '#http/page.ts';
import { mailFailureOf } from '#store/mail/mail-failures.ts';
import { mailedAt } from '#store/mail/operator-mails.ts';
import { activeOperators } from '#store/accounts/accounts.ts';
import type { AccessRequest } from '#store/applications/access-requests.ts';
import { factsList, number, timestamp } from '../components.ts';
import type { OwnedRequest } from '../routes.ts';

/** A request that waits for the operator: its time, its effect, and whether the operator got a mail about it. */
export async function waitingCard(request: OwnedRequest, accessRequest: AccessRequest): Promise<Html> {
  const { waiting: t } = request.texts;
  const { account } = request.person;
  const facts: [string, Html | string][] = [
    [t.since, timestamp(request, accessRequest.created)],
    [t.opens, opens(request, accessRequest)],
    [t.operator, await operatorText(request, accessRequest)],
  ];
  return html`<section class="card next stack" aria-labelledby="waits-${accessRequest.kind}">
    <h2 id="waits-${accessRequest.kind}">${t.title[accessRequest.kind]}</h2>
    ${factsList(facts)}
    <p class="hint">
      ${accessRequest.account_id === account.id ? t.answer(account.email) : t.answer_elsewhere(accessRequest.account_name ?? request.texts.operator.nobody)}
    </p>
  </section>`;
}

function opens(request: OwnedRequest, { kind, volume }: AccessRequest): string {
  const { waiting: t } = request.texts;
  if (kind === 'limit') return t.opens_limit(number(request, volume));
  const { APP_LIMIT, USER_LIMIT } = request.deps.config;
  return t.opens_access(number(request, APP_LIMIT), number(request, USER_LIMIT));
}

async function operatorText(request: OwnedRequest, { id }: AccessRequest): Promise<Html | string> {
  const { deps, texts } = request;
  const { waiting: t } = texts;
  const mailed = deps.config.SMTP_URL === '' ? undefined : await mailedAt(deps.db, keyOf(id)!);
  if (mailed !== undefined) return html`${t.mailed} ${timestamp(request, mailed)}`;
  const isReachable = deps.config.SMTP_URL !== '' && (await activeOperators(deps.db)).length > 0;
  if (!isReachable) return t.in_console;
  return (await mailFailureOf(deps.db, mailServerOf(deps.config))) === undefined ? t.mail_follows : t.mail_fails;
}
