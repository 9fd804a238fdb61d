import { idOf } from '#platform/ids.ts';
import {
  addWebhook,
  byWebhookId,
  blockWebhook,
  deleteWebhook,
  moveWebhook,
  pauseWebhook,
  resendDelivery,
  resumeWebhook,
  rotateWebhookSecret,
  testWebhook,
  unblockWebhook,
  verifyWebhook,
} from '#admin/webhooks.ts';
import type { AppContext } from '#context/context.ts';
import { deliveriesBefore, type Delivery } from '#store/applications/webhooks/deliveries.ts';
import { type Webhook, webhookById, webhooksBefore, webhooksOf } from '#store/applications/webhooks/webhooks.ts';
import {
  type Command,
  commandAbout,
  type Input,
  option,
  reading,
  timestampOf,
  wholeNumber,
} from './command/command.ts';
import { requireApplication } from '#admin/targets.ts';
import { command } from './command/operation-command.ts';

const MAX_LISTED = 200;
const MAX_NUMBER = 999_999_999_999;

async function shown({ db }: AppContext, { id }: Webhook): Promise<Record<string, unknown>> {
  const webhook = await webhookById(db, id);
  return webhook === undefined ? { id } : wire(webhook);
}

export const commands: Command[] = [
  reading('webhook list', 'List webhooks, of one application or the newest of all', listAll, {
    'client-id': option('ID', 'The Client ID of an application (default: all applications)'),
  }),
  command(addWebhook, 'webhook add', {
    result: async (context, _, { id, secret }) => ({
      ...(await shown(context, { id } as Webhook)),
      ...(secret === undefined ? {} : { secret }),
    }),
  }),
  commandAbout(byWebhookId, 'webhook show', 'Show one webhook', show),
  commandAbout(
    byWebhookId,
    'webhook log',
    'List messages of a webhook, the newest first, 200 a page: attempts, status, milliseconds and response',
    log,
    {
      before: option('N', 'Messages before this number: the last one of the previous page', wholeNumber(1, MAX_NUMBER)),
    },
  ),
  command(verifyWebhook, 'webhook verify', { result: shown }),
  command(testWebhook, 'webhook test', { result: shown }),
  command(pauseWebhook, 'webhook pause', { result: shown }),
  command(resumeWebhook, 'webhook resume', { result: shown }),
  command(rotateWebhookSecret, 'webhook rotate-secret', {
    result: (_, { id, url }, { secret }) => ({ id, url, secret }),
  }),
  command(moveWebhook, 'webhook move', { result: shown }),
  command(resendDelivery, 'webhook resend', { result: shown }),
  command(deleteWebhook, 'webhook delete', {
    confirm: ({ id, url, client_id }) => ({
      act: `This deletes the webhook ${id} (${url}) with its log.`,
      impact: { id, url, client_id },
    }),
    result: (_, { id, url }) => ({ id, url, deleted: true }),
  }),
  command(blockWebhook, 'webhook block', {
    confirm: ({ id, url, client_id }) => ({
      act: `This switches the webhook ${id} (${url}) off, and its owners cannot switch it on.`,
      impact: { id, url, client_id },
    }),
    result: shown,
  }),
  command(unblockWebhook, 'webhook unblock', { result: shown }),
];

async function listAll({ db }: AppContext, input: Input) {
  const clientId = input.optional('client-id');
  const found =
    clientId === undefined
      ? await webhooksBefore(db, Number.MAX_SAFE_INTEGER, MAX_LISTED)
      : await webhooksOf(db, (await requireApplication(db, clientId)).key);
  return found.map(wire);
}

async function show({ db }: AppContext, webhook: Webhook) {
  const [last] = await deliveriesBefore(db, webhook.key, MAX_NUMBER, 1);
  return { ...wire(webhook), last_status: last?.status ?? null, last_reason: last?.reason || null };
}

async function log({ db }: AppContext, { key }: Webhook, input: Input) {
  const before = input.number('before') ?? MAX_NUMBER;
  return (await deliveriesBefore(db, key, before, MAX_LISTED)).map(wireDelivery);
}

function wire(webhook: Webhook): Record<string, unknown> {
  const { id, client_id, url, form, kinds, state, reason, since, failures, next_attempt, created } = webhook;
  return {
    ...{ id, client_id, url, form, kinds, state, reason: reason === '' ? null : reason, since: timestampOf(since) },
    ...{ failures, next_attempt: timestampOf(state === 'off' ? null : next_attempt || null) },
    created: timestampOf(created),
  };
}

function wireDelivery(delivery: Delivery): Record<string, unknown> {
  const { number, type, resource, state, attempts, status, reason, ms, response } = delivery;
  return {
    ...{ number, type, id: resource === null ? null : idOf(resource), state, attempts, status },
    ...{ reason: reason === '' ? null : reason, ms, attempted: timestampOf(delivery.attempted) },
    ...{ next_attempt: timestampOf(delivery.next_attempt || null), response: response === '' ? null : response },
  };
}
