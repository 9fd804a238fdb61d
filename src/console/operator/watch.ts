import { html } from 'hono/html';
import { GAME_ADDRESS_FORMS } from '#store/game/watches/game-address.ts';
import { idOf } from '#platform/ids.ts';
import { field, select } from '#http/fields.ts';
import type { Html } from '#http/page.ts';
import { reportingThemselves, type Watch, WATCH_PROTOCOLS, watchOf } from '#store/game/watches/server-watches.ts';
import type { ServerNow } from '#store/game/servers.ts';
import { button, formTo, number, type Problems, timestamp } from '../components.ts';
import type { Issue } from '../operation-form.ts';
import type { ConsoleRequest } from '../routes.ts';

const MAX_ADDRESS = 300;

/** The card of a server's page about polling it by the protocol of its game. */
export async function watchCard(request: ConsoleRequest, server: ServerNow, problems: Problems): Promise<Html> {
  const { deps, form, now, texts } = request;
  const { watch: t } = texts;
  const root = `/operator/servers/${idOf(server.key)}/watch`;
  const watched = await watchOf(deps.db, server.key);
  const since = now - deps.config.PRESENCE_TIMEOUT * 1000;
  const isSelf = (await reportingThemselves(deps.db, [server.key], since)).size > 0;
  const isRefused = problems['address'] !== undefined;
  const shown = isRefused ? form : { address: watched?.address, protocol: watched?.protocol };
  const protocols = WATCH_PROTOCOLS.map((value) => ({ value, label: t.protocols[value] }));
  const address = { name: 'address', label: t.address, hint: t.address_hint, error: problems['address'] };
  return html`<section class="card form" aria-labelledby="watch">
    <h2 id="watch">${t.title}</h2>
    <p>${t.lead}</p>
    ${watched === undefined ? '' : lastPoll(request, watched, isSelf)}
    ${formTo(
      request,
      root,
      html`${field({ ...address, value: shown.address, maxlength: MAX_ADDRESS })}
        ${select('protocol', t.protocol, protocols, shown.protocol ?? 'minecraft')}<button>
          ${watched === undefined ? t.begin : texts.save}
        </button>`,
    )}
    ${
      watched === undefined
        ? ''
        : html`<p>${t.remove_hint}</p>
            ${button(request, `${root}/remove`, t.remove, { kind: 'quiet danger' })}`
    }
  </section>`;
}

/** The outcome of the last poll, and when the last one succeeded. */
function lastPoll(request: ConsoleRequest, watched: Watch, isSelf: boolean): Html {
  const { watch: t } = request.texts;
  const { polled, error, succeeded, playerCount, max } = watched;
  const success =
    succeeded === null
      ? t.never
      : html`${t.succeeded} ${timestamp(request, succeeded)} ·
        ${t.players(number(request, playerCount), number(request, max))}`;
  const state =
    error === null
      ? html`<span class="badge ${polled === null ? '' : 'good'}">${polled === null ? t.waiting : t.works}</span>`
      : html`<span class="badge bad">${t.failed}</span> ${t.reasons[error]}`;
  return html`<p>
      ${isSelf ? html`<span class="badge good">${t.reports_itself}</span> ${t.reports_itself_hint}` : state}
    </p>
    <p class="hint">${success}</p>`;
}

/** The form as fields: an unknown protocol is Minecraft's. */
export function readTarget({ address = '', protocol }: ConsoleRequest['form']): Record<string, string | undefined> {
  return { address, protocol: WATCH_PROTOCOLS.find((value) => value === protocol) };
}

export const wrongTarget = ({ texts: { watch: t } }: ConsoleRequest, _: string, issue?: Issue): string =>
  issue?.code === 'custom' && issue.params?.['port'] === true ? t.port_missing : t.address_wrong(GAME_ADDRESS_FORMS);
