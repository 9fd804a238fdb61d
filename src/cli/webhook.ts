import { UsageError } from '#platform/errors.ts';
import { idOf } from '#platform/ids.ts';
import type { AddressProblem } from '#http/outgoing.ts';
import {
  addWebhook,
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
import { DISCORD_URL_FORM } from '#store/applications/webhooks/discord-url.ts';
import { deliveriesBefore, type Delivery } from '#store/applications/webhooks/deliveries.ts';
import {
  MAX_WEBHOOKS,
  type Webhook,
  webhookById,
  webhooksBefore,
  webhooksOf,
} from '#store/applications/webhooks/webhooks.ts';
import { type Command, inContext, type Input, JSON_OPTION, mandatory, option, timestampOf } from './command/command.ts';
import { byClientId, requireApplication } from './command/lookup.ts';
import { command, type RowOption } from './command/operation-command.ts';

const WEBHOOK: NonNullable<Command['options']> = {
  id: mandatory('ID', 'The id of the webhook, as "webhook list" shows it'),
  json: JSON_OPTION,
};
const MAX_LISTED = 200;
const MAX_NUMBER = 999_999_999_999;

async function requireWebhook({ db }: AppContext, input: Input): Promise<Webhook> {
  const id = input.required('id');
  const webhook = await webhookById(db, id);
  if (webhook !== undefined) return webhook;
  throw new UsageError(`There is no webhook ${id}; see: scorehall webhook list`);
}

const byId: RowOption<Webhook> = { options: WEBHOOK, find: requireWebhook };

async function shown({ db }: AppContext, { id }: Webhook): Promise<Record<string, unknown>> {
  const webhook = await webhookById(db, id);
  return webhook === undefined ? { id } : wire(webhook);
}

/** Why an address is refused. */
const ADDRESS_PROBLEMS: Record<AddressProblem, string> = {
  url: '--url must be an address like https://hooks.example.org/scorehall.',
  scheme: '--url must begin with https://, unless WEBHOOK_NETWORKS allows the network and port.',
  credentials: '--url must not contain a user name or a password.',
  port: '--url must not name a port other than 443 that WEBHOOK_NETWORKS does not allow.',
  not_public: '--url must be a public address, unless WEBHOOK_NETWORKS allows the network and port.',
};
const addressRefusals = Object.fromEntries(
  Object.entries(ADDRESS_PROBLEMS).map(([code, sentence]) => [code, () => sentence]),
) as Record<AddressProblem, () => string>;

const isOff = ({ id }: Webhook): string => `The webhook ${id} is off; see: scorehall webhook resume --id ${id}`;
const tooMany = (): string => 'Too many webhooks and test messages within an hour for this application.';
const underWay = ({ id }: Webhook): string => `This message is about to be sent; see: scorehall webhook log --id ${id}`;

export const commands: Command[] = [
  {
    words: 'webhook list',
    summary: 'List webhooks, of one application or the newest of all',
    options: {
      'client-id': option('ID', 'The Client ID of an application (default: all applications)'),
      json: JSON_OPTION,
    },
    run: inContext(listAll),
  },
  command(addWebhook, {
    words: 'webhook add',
    summary: 'Add a webhook to an application: changes are sent to its address; prints the secret that signs them once',
    row: byClientId,
    options: {
      url: { value: 'URL', help: `The address, https; of a Discord channel: ${DISCORD_URL_FORM}` },
      kinds: { value: 'LIST', help: 'match, map, punishment, player, server, comma-separated (default: all)' },
      start: { help: 'Where it starts: head (the default): with new changes; start: with all resources there are' },
      after_reset: { help: 'Where it continues after a restored backup: head (the default) or start' },
    },
    refused: {
      ...addressRefusals,
      not_discord: () => `--url must be ${DISCORD_URL_FORM}.`,
      discord_kinds: () => '--kinds must contain match or punishment, which are what a channel shows.',
      enough_webhooks: ({ name }) => `${name} already has ${MAX_WEBHOOKS} webhooks, the maximum.`,
      too_many_tests: tooMany,
    },
    result: async (context, _, { id, secret }) => ({
      ...(await shown(context, { id } as Webhook)),
      ...(secret === undefined ? {} : { secret }),
    }),
  }),
  { words: 'webhook show', summary: 'Show one webhook', options: WEBHOOK, run: inContext(show) },
  {
    words: 'webhook log',
    summary: 'List messages of a webhook, the newest first, 200 a page: attempts, status, milliseconds and response',
    options: {
      ...WEBHOOK,
      before: option('N', 'Messages before this number: the last one of the previous page'),
    },
    run: inContext(log),
  },
  command(verifyWebhook, {
    words: 'webhook verify',
    summary: 'Verify a webhook by the challenge of its first message, if its receiver does not echo it',
    row: byId,
    options: { code: { value: 'TEXT', help: 'The challenge, as the receiver got it' } },
    refused: {
      not_unverified: ({ id }) => `The webhook ${id} is verified already, or off.`,
      wrong_code: () => '--code is not the challenge of its first message.',
    },
    result: shown,
  }),
  command(testWebhook, {
    words: 'webhook test',
    summary:
      'Send a test message, or its first message again to a receiver that is not verified; the log shows the result',
    row: byId,
    options: {},
    refused: { is_off: isOff, under_way: underWay, too_many_tests: tooMany },
    result: shown,
  }),
  command(pauseWebhook, {
    words: 'webhook pause',
    summary: 'Switch a webhook off; it keeps its place',
    row: byId,
    options: {},
    refused: { is_off: ({ id }) => `The webhook ${id} is off already.` },
    result: shown,
  }),
  command(resumeWebhook, {
    words: 'webhook resume',
    summary: 'Switch a webhook on; it continues at its place',
    row: byId,
    options: {},
    refused: {
      is_on: ({ id }) => `The webhook ${id} is on already.`,
      blocked: ({ id }) => `An operator has switched it off; see: scorehall webhook unblock --id ${id}`,
    },
    result: shown,
  }),
  command(rotateWebhookSecret, {
    words: 'webhook rotate-secret',
    summary: 'Replace the secret and print the new one once; the former one signs as well for a day',
    row: byId,
    options: {},
    refused: { is_discord: () => 'A channel has no secret: add a webhook with another address instead.' },
    result: (_, { id, url }, { secret }) => ({ id, url, secret }),
  }),
  command(moveWebhook, {
    words: 'webhook move',
    summary: 'Continue at another place of the feed of changes',
    row: byId,
    options: {
      to: { value: 'PLACE', help: 'start, head, a cursor of /v1/changes, or a time like 2026-01-31T12:00:00Z' },
    },
    refused: {
      forgotten_place: () =>
        'Removals after this place are no longer stored (CHANGES_LIFETIME); --to start sends everything there is.',
      unknown_place: () => '--to must be start, head, a cursor of /v1/changes, or a time like 2026-01-31T12:00:00Z.',
    },
    result: shown,
  }),
  command(resendDelivery, {
    words: 'webhook resend',
    summary: 'Send a message of the log again, with the present state of its resource',
    row: byId,
    options: { number: { value: 'N', help: 'The number of the message, as "webhook log" shows it' } },
    refused: {
      is_off: isOff,
      under_way: underWay,
      unknown_delivery: ({ id }, { number }) => `There is no message ${number}; see: scorehall webhook log --id ${id}`,
      forgotten: () => 'The resource of this message was removed, and its removal is no longer stored.',
    },
    result: shown,
  }),
  command(deleteWebhook, {
    words: 'webhook delete',
    summary: 'Delete a webhook with its log',
    row: byId,
    options: {},
    confirm: ({ id, url, client_id }) => ({
      act: `This deletes the webhook ${id} (${url}) with its log.`,
      impact: { id, url, client_id },
    }),
    refused: { unknown_webhook: ({ id }) => `There is no webhook ${id} any more.` },
    result: (_, { id, url }) => ({ id, url, deleted: true }),
  }),
  command(blockWebhook, {
    words: 'webhook block',
    summary: 'Switch a webhook off until an operator allows it again',
    row: byId,
    options: {},
    confirm: ({ id, url, client_id }) => ({
      act: `This switches the webhook ${id} (${url}) off, and its owners cannot switch it on.`,
      impact: { id, url, client_id },
    }),
    refused: { blocked: ({ id }) => `The webhook ${id} is blocked already.` },
    result: shown,
  }),
  command(unblockWebhook, {
    words: 'webhook unblock',
    summary: 'Switch a webhook on that an operator has blocked; it continues at its place',
    row: byId,
    options: {},
    refused: { not_blocked: ({ id }) => `The webhook ${id} is not blocked.` },
    result: shown,
  }),
];

async function listAll({ db }: AppContext, input: Input) {
  const clientId = input.optional('client-id');
  const found =
    clientId === undefined
      ? await webhooksBefore(db, Number.MAX_SAFE_INTEGER, MAX_LISTED)
      : await webhooksOf(db, (await requireApplication(db, clientId)).key);
  return found.map(wire);
}

async function show(context: AppContext, input: Input) {
  const webhook = await requireWebhook(context, input);
  const [last] = await deliveriesBefore(context.db, webhook.key, MAX_NUMBER, 1);
  return { ...wire(webhook), last_status: last?.status ?? null, last_reason: last?.reason || null };
}

async function log(context: AppContext, input: Input) {
  const { key } = await requireWebhook(context, input);
  const before = input.wholeNumber('before', 1, MAX_NUMBER) ?? MAX_NUMBER;
  return (await deliveriesBefore(context.db, key, before, MAX_LISTED)).map(wireDelivery);
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
