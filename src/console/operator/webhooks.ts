import { html } from 'hono/html';
import { keyCursor, listed } from '#http/pager.ts';
import { blockWebhook, unblockWebhook } from '#admin/webhooks.ts';
import { type Webhook, webhookById, webhooksBefore } from '#store/applications/webhooks/webhooks.ts';
import { hostOf, webhookBadge } from '../applications/webhooks.ts';
import { button, timestamp } from '../components.ts';
import { operationForm } from '../operation-form.ts';
import { type ConsoleRequest, operatorPage, type Route } from '../routes.ts';
import { orNotFound } from '../sign-in.ts';
import { confirmationPage, inOperator } from './layout.ts';
import { hiddenHeading, keyBefore, olderPager, PAGE_SIZE, table } from '../lists.ts';

const AT = '/operator/webhooks';

/** The receivers of all applications. */
async function webhooksPage(request: ConsoleRequest) {
  const { deps, texts } = request;
  const { operator, webhooks: t, application } = texts;
  const found = await webhooksBefore(deps.db, keyBefore(request), PAGE_SIZE + 1);
  const { items, next } = listed(found, PAGE_SIZE, keyCursor);
  const rows = items.map((webhook) => [
    html`<a href="/console/applications/${webhook.client_id}/webhooks/${webhook.id}"><bdi>${hostOf(webhook)}</bdi></a>`,
    html`<a href="/console/applications/${webhook.client_id}">${webhook.application_name}</a>`,
    html`${webhookBadge(texts, webhook)}
    ${webhook.reason === '' ? '' : html`<span class="hint">${t.reasons[webhook.reason]}</span>`}
    ${webhook.failures === 0 ? '' : html`<span class="hint">${t.failing}</span>`}`,
    timestamp(request, webhook.since),
    blockButton(request, webhook),
  ]);
  const headings = [t.url, application.name, t.state, t.since, hiddenHeading(t.block)];
  const inner = html`<section class="card">
    <p class="hint">${t.operator_lead}</p>
    ${table(operator.sections['/webhooks'], headings, rows, { empty: t.none })} ${olderPager(request, next)}
  </section>`;
  return inOperator(request, '/webhooks', operator.sections['/webhooks'], inner);
}

function blockButton(request: ConsoleRequest, webhook: Webhook) {
  const { webhooks: t } = request.texts;
  const about = hostOf(webhook);
  return webhook.state === 'off' && webhook.reason === 'operator'
    ? button(request, `${AT}/${webhook.id}/unblock`, t.unblock, { about })
    : button(request, `${AT}/${webhook.id}/block`, t.block, { kind: 'quiet danger', about });
}

const find = async ({ c, deps }: ConsoleRequest): Promise<Webhook> =>
  orNotFound(await webhookById(deps.db, c.req.param('webhook') ?? ''));

const onWebhook = { find, at: () => AT, done: 'saved' } as const;

export const webhookRoutes: readonly Route[] = [
  operatorPage(AT, webhooksPage),
  operationForm(`${AT}/:webhook/block`, blockWebhook, {
    ...onWebhook,
    confirm: (request, webhook) =>
      confirmationPage(request, {
        section: '/webhooks',
        title: request.texts.webhooks.block_title(hostOf(webhook)),
        impact: [request.texts.webhooks.block_impact],
        undo: request.texts.webhooks.block_undo,
        submit: request.texts.webhooks.block,
        back: AT,
      }),
    refused: { blocked: 'gone' },
  }),
  operationForm(`${AT}/:webhook/unblock`, unblockWebhook, { ...onWebhook, refused: { not_blocked: 'gone' } }),
];
