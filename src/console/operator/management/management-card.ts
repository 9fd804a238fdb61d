import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { field } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { type Managed, managedServer } from '#store/game/watches/managed-servers.ts';
import { MANAGEMENT_URL_FORMS } from '#store/game/watches/management-url.ts';
import type { ServerNow } from '#store/game/servers.ts';
import { button, formTo, type Problems, timestamp } from '../../components.ts';
import type { ConsoleRequest } from '../../routes.ts';

const MAX_URL = 300;
const MAX_SECRET = 512;
const MAX_CERTIFICATES = 4_096;

/** The card of a server's page about following it by the Minecraft Server Management Protocol. */
export async function managementCard(request: ConsoleRequest, server: ServerNow, problems: Problems): Promise<Html> {
  const { management: t } = request.texts;
  const root = `/operator/servers/${idOf(server.key)}/management`;
  const managed = await managedServer(request.deps.db, server.key);
  return html`<section class="card form" aria-labelledby="management">
    <h2 id="management">${t.title}</h2>
    <p>${t.lead}</p>
    ${managed === undefined ? '' : stateOf(request, managed)}
    ${formTo(
      request,
      root,
      html`${fields(request, managed, problems)}<button>${managed === undefined ? t.begin : t.change}</button>`,
    )}
    ${
      managed === undefined
        ? ''
        : html`<p>${t.remove_hint}</p>
            ${button(request, `${root}/remove`, t.remove, { kind: 'quiet danger' })}`
    }
  </section>`;
}

/** The secret is never shown again; it is entered with each change, so that a stored one cannot be sent to another address. */
function fields({ texts, form }: ConsoleRequest, managed: Managed | undefined, problems: Problems): Html {
  const { management: t } = texts;
  const isRefused = ['url', 'secret', 'ca'].some((name) => problems[name] !== undefined);
  const shown = isRefused ? form : { url: managed?.url, ca: managed?.ca };
  const secret = { name: 'secret', label: t.secret, hint: t.secret_hint, error: problems['secret'] };
  const ca = { name: 'ca', label: t.ca, hint: t.ca_hint, error: problems['ca'], optional: true, rows: 3 };
  return html`${field({ name: 'url', label: t.url, hint: t.url_hint, error: problems['url'], value: shown.url, maxlength: MAX_URL })}
  ${field({ ...secret, type: 'password', maxlength: MAX_SECRET })}
  ${field({ ...ca, value: shown.ca, maxlength: MAX_CERTIFICATES })}`;
}

function stateOf(request: ConsoleRequest, { state, contact }: Managed): Html {
  const { management: t } = request.texts;
  const badge =
    state === null || state === 'connected'
      ? html`<span class="badge ${state === null ? '' : 'good'}">${state === null ? t.waiting : t.connected}</span>`
      : html`<span class="badge bad">${t.failed}</span> ${t.reasons[state]}`;
  return html`<p>${badge}</p>
    <p class="hint">${contact === null ? t.never : html`${t.contact} ${timestamp(request, contact)}`}</p>`;
}

export const readManagement = ({
  url = '',
  secret = '',
  ca = '',
}: ConsoleRequest['form']): Record<string, string | undefined> => ({
  ...{ url, secret, ca: ca.trim() === '' ? undefined : ca },
});

export const wrongManagement = ({ texts: { management: t } }: ConsoleRequest, field: string): string | undefined =>
  ({ url: t.url_wrong(MANAGEMENT_URL_FORMS), secret: t.secret_wrong, ca: t.ca_wrong })[field];
