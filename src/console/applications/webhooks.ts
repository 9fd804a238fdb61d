import { html } from 'hono/html';
import { addWebhook } from '#admin/webhooks.ts';
import { checkbox, notice, select } from '#http/fields.ts';
import { type Html, rowItem, section } from '#http/page.ts';
import { AFTER_RESET, MAX_WEBHOOKS, type Webhook, webhooksOf } from '#store/applications/webhooks/webhooks.ts';
import { type Application } from '#store/applications/applications.ts';
import { RESOURCE_KINDS } from '#store/game/changes.ts';
import { fieldsOf, formTo, type Problems } from '../components.ts';
import { flashSecret } from '../flash-message.ts';
import { operationForm } from '../operation-form.ts';
import { ownedPage, type OwnedRequest, type Route } from '../routes.ts';
import type { Texts } from '../texts/index.ts';
import { inApplication } from './layout.ts';

export const hostOf = ({ url }: Pick<Webhook, 'url'>): string => new URL(url).host;

/** The state of a webhook as a badge. */
export function webhookBadge({ webhooks: t }: Texts, { state, failures }: Webhook): Html {
  const kind = { unverified: 'warn', on: failures > 0 ? 'warn' : 'good', off: 'bad' }[state];
  return html`<span class="badge ${kind}">${t.states[state]}</span>`;
}

/** The banner about webhooks that have been switched off, other than by an owner. */
export async function webhookBanner({ application, deps, texts }: OwnedRequest): Promise<Html> {
  const { webhooks: t } = texts;
  const found = (await webhooksOf(deps.db, application.key)).filter(
    ({ state, reason }) => state === 'off' && reason !== 'owner',
  );
  return html`${found.map(
    (webhook) =>
      html`<p class="notice bad" role="alert">
        ${t.off_banner(hostOf(webhook))} ${webhook.reason === '' ? '' : t.reasons[webhook.reason]}
        <a href="/console/applications/${application.client_id}/webhooks/${webhook.id}">${t.see}</a>
      </p>`,
  )}`;
}

async function listPage(request: OwnedRequest, problems: Problems = {}) {
  const { application, deps, texts } = request;
  const { webhooks: t } = texts;
  const found = await webhooksOf(deps.db, application.key);
  const inner = html`<section class="card" aria-labelledby="webhooks">
      <h2 id="webhooks">${t.title}</h2>
      <p class="hint">${t.lead} <a href="${deps.config.SITE_URL}/developers/webhooks">${t.guide}</a></p>
      ${application.access === 'approved' ? '' : notice(t.no_access)}
      ${
        found.length === 0
          ? html`<p class="soft">${t.none}</p>`
          : html`<ul class="rows">
              ${found.map((webhook) => listItem(request, webhook))}
            </ul>`
      }
    </section>
    ${found.length >= MAX_WEBHOOKS ? notice(problems['url'], 'bad') : addCard(request, problems)}`;
  return await inApplication(request, '/webhooks', t.title, inner);
}

function listItem({ application, texts }: OwnedRequest, webhook: Webhook): Html {
  const { id, url, form, kinds } = webhook;
  const path = `/console/applications/${application.client_id}/webhooks/${id}`;
  return rowItem(
    html`<strong
        ><a href="${path}"><bdi>${url}</bdi></a></strong
      >
      ${webhookBadge(texts, webhook)}`,
    `${form === 'discord' ? 'Discord · ' : ''}${kindList(texts, kinds)}`,
  );
}

export const kindList = ({ webhooks: t, lang }: Texts, kinds: Webhook['kinds']): string =>
  kinds.map((kind) => t.kind_names[kind]).join(lang === 'ja' ? '・' : ', ');

const options = <V extends string>(values: readonly V[], labels: Record<V, string>) =>
  values.map((value) => ({ value, label: labels[value] }));

function addCard(request: OwnedRequest, problems: Problems): Html {
  const { application, texts, form, c } = request;
  const { webhooks: t } = texts;
  const isNew = c.req.method === 'GET';
  const isChosen = (kind: string): boolean => isNew || form[`kind_${kind}`] === '1';
  const kinds = html`<fieldset class="field choices" aria-describedby="kinds-hint">
    <legend>${t.kinds}</legend>
    ${RESOURCE_KINDS.map((kind) => checkbox(`kind_${kind}`, t.kind_names[kind], isChosen(kind)))}
    <p class="hint" id="kinds-hint">${t.kinds_hint}</p>
    ${problems['kinds'] === undefined ? '' : notice(problems['kinds'], 'bad')}
  </fieldset>`;
  const fields = html`${fieldsOf(t, form, problems)('url', { type: 'url', maxlength: 1024 })} ${kinds}
    ${select('start', t.start, options(AFTER_RESET, t.starts), form['start'] ?? 'head')}
    ${select('after_reset', t.after_reset, options(AFTER_RESET, t.starts), form['after_reset'] ?? 'head')}
    <p class="hint">${t.after_reset_hint}</p>
    <button>${t.add}</button>`;
  const content = html`${formTo(request, `/applications/${application.client_id}/webhooks`, fields)}`;
  return section('add', t.add, content, 'card form');
}

const AT = '/applications/:client_id/webhooks';

const refusedAt =
  (name: string, code: keyof Texts['webhooks']['problems']) =>
  (request: OwnedRequest): ReturnType<typeof listPage> =>
    listPage(request, { [name]: request.texts.webhooks.problems[code] });

export const webhookListRoutes: readonly Route[] = [
  ownedPage(AT, (request) => listPage(request)),
  operationForm(AT, addWebhook, {
    find: async ({ application }): Promise<Application> => application,
    read: (form) => ({
      ...{ url: form['url'], start: form['start'], after_reset: form['after_reset'] },
      kinds: RESOURCE_KINDS.filter((kind) => form[`kind_${kind}`] === '1').join(','),
    }),
    wrong: ({ texts: { webhooks: t } }, name) => (name === 'kinds' ? t.problems.kinds : undefined),
    again: (request, problems) => listPage(request, problems),
    refused: {
      url: refusedAt('url', 'url'),
      scheme: refusedAt('url', 'scheme'),
      credentials: refusedAt('url', 'credentials'),
      port: refusedAt('url', 'port'),
      not_public: refusedAt('url', 'not_public'),
      not_discord: refusedAt('url', 'not_discord'),
      discord_kinds: refusedAt('kinds', 'discord_kinds'),
      enough_webhooks: refusedAt('url', 'enough_webhooks'),
      too_many_tests: refusedAt('url', 'too_many_tests'),
    },
    done: (request, { client_id }, { id, secret }) => {
      if (secret !== undefined) flashSecret(request, id, secret);
      return `/applications/${client_id}/webhooks/${id}`;
    },
  }),
];
