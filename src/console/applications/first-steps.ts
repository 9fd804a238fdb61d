import { html } from 'hono/html';
import { type Html, section } from '#http/page.ts';
import { type AccessRequest, listAccessRequests } from '#store/applications/access-requests.ts';
import { keyOf } from '#platform/ids.ts';
import { mailServerOf } from '#platform/mail/mail.ts';
import { mailFailureOf } from '#store/mail/mail-failures.ts';
import { mailedAt } from '#store/mail/operator-mails.ts';
import { activeOperators } from '#store/accounts/accounts.ts';
import type { OwnedRequest } from '../routes.ts';
import { factsList, number, timestamp } from '../components.ts';

/** The next step for an owner: asking for access to the data API or, with access, commands that call it. */
export async function firstSteps(request: OwnedRequest, secret: string | undefined): Promise<Html> {
  const { application, texts, deps } = request;
  const { steps: t } = texts;
  const { access, client_id, type } = application;
  if (access === 'waiting') {
    const waiting = (await listAccessRequests(deps.db, application.key)).find(({ state }) => state === 'waiting');
    if (waiting !== undefined) return await waitingCard(request, waiting);
  }
  if (access !== 'approved') {
    const content = html`<p>
        ${access === 'waiting' || access === 'revoked' ? texts.access.states[access] : t.access[access]}
      </p>
      <p><a class="button" href="/console/applications/${client_id}/access">${texts.tabs['/access']}</a></p>`;
    return section('next', t.title, content, 'card next');
  }
  const content = html`<p>${t.try_client_id}</p>
    <pre tabindex="0"><code>${`curl -H 'X-Client-ID: ${client_id}' ${deps.config.API_URL}/v1/servers`}</code></pre>
    ${
      type === 'service'
        ? html`<p>${t.try_token}</p>
            <pre tabindex="0"><code>${tokenCommands(deps.config, client_id, secret ?? t.your_secret)}</code></pre>`
        : ''
    }
    <p class="hint">${t.guide} <a href="/developers">${texts.developers}</a></p>`;
  return section('next', t.try_title, content);
}

function tokenCommands(
  { AUTH_URL, API_URL }: { AUTH_URL: string; API_URL: string },
  id: string,
  secret: string,
): string {
  return [
    `TOKEN=$(curl -s ${AUTH_URL}/oauth/token \\`,
    `  -d grant_type=client_credentials \\`,
    `  -d client_id=${id} \\`,
    `  -d client_secret=${secret} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -H "Authorization: Bearer $TOKEN" ${API_URL}/v1/servers`,
  ].join('\n');
}

/** A request that waits for the operator: its time, its effect, and whether the operator got a mail about it. */
export async function waitingCard(request: OwnedRequest, accessRequest: AccessRequest): Promise<Html> {
  const { waiting: t } = request.texts;
  const { account } = request.person;
  const facts: [string, Html | string][] = [
    [t.since, timestamp(request, accessRequest.created)],
    [t.opens, opens(request, accessRequest)],
    [t.operator, await operatorText(request, accessRequest)],
  ];
  const content = html`${factsList(facts)}
    <p class="hint">
      ${accessRequest.account_id === account.id ? t.answer(account.email) : t.answer_elsewhere(accessRequest.account_name ?? request.texts.operator.nobody)}
    </p>`;
  return section(`waits-${accessRequest.kind}`, t.title[accessRequest.kind], content, 'card next stack');
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
