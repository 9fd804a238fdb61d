import { html } from 'hono/html';
import { COLON } from '#http/languages.ts';
import { type Html, section } from '#http/page.ts';
import { isApprovedByOperator } from '#store/applications/access-requests.ts';
import { type ApplicationChange, endChange, type WaitingChange } from '#store/applications/application-changes.ts';
import { button, type Fact, factsList, logoImage, timestamp } from '../components.ts';
import type { Deps } from '../deps.ts';
import { mailOwners } from '#mails/application-mails.ts';
import { mailWaitingRequests } from '#mails/operator-mails.ts';
import { ownedForm, type ConsoleRequest, type OwnedRequest, type Route } from '../routes.ts';

/** The present and the wanted name, logo and Redirect URIs beside each other, for owners and operators. */
export function changeTable({ texts }: ConsoleRequest, change: ApplicationChange): Html {
  const { changes: t, application } = texts;
  const { old, name, redirect_uris, post_logout_redirect_uris: uris, client_id, id } = change;
  const added = html`<span class="badge warn">${t.added}</span>`;
  const wantedLogo = html`<img
      class="logo"
      src="/console/applications/${client_id}/change/logo/${id}"
      alt="${t.new_logo}"
      width="64"
      height="64"
    />
    ${added}`;
  const both = (label: string, now: Html, wanted: Html): Fact[] => [
    [`${label}${COLON[texts.lang]}${t.now}`, now],
    [`${label}${COLON[texts.lang]}${t.wanted}`, wanted],
  ];
  const bothUris = (label: string, now: readonly string[], wanted: readonly string[]): Fact[] =>
    both(label, uriList(now, wanted, t.removed), uriList(wanted, now, t.added));
  return factsList([
    ...both(application.name, html`<bdi>${old.name}</bdi>`, html`<bdi>${name}</bdi> ${name === old.name ? '' : added}`),
    ...(change.logo === null ? [] : both(application.logo, logoImage({ client_id }, 64), wantedLogo)),
    ...bothUris(application.redirect_uris, old.redirect_uris, redirect_uris),
    ...(old.post_logout_redirect_uris.length + uris.length === 0
      ? []
      : bothUris(application.post_logout_redirect_uris, old.post_logout_redirect_uris, uris)),
  ]);
}

function uriList(uris: readonly string[], others: readonly string[], label: string): Html {
  return html`${uris.map(
    (uri) =>
      html`<code class="line">${uri}</code
        >${others.includes(uri) ? '' : html`<span class="badge warn">${label}</span>`}`,
  )}`;
}

/** The change that waits, above the settings. */
export function changeCard(request: OwnedRequest, change: ApplicationChange): Html {
  const { application, texts } = request;
  const { changes: t } = texts;
  const content = html`<p>${t.lead}</p>
    ${changeTable(request, change)}
    <p class="hint">
      ${texts.operator.asked_by(change.account_name ?? texts.operator.nobody)} ${timestamp(request, change.created)}
    </p>
    ${button(request, `/applications/${application.client_id}/change/withdraw`, t.withdraw)}`;
  return section('change', t.title, content, 'card next stack');
}

/** Says to owners, before they change something, that it would have to wait. */
export async function changeHint(
  { application, deps, person, texts }: OwnedRequest,
  change: ApplicationChange | undefined,
): Promise<Html> {
  if (change !== undefined || person.isOperator) return html``;
  const waits = await isApprovedByOperator(deps.db, application);
  return waits ? html`<p class="hint">${texts.changes.hint}</p>` : html``;
}

async function withdrawChange(request: OwnedRequest): Promise<string> {
  const { application, deps } = request;
  const { key, client_id, name } = application;
  const ended = await deps.db.transaction(async (tx) => {
    if (!(await endChange(tx, key))) return false;
    await request.record(tx, { action: 'application.change.withdraw', subject: client_id, label: name });
    return true;
  });
  return `/applications/${client_id}/settings?done=${ended ? 'saved' : 'gone'}`;
}

/** Notifies owners and operators by mail of a change that was asked for now. */
export async function announceChange(deps: Deps, waiting: WaitingChange | undefined): Promise<void> {
  if (waiting?.isNew !== true) return;
  await mailOwners(deps, waiting.change, { state: 'asked', note: '' });
  await mailWaitingRequests(deps);
}

export const changeRoutes: readonly Route[] = [
  ownedForm('/applications/:client_id/change/withdraw', 'never', withdrawChange),
];
