import { html } from 'hono/html';
import type { Html } from '#http/page.ts';
import { listAccessRequests } from '#store/applications/access-requests.ts';
import { waitingCard } from './waiting.ts';
import type { OwnedRequest } from '../routes.ts';

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
    return html`<section class="card next" aria-labelledby="next">
      <h2 id="next">${t.title}</h2>
      <p>${access === 'waiting' || access === 'revoked' ? texts.access.states[access] : t.access[access]}</p>
      <p><a class="button" href="/console/applications/${client_id}/access">${texts.tabs['/access']}</a></p>
    </section>`;
  }
  return html`<section class="card" aria-labelledby="next">
    <h2 id="next">${t.try_title}</h2>
    <p>${t.try_client_id}</p>
    <pre tabindex="0"><code>${`curl -H 'X-Client-ID: ${client_id}' ${deps.config.API_URL}/v1/servers`}</code></pre>
    ${
      type === 'service'
        ? html`<p>${t.try_token}</p>
            <pre tabindex="0"><code>${tokenCommands(deps.config, client_id, secret ?? t.your_secret)}</code></pre>`
        : ''
    }
    <p class="hint">${t.guide} <a href="/developers">${texts.developers}</a></p>
  </section>`;
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
