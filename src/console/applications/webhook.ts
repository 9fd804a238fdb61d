import { html } from 'hono/html';
import { idOf } from '#platform/ids.ts';
import {
  deleteWebhook,
  moveWebhook,
  pauseWebhook,
  resendDelivery,
  resumeWebhook,
  rotateWebhookSecret,
  testWebhook,
  verifyWebhook,
} from '#admin/webhooks.ts';
import { field, notice } from '#http/fields.ts';
import type { Form } from '#http/form.ts';
import { type Html, section } from '#http/page.ts';
import { keyCursor, listed } from '#http/pager.ts';
import { deliveriesBefore, type Delivery, type MessageType } from '#store/applications/webhooks/deliveries.ts';
import { type Webhook, webhookById } from '#store/applications/webhooks/webhooks.ts';
import { type ChangeType, readFeed, type ResourceKind } from '#store/game/changes.ts';
import { button, factsList, formTo, number, type Problems, timestamp } from '../components.ts';
import { readTime, timeField } from '../entry-fields.ts';
import { consumeSecret, flashSecret, secretNotice } from '../flash-message.ts';
import { operationForm } from '../operation-form.ts';
import { type Cell, hiddenHeading, keyBefore, olderPager, PAGE_SIZE, table } from '../lists.ts';
import { ownedPage, type OwnedRequest, type Route } from '../routes.ts';
import { notFound } from '../sign-in.ts';
import { confirmInApplication, inApplication } from './layout.ts';
import { hostOf, kindList, webhookBadge } from './webhooks.ts';

const AT = '/applications/:client_id/webhooks/:webhook';

type Texts = OwnedRequest['texts']['webhooks'];

async function find({ application, c, deps }: OwnedRequest): Promise<Webhook> {
  const webhook = await webhookById(deps.db, c.req.param('webhook') ?? '');
  if (webhook === undefined || webhook.application_key !== application.key) throw notFound();
  return webhook;
}

const pathOf = ({ client_id, id }: Webhook): string => `/applications/${client_id}/webhooks/${id}`;

async function webhookPage(request: OwnedRequest, problems: Problems = {}) {
  const webhook = await find(request);
  const { texts, deps } = request;
  const { webhooks: t } = texts;
  const secret = consumeSecret(request, webhook.id);
  const { head } = await readFeed(deps.db);
  const { state, reason, since, cursor, kinds, form, url } = webhook;
  const facts: [string, string | Html][] = [
    [t.url, html`<code class="line">${url}</code>`],
    [t.form, t.forms[form]],
    [t.kinds, kindList(texts, kinds)],
    [t.state, html`${webhookBadge(texts, webhook)} <span class="hint">${t.since} ${timestamp(request, since)}</span>`],
    ...(reason === '' ? [] : [['', t.reasons[reason]] as [string, string]]),
    ...pauseFacts(request, webhook),
    [t.behind, number(request, Math.max(0, head - cursor.number))],
  ];
  const present = html`${factsList(facts)}
    <div class="actions">${stateButtons(request, webhook)}</div>`;
  const deletion = html`<p>${t.delete_impact}</p>
    ${button(request, `${pathOf(webhook)}/delete`, t.delete, { kind: 'quiet danger' })}`;
  const inner = html`${onceNotice(request, secret)} ${notice(problems['problem'], 'bad')}
  ${section('webhook', html`<bdi>${hostOf(webhook)}</bdi>`, present)}
  ${state === 'unverified' ? await verifyCard(request, webhook, problems) : ''} ${await logCard(request, webhook)}
  ${form === 'standard' ? rotateCard(request, webhook) : ''} ${moveCard(request, webhook, problems)}
  ${section('delete', t.delete, deletion)}`;
  return await inApplication(request, '/webhooks', hostOf(webhook), inner);
}

/** Whether the next attempt is later than now. */
const isPaused = ({ deps }: OwnedRequest, { state, next_attempt }: Webhook): boolean =>
  state !== 'off' && next_attempt > deps.clock.now();

function pauseFacts(request: OwnedRequest, webhook: Webhook): [string, string | Html][] {
  const { webhooks: t } = request.texts;
  if (!isPaused(request, webhook)) return [];
  return [
    ['', webhook.failures > 0 ? t.failing : t.slow_down],
    [t.next_attempt, timestamp(request, webhook.next_attempt)],
  ];
}

/** A webhook's secret is sealed, and not only its hash stored, so the sentence differs from that of other secrets. */
function onceNotice(request: OwnedRequest, secret: string | undefined): Html {
  const { texts } = request;
  const { webhooks: t } = texts;
  return secretNotice({ ...request, texts: { ...texts, once: t.once } }, t.secret_once, secret);
}

function stateButtons(request: OwnedRequest, webhook: Webhook): Html {
  const { webhooks: t } = request.texts;
  const at = pathOf(webhook);
  const isOff = webhook.state === 'off';
  const test = webhook.state === 'unverified' ? t.first_again : t.test;
  return html`${isOff ? '' : button(request, `${at}/test`, test)}
  ${isOff || (webhook.state === 'on' && isPaused(request, webhook)) ? button(request, `${at}/resume`, t.resume) : ''}
  ${isOff ? '' : button(request, `${at}/pause`, t.pause)}`;
}

async function verifyCard(request: OwnedRequest, webhook: Webhook, problems: Problems): Promise<Html> {
  const { webhooks: t } = request.texts;
  const [first] = await deliveriesBefore(request.deps.db, webhook.key, Number.MAX_SAFE_INTEGER, 1);
  const why = first === undefined ? '' : whyUnverified(t, first);
  const code = field({ name: 'code', label: t.code, error: problems['code'], maxlength: 64 });
  const content = html`<p>${t.verify_lead}</p>
    ${why === '' ? '' : html`<p>${t.unverified_because} <strong>${why}</strong></p>`}
    ${formTo(request, `${pathOf(webhook)}/verify`, html`${code}<button>${t.verify}</button>`, 'row bottom')}`;
  return section('verify', t.verify_title, content, 'card next');
}

function rotateCard(request: OwnedRequest, webhook: Webhook): Html {
  const { webhooks: t } = request.texts;
  const content = html`<p class="hint">${t.rotate_hint}</p>
    ${button(request, `${pathOf(webhook)}/secret`, t.rotate)}`;
  return section('rotate', t.rotate, content);
}

function moveCard(request: OwnedRequest, webhook: Webhook, problems: Problems): Html {
  const { webhooks: t } = request.texts;
  const zone = request.deps.config.TIME_ZONE;
  const entered = (name: 'to' | 'since') => ({
    ...{ name, value: request.form[name], error: problems[name], optional: true },
  });
  const fields = html`${field({ ...entered('to'), label: t.move_to, hint: t.move_hint })}
  ${timeField(zone, { ...entered('since'), label: t.move_since, hint: request.texts.zone(zone) })}`;
  const content = html`${formTo(request, `${pathOf(webhook)}/move`, html`${fields}<button class="quiet">${t.move_button}</button>`)}`;
  return section('move', t.move, content, 'card form');
}

/** A place as text, or the time in its place. */
function readPlace({ to = '', since = '', zone = 'UTC' }: Form): { to: string } {
  if (to.trim() !== '' || since.trim() === '') return { to };
  const time = readTime(zone, since);
  return { to: time === undefined ? since : new Date(time).toISOString() };
}

async function logCard(request: OwnedRequest, webhook: Webhook): Promise<Html> {
  const { webhooks: t } = request.texts;
  const found = await deliveriesBefore(request.deps.db, webhook.key, keyBefore(request), PAGE_SIZE + 1);
  const { items, next } = listed(found, PAGE_SIZE, ({ number: key }) => keyCursor({ key }));
  const rows = items.map((delivery) => logRow(request, webhook, delivery));
  const path = `/console${pathOf(webhook)}`;
  const headings = [t.message, t.result, t.when, t.response, hiddenHeading(t.resend)];
  return html`<section class="card" aria-labelledby="log">
    <div class="heading">
      <h2 id="log">${t.log}</h2>
      <a class="button quiet" href="${path}">${t.reload}</a>
    </div>
    ${table(t.log, headings, rows, { empty: t.log_empty })} ${olderPager(request, next, path)}
  </section>`;
}

function whyUnverified(t: Texts, { status, reason, attempted }: Delivery): string {
  if (attempted === null) return '';
  if (status === null || reason !== '') return t.responses[reason as keyof Texts['responses']];
  return status >= 200 && status < 300 ? t.responses.no_challenge : t.not_accepted(status);
}

/** Why there was no response, or why it did not verify the receiver. */
const resultText = ({ responses }: Texts, { reason }: Delivery): string =>
  reason === '' ? '' : responses[reason as keyof typeof responses];

function logRow(request: OwnedRequest, webhook: Webhook, delivery: Delivery): Cell[] {
  const { webhooks: t } = request.texts;
  const { number: place, state, attempts, status, ms, response, attempted } = delivery;
  const isSending = state === 'waiting' && attempts === 0;
  const badge = { waiting: 'warn', delivered: 'good', failed: 'bad' }[state];
  const result = [status ?? '', resultText(t, delivery)].filter(Boolean).join(' · ');
  const canSend = webhook.state !== 'off' && state !== 'waiting';
  const about = `${messageName(request, delivery)} ${place}`;
  const details = html`<details>
    <summary>${t.response}</summary>
    <pre>${response}</pre>
  </details>`;
  return [
    messageName(request, delivery),
    html`<span class="badge ${badge}">${isSending ? t.sending : t.delivery_states[state]}</span> ${result}
      ${attempts > 1 ? html`<span class="hint">${t.attempts(attempts)}</span>` : ''}`,
    attempted === null
      ? ''
      : html`${timestamp(request, attempted)}${ms === null ? '' : ` · ${number(request, ms)} ms`}`,
    response === '' ? '' : details,
    canSend ? button(request, `${pathOf(webhook)}/resend`, t.resend, { fields: { number: String(place) }, about }) : '',
  ];
}

/** What a message was about: `Matches: new 38ft1k2k44p`. */
function messageName({ texts }: OwnedRequest, { type, kind, resource }: Delivery): string {
  const { webhooks: t } = texts;
  if (kind === null) return t.message_types[type as MessageType];
  const [, change = ''] = type.split('.');
  return `${t.kind_names[kind as ResourceKind]} · ${t.change_types[change as ChangeType]} · ${idOf(resource!)}`;
}

const again =
  (name: string, code: 'wrong_code' | 'unknown_place' | 'forgotten_place' | 'too_many_tests') =>
  (request: OwnedRequest): ReturnType<typeof webhookPage> =>
    webhookPage(request, { [name]: request.texts.webhooks.problems[code] });

/** The problem of a place, at the field that has it. */
const misplaced = (code: 'unknown_place' | 'forgotten_place') => (request: OwnedRequest) =>
  again(request.form['to']?.trim() || !request.form['since']?.trim() ? 'to' : 'since', code)(request);

const onWebhook = { find, at: pathOf };

export const webhookRoutes: readonly Route[] = [
  ownedPage(AT, (request) => webhookPage(request)),
  operationForm(`${AT}/verify`, verifyWebhook, {
    ...onWebhook,
    again: (request, problems) => webhookPage(request, problems),
    refused: { not_unverified: 'gone', wrong_code: again('code', 'wrong_code') },
    done: 'verified',
  }),
  operationForm(`${AT}/test`, testWebhook, {
    ...onWebhook,
    refused: { is_off: 'is_off', under_way: 'sent', too_many_tests: again('problem', 'too_many_tests') },
    done: 'sent',
  }),
  operationForm(`${AT}/pause`, pauseWebhook, { ...onWebhook, refused: { is_off: 'gone' }, done: 'saved' }),
  operationForm(`${AT}/resume`, resumeWebhook, {
    ...onWebhook,
    refused: { is_on: 'gone', blocked: 'blocked' },
    done: 'saved',
  }),
  operationForm(`${AT}/secret`, rotateWebhookSecret, {
    ...onWebhook,
    refused: { is_discord: 'gone' },
    done: (request, webhook, { secret }) => {
      flashSecret(request, webhook.id, secret);
      return pathOf(webhook);
    },
  }),
  operationForm(`${AT}/move`, moveWebhook, {
    ...onWebhook,
    read: readPlace,
    again: (request, problems) => webhookPage(request, problems),
    refused: { unknown_place: misplaced('unknown_place'), forgotten_place: misplaced('forgotten_place') },
    done: 'moved',
  }),
  operationForm(`${AT}/resend`, resendDelivery, {
    ...onWebhook,
    refused: {
      ...{ is_off: 'is_off', under_way: 'sent' },
      ...{ unknown_delivery: 'gone', forgotten: 'forgotten' },
    },
    done: 'sent',
  }),
  operationForm(`${AT}/delete`, deleteWebhook, {
    ...onWebhook,
    confirm: (request, webhook) =>
      confirmInApplication(request, {
        ...{ tab: '/webhooks', title: request.texts.webhooks.delete_title(hostOf(webhook)) },
        ...{ impact: [request.texts.webhooks.delete_impact], submit: request.texts.webhooks.delete },
      }),
    refused: { unknown_webhook: 'gone' },
    done: (_, { client_id }) => `/applications/${client_id}/webhooks?done=removed`,
  }),
];
