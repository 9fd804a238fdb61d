import { z } from 'zod';
import { UsageError } from '#platform/errors.ts';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { type AddressProblem, OutgoingClient } from '#http/outgoing.ts';
import { countIn } from '#http/rate-limits.ts';
import type { Application } from '#store/applications/applications.ts';
import { addMessage, deliveryByNumber, hasPending, sendAgain } from '#store/applications/webhooks/deliveries.ts';
import { DISCORD_URL_FORM, isDiscordUrl, readDiscordUrl } from '#store/applications/webhooks/discord-url.ts';
import {
  addWebhook as add,
  AFTER_RESET,
  challengeOf,
  hurry,
  markVerified,
  MAX_WEBHOOKS,
  removeWebhook as remove,
  rotateSecret,
  setPlace,
  turnOff,
  turnOn,
  type Webhook,
  webhookById,
  type WebhookForm,
} from '#store/applications/webhooks/webhooks.ts';
import { type Cursor, Cursors, resetReason } from '#store/game/change-cursors.ts';
import {
  changeOfResource,
  type Feed,
  placeBefore,
  readFeed,
  RESOURCE_KINDS,
  type ResourceKind,
} from '#store/game/changes.ts';
import { oneOf, readable, time, wholeNumber, withoutFields } from './fields.ts';
import { ofOperators, operation, refuse, type Target, type Working } from './operation.ts';
import { applicationTarget } from './targets.ts';

const MAX_URL_LENGTH = 1024;
const DISCORD_KINDS: readonly ResourceKind[] = ['match', 'punishment'];

export const byWebhookId: Target<Webhook> = {
  option: 'id',
  value: 'ID',
  help: 'The id of the webhook, as "webhook list" shows it',
  find: async (db, id) => {
    const webhook = await webhookById(db, id);
    if (webhook === undefined) throw new UsageError(`There is no webhook ${id}; see: scorehall webhook list`);
    return webhook;
  },
};

const onWebhook = {
  ...ofOperators,
  ...withoutFields,
  who: 'owner',
  target: byWebhookId,
  /** The address may have secrets in its path, so the audit log has its host alone. */
  subject: ({ id, url }: Webhook) => ({ subject: id, label: new URL(url).host }),
  detail: (_fields: unknown, _result: unknown, { client_id }: Webhook) => ({ application: client_id }),
} as const;

const isOff = ({ id }: Webhook): string => `The webhook ${id} is off; see: scorehall webhook resume --id ${id}`;
const tooMany = (): string => 'Too many webhooks and test messages within an hour for this application.';
const underWay = ({ id }: Webhook): string => `This message is about to be sent; see: scorehall webhook log --id ${id}`;

const kinds = readable(
  (text): ResourceKind[] | undefined => {
    const chosen = text.split(',').map((kind) => kind.trim());
    return chosen.every((kind) => RESOURCE_KINDS.includes(kind as ResourceKind))
      ? (chosen as ResourceKind[])
      : undefined;
  },
  `one or more of ${RESOURCE_KINDS.join(', ')}, separated by commas`,
);

type UrlRefusal = { refused: AddressProblem | 'not_discord' | 'discord_kinds' };

/** An address to which messages may be sent, or why it is none. */
function receiverAt({ config }: Working, url: string, form: WebhookForm): { url: string; token?: string } | UrlRefusal {
  if (form === 'discord') return readDiscordUrl(url) ?? refuse('not_discord');
  using outgoing = new OutgoingClient(config);
  const problem = outgoing.problemOf(url);
  return problem === undefined ? { url: new URL(url).href } : refuse(problem);
}

/** Messages that owners make the service send, also to receivers that do not want them. */
async function mayTest(working: Working, client_id: string): Promise<boolean> {
  return (await countIn(working.tx, working, 'webhookTest', { application: client_id })).allowed;
}

const formOf = (url: string): WebhookForm => (isDiscordUrl(url) ? 'discord' : 'standard');

export const addWebhook = operation({
  ...ofOperators,
  ...applicationTarget,
  name: 'webhook.create',
  summary: 'Add a webhook to an application: changes are sent to its address; prints the secret that signs them once',
  fields: z.strictObject({
    url: z.string().trim().max(MAX_URL_LENGTH, `must not be longer than ${MAX_URL_LENGTH} characters`),
    kinds: kinds.optional(),
    start: oneOf(AFTER_RESET).optional(),
    after_reset: oneOf(AFTER_RESET).optional(),
  }),
  options: {
    url: { value: 'URL', help: `The address, https; of a Discord channel: ${DISCORD_URL_FORM}` },
    kinds: { value: 'LIST', help: 'match, map, punishment, player, server, comma-separated (default: all)' },
    start: 'Where it starts: head (the default): with new changes; start: with all resources there are',
    after_reset: 'Where it continues after a restored backup: head (the default) or start',
  },
  who: 'owner',
  run: async (working, { key, client_id }: Application, fields) => {
    const { start = 'head', after_reset = 'head' } = fields;
    const form = formOf(fields.url);
    const found = receiverAt(working, fields.url, form);
    if ('refused' in found) return found;
    const chosen = fields.kinds ?? RESOURCE_KINDS;
    const shown = form === 'discord' ? chosen.filter((kind) => DISCORD_KINDS.includes(kind)) : chosen;
    if (shown.length === 0) return refuse('discord_kinds');
    if (!(await mayTest(working, client_id))) return refuse('too_many_tests');
    const { tx, clock, config } = working;
    const cursor = await placeAt(working, await readFeed(tx), start);
    const wanted = { ...found, key, form, kinds: shown, after_reset, cursor: cursor! };
    return (await add(tx, clock.now(), openSecretKey(config), wanted)) ?? refuse('enough_webhooks');
  },
  refused: {
    url: () => '--url must be an address like https://hooks.example.org/scorehall.',
    scheme: () => '--url must begin with https://, unless WEBHOOK_NETWORKS allows the network and port.',
    credentials: () => '--url must not contain a user name or a password.',
    port: () => '--url must not name a port other than 443 that WEBHOOK_NETWORKS does not allow.',
    not_public: () => '--url must be a public address, unless WEBHOOK_NETWORKS allows the network and port.',
    not_discord: () => `--url must be ${DISCORD_URL_FORM}.`,
    discord_kinds: () => '--kinds must contain match or punishment, which are what a channel shows.',
    enough_webhooks: ({ name }) => `${name} already has ${MAX_WEBHOOKS} webhooks, the maximum.`,
    too_many_tests: tooMany,
  },
  detail: ({ url }, { id }) => ({ webhook: id, host: new URL(url).host, form: formOf(url) }),
});

export const verifyWebhook = operation({
  ...onWebhook,
  name: 'webhook.verify',
  summary: 'Verify a webhook by the challenge of its first message, if its receiver does not echo it',
  fields: z.strictObject({ code: z.string().trim() }),
  options: { code: { value: 'TEXT', help: 'The challenge, as the receiver got it' } },
  run: async ({ tx, clock }, webhook: Webhook, { code }) => {
    if (webhook.state !== 'unverified') return refuse('not_unverified');
    if (code !== challengeOf(tx, webhook)) return refuse('wrong_code');
    return (await markVerified(tx, clock.now(), webhook.key)) ? undefined : refuse('not_unverified');
  },
  refused: {
    not_unverified: ({ id }) => `The webhook ${id} is verified already, or off.`,
    wrong_code: () => '--code is not the challenge of its first message.',
  },
});

export const testWebhook = operation({
  ...onWebhook,
  name: 'webhook.test',
  summary:
    'Send a test message, or its first message again to a receiver that is not verified; the log shows the result',
  run: async (working, { key, state, client_id }: Webhook) => {
    if (state === 'off') return refuse('is_off');
    const { tx, clock } = working;
    const type = state === 'unverified' ? 'webhook.verification' : 'webhook.test';
    if (await hasPending(tx, key, type)) return refuse('under_way');
    if (!(await mayTest(working, client_id))) return refuse('too_many_tests');
    await addMessage(tx, clock.now(), key, type);
    await hurry(tx, clock.now(), key);
    return undefined;
  },
  refused: { is_off: isOff, under_way: underWay, too_many_tests: tooMany },
});

export const pauseWebhook = operation({
  ...onWebhook,
  name: 'webhook.pause',
  summary: 'Switch a webhook off; it keeps its place',
  run: async ({ tx, clock }, { key, state }: Webhook) =>
    state !== 'off' && (await turnOff(tx, clock.now(), key, 'owner')) ? undefined : refuse('is_off'),
  refused: { is_off: ({ id }) => `The webhook ${id} is off already.` },
});

export const resumeWebhook = operation({
  ...onWebhook,
  name: 'webhook.resume',
  summary: 'Switch a webhook on; it continues at its place',
  run: async ({ tx, clock }, { key, state, reason }: Webhook) => {
    if (state === 'off' && reason === 'operator') return refuse('blocked');
    return (await turnOn(tx, clock.now(), key)) ? undefined : refuse('is_on');
  },
  refused: {
    is_on: ({ id, state }) =>
      `The webhook ${id} is ${state === 'unverified' ? 'not verified yet; see: scorehall webhook verify --help' : 'on already.'}`,
    blocked: ({ id }) => `An operator has switched it off; see: scorehall webhook unblock --id ${id}`,
  },
});

export const rotateWebhookSecret = operation({
  ...onWebhook,
  name: 'webhook.secret.rotate',
  summary: 'Replace the secret and print the new one once; the former one signs as well for a day',
  reauthenticate: 'always',
  run: async ({ tx, clock, config }, { key, form }: Webhook) => {
    if (form === 'discord') return refuse('is_discord');
    return { secret: await rotateSecret(tx, clock.now(), openSecretKey(config), key) };
  },
  refused: { is_discord: () => 'A channel has no secret: add a webhook with another address instead.' },
});

export const moveWebhook = operation({
  ...onWebhook,
  name: 'webhook.move',
  summary: 'Continue at another place of the feed of changes',
  fields: z.strictObject({ to: z.string().trim() }),
  options: {
    to: { value: 'PLACE', help: 'start, head, a cursor of /v1/changes, or a time like 2026-01-31T12:00:00Z' },
  },
  run: async (working, { key }: Webhook, { to }) => {
    const feed = await readFeed(working.tx);
    const cursor = await placeAt(working, feed, to);
    const reason = cursor === undefined ? 'other_feed' : resetReason(cursor, feed);
    // The webhook would get a reset, which may skip even more.
    if (reason === 'expired') return refuse('forgotten_place');
    return reason === undefined ? await setPlace(working.tx, key, cursor!) : refuse('unknown_place');
  },
  refused: {
    forgotten_place: () =>
      'Removals after this place are no longer stored (CHANGES_LIFETIME); --to start sends everything there is.',
    unknown_place: () => '--to must be start, head, a cursor of /v1/changes, or a time like 2026-01-31T12:00:00Z.',
  },
  detail: ({ to }, _result, { client_id }) => ({ application: client_id, to: to.slice(0, 64) }),
});

/** The place of `start`, `head`, a cursor or a time; undefined for another text. */
async function placeAt({ tx, config }: Working, feed: Feed, text: string): Promise<Cursor | undefined> {
  const { id, head } = feed;
  if (text === 'head') return { feed: id, number: head };
  if (text === 'start') return { feed: id, number: 0, walk: { head } };
  const since = time.safeParse(text);
  if (since.success) return { feed: id, number: await placeBefore(tx, since.data, feed) };
  return new Cursors(openSecretKey(config)).read(text);
}

export const resendDelivery = operation({
  ...onWebhook,
  name: 'webhook.resend',
  summary: 'Send a message of the log again, with the present state of its resource',
  fields: z.strictObject({ number: wholeNumber(1, 1_000_000_000_000) }),
  options: { number: { value: 'N', help: 'The number of the message, as "webhook log" shows it' } },
  run: async ({ tx, clock }, { key, state }: Webhook, { number }) => {
    if (state === 'off') return refuse('is_off');
    const delivery = await deliveryByNumber(tx, key, number);
    if (delivery === undefined) return refuse('unknown_delivery');
    const { kind, resource } = delivery;
    const change = kind === null ? undefined : await changeOfResource(tx, kind, resource!);
    if (kind !== null && change === undefined) return refuse('forgotten');
    return (await sendAgain(tx, clock.now(), key, number, change?.number ?? null)) ? undefined : refuse('under_way');
  },
  refused: {
    is_off: isOff,
    under_way: underWay,
    unknown_delivery: ({ id }, { number }) => `There is no message ${number}; see: scorehall webhook log --id ${id}`,
    forgotten: () => 'The resource of this message was removed, and its removal is no longer stored.',
  },
  detail: ({ number }, _result, { client_id }) => ({ application: client_id, number }),
});

export const deleteWebhook = operation({
  ...onWebhook,
  name: 'webhook.delete',
  summary: 'Delete a webhook with its log',
  loss: 'permanent',
  reauthenticate: 'always',
  run: async ({ tx }, { key }: Webhook) => ((await remove(tx, key)) ? undefined : refuse('unknown_webhook')),
  refused: { unknown_webhook: ({ id }) => `There is no webhook ${id} any more.` },
});

export const blockWebhook = operation({
  ...onWebhook,
  name: 'webhook.block',
  summary: 'Switch a webhook off until an operator allows it again',
  who: 'operator',
  loss: 'restorable',
  run: async ({ tx, clock }, { key }: Webhook) =>
    (await turnOff(tx, clock.now(), key, 'operator')) ? undefined : refuse('blocked'),
  refused: { blocked: ({ id }) => `The webhook ${id} is blocked already.` },
});

export const unblockWebhook = operation({
  ...onWebhook,
  name: 'webhook.unblock',
  summary: 'Switch a webhook on that an operator has blocked; it continues at its place',
  who: 'operator',
  run: async ({ tx, clock }, { key, state, reason }: Webhook) => {
    if (state !== 'off' || reason !== 'operator') return refuse('not_blocked');
    return (await turnOn(tx, clock.now(), key)) ? undefined : refuse('not_blocked');
  },
  refused: { not_blocked: ({ id }) => `The webhook ${id} is not blocked.` },
});
