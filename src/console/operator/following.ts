import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import { select } from '#http/fields.ts';
import { type Html, section } from '#http/page.ts';
import { GAME_ADDRESS_FORMS } from '#store/game/watches/game-address.ts';
import { managedServer } from '#store/game/watches/managed-servers.ts';
import { MANAGEMENT_URL_FORMS } from '#store/game/watches/management-url.ts';
import { reportingThemselves, WATCH_PROTOCOLS, watchOf } from '#store/game/watches/server-watches.ts';
import type { ServerNow } from '#store/game/servers.ts';
import { button, fieldsOf, formTo, number, type Problems, timestamp } from '../components.ts';
import type { Issue } from '../operation-form.ts';
import type { ConsoleRequest } from '../routes.ts';

/** The cards of a server's page about following it without a plugin: by the protocol of its game, or by that of its management. */

const MAX_ADDRESS = 300;
const MAX_SECRET = 512;
const MAX_CERTIFICATES = 4_096;

/** What a card shows besides its texts. */
interface Following {
  /** Undefined if the server is not followed. */
  state: Html | undefined;
  fields: Html;
  /** The label of the button that changes how it is followed. */
  change: string;
}

function followingCard(
  request: ConsoleRequest,
  server: ServerNow,
  name: 'watch' | 'management',
  { state, fields, change }: Following,
): Html {
  const t = request.texts[name];
  const root = `/operator/servers/${idOf(server.key)}/${name}`;
  const content = html`<p>${t.lead}</p>
    ${state ?? ''} ${formTo(request, root, html`${fields}<button>${state === undefined ? t.begin : change}</button>`)}
    ${
      state === undefined
        ? ''
        : html`<p>${t.remove_hint}</p>
            ${button(request, `${root}/remove`, t.remove, { kind: 'quiet danger' })}`
    }`;
  return section(name, t.title, content, 'card form');
}

/** The state as a badge. */
const badge = (kind: '' | 'good' | 'bad', text: string): Html => html`<span class="badge ${kind}">${text}</span>`;

export async function watchCard(request: ConsoleRequest, server: ServerNow, problems: Problems): Promise<Html> {
  const { deps, form, now, texts } = request;
  const { watch: t } = texts;
  const watched = await watchOf(deps.db, server.key);
  const since = now - deps.config.PRESENCE_TIMEOUT * 1000;
  const isSelf = (await reportingThemselves(deps.db, [server.key], since)).size > 0;
  const shown = problems['address'] === undefined ? { ...watched } : form;
  const input = fieldsOf(t, { address: shown.address }, problems);
  const protocols = WATCH_PROTOCOLS.map((value) => ({ value, label: t.protocols[value] }));
  const fields = html`${input('address', { maxlength: MAX_ADDRESS })}
  ${select('protocol', t.protocol, protocols, shown.protocol ?? 'minecraft')}`;
  if (watched === undefined) return followingCard(request, server, 'watch', { state: undefined, fields, change: '' });
  const { polled, error, succeeded, playerCount, max } = watched;
  const works = polled === null ? badge('', t.waiting) : badge('good', t.works);
  const outcome = error === null ? works : html`${badge('bad', t.failed)} ${t.reasons[error]}`;
  const players = t.players(number(request, playerCount), number(request, max));
  const state = html`<p>${isSelf ? html`${badge('good', t.reports_itself)} ${t.reports_itself_hint}` : outcome}</p>
    <p class="hint">
      ${succeeded === null ? t.never : html`${t.succeeded} ${timestamp(request, succeeded)} · ${players}`}
    </p>`;
  return followingCard(request, server, 'watch', { state, fields, change: texts.save });
}

/** The secret is never shown again; it is entered with each change, so that a stored one cannot be sent to another address. */
export async function managementCard(request: ConsoleRequest, server: ServerNow, problems: Problems): Promise<Html> {
  const { management: t } = request.texts;
  const managed = await managedServer(request.deps.db, server.key);
  const isRefused = ['url', 'secret', 'ca'].some((name) => problems[name] !== undefined);
  const input = fieldsOf(t, isRefused ? request.form : { url: managed?.url, ca: managed?.ca }, problems);
  const fields = html`${input('url', { maxlength: MAX_ADDRESS })}
  ${input('secret', { type: 'password', maxlength: MAX_SECRET })}
  ${input('ca', { optional: true, rows: 3, maxlength: MAX_CERTIFICATES })}`;
  if (managed === undefined)
    return followingCard(request, server, 'management', { state: undefined, fields, change: '' });
  const { state: found, contact } = managed;
  const works = found === null ? badge('', t.waiting) : badge('good', t.connected);
  const state = html`<p>
      ${found === null || found === 'connected' ? works : html`${badge('bad', t.failed)} ${t.reasons[found]}`}
    </p>
    <p class="hint">${contact === null ? t.never : html`${t.contact} ${timestamp(request, contact)}`}</p>`;
  return followingCard(request, server, 'management', { state, fields, change: t.change });
}

/** The form as fields: an unknown protocol is Minecraft's. */
export function readTarget({ address = '', protocol }: ConsoleRequest['form']): Record<string, string | undefined> {
  return { address, protocol: WATCH_PROTOCOLS.find((value) => value === protocol) };
}

export const wrongTarget = ({ texts: { watch: t } }: ConsoleRequest, _: string, issue?: Issue): string =>
  issue?.code === 'custom' && issue.params?.['port'] === true ? t.port_missing : t.address_wrong(GAME_ADDRESS_FORMS);

export const readManagement = ({
  url = '',
  secret = '',
  ca = '',
}: ConsoleRequest['form']): Record<string, string | undefined> => ({
  ...{ url, secret, ca: ca.trim() === '' ? undefined : ca },
});

export const wrongManagement = ({ texts: { management: t } }: ConsoleRequest, field: string): string | undefined =>
  ({ url: t.url_wrong(MANAGEMENT_URL_FORMS), secret: t.secret_wrong, ca: t.ca_wrong })[field];
