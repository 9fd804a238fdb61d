import { z } from 'zod';
import { openSecretKey } from '#platform/crypto/secret-key.ts';
import { type AddressProblem, OutgoingClient } from '#http/outgoing.ts';
import { countIn } from '#http/rate-limits.ts';
import type { Application } from '#store/applications/applications.ts';
import { addMessage, deliveryByNumber, hasPending, sendAgain } from '#store/applications/webhooks/deliveries.ts';
import { isDiscordUrl, readDiscordUrl } from '#store/applications/webhooks/discord-url.ts';
import {
  addWebhook as add,
  AFTER_RESET,
  challengeOf,
  hurry,
  markVerified,
  removeWebhook as remove,
  rotateSecret,
  setPlace,
  turnOff,
  turnOn,
  type Webhook,
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
import { operation, refuse, type Working } from './operation.ts';

const MAX_URL_LENGTH = 1024;
const DISCORD_KINDS: readonly ResourceKind[] = ['match', 'punishment'];

/** The address may have secrets in its path, so the audit log has its host alone. */
const subject = ({ id, url }: Webhook) => ({ subject: id, label: new URL(url).host });
const ofApplication = (_fields: unknown, _result: unknown, { client_id }: Webhook) => ({ application: client_id });
const withApplication = { fields: withoutFields.fields, detail: ofApplication };

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
function target({ config }: Working, url: string, form: WebhookForm): { url: string; token?: string } | UrlRefusal {
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

/** Adds a receiver of changes: signed requests, or messages in a channel if the address is one of Discord. */
export const addWebhook = operation({
  name: 'webhook.create',
  subject: ({ client_id, name }: Application) => ({ subject: client_id, label: name }),
  fields: z.strictObject({
    url: z.string().trim().max(MAX_URL_LENGTH, `must not be longer than ${MAX_URL_LENGTH} characters`),
    kinds: kinds.optional(),
    start: oneOf(AFTER_RESET).optional(),
    after_reset: oneOf(AFTER_RESET).optional(),
  }),
  who: 'owner',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async (working, { key, client_id }: Application, fields) => {
    const { start = 'head', after_reset = 'head' } = fields;
    const form = formOf(fields.url);
    const found = target(working, fields.url, form);
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
  detail: ({ url }, { id }) => ({ webhook: id, host: new URL(url).host, form: formOf(url) }),
});

/** Verifies a receiver by the challenge of its first message, which its owner has read there. */
export const verifyWebhook = operation({
  name: 'webhook.verify',
  subject,
  fields: z.strictObject({ code: z.string().trim() }),
  who: 'owner',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async ({ tx, clock }, webhook: Webhook, { code }) => {
    if (webhook.state !== 'unverified') return refuse('not_unverified');
    if (code !== challengeOf(tx, webhook)) return refuse('wrong_code');
    return (await markVerified(tx, clock.now(), webhook.key)) ? undefined : refuse('not_unverified');
  },
  detail: ofApplication,
});

/** Sends a test message; to a receiver that is not verified, the first message again. */
export const testWebhook = operation({
  name: 'webhook.test',
  subject,
  ...withApplication,
  who: 'owner',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
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
});

/** Switches a webhook off; it keeps its place. */
export const pauseWebhook = operation({
  name: 'webhook.pause',
  subject,
  ...withApplication,
  who: 'owner',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async ({ tx, clock }, { key, state }: Webhook) =>
    state !== 'off' && (await turnOff(tx, clock.now(), key, 'owner')) ? undefined : refuse('is_off'),
});

/** Switches a webhook on, which continues at its place. */
export const resumeWebhook = operation({
  name: 'webhook.resume',
  subject,
  ...withApplication,
  who: 'owner',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async ({ tx, clock }, { key, state, reason }: Webhook) => {
    if (state === 'off' && reason === 'operator') return refuse('blocked');
    return (await turnOn(tx, clock.now(), key)) ? undefined : refuse('is_on');
  },
});

/** Replaces the secret; the former one signs as well for a day. */
export const rotateWebhookSecret = operation({
  name: 'webhook.secret.rotate',
  subject,
  ...withApplication,
  who: 'owner',
  loss: 'none',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async ({ tx, clock, config }, { key, form }: Webhook) => {
    if (form === 'discord') return refuse('is_discord');
    return { secret: await rotateSecret(tx, clock.now(), openSecretKey(config), key) };
  },
});

/** Continues at another place of the feed: its beginning or end, a cursor, or the first change since a time. */
export const moveWebhook = operation({
  name: 'webhook.move',
  subject,
  fields: z.strictObject({ to: z.string().trim() }),
  who: 'owner',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async (working, { key }: Webhook, { to }) => {
    const feed = await readFeed(working.tx);
    const cursor = await placeAt(working, feed, to);
    const reason = cursor === undefined ? 'other_feed' : resetReason(cursor, feed);
    // The webhook would get a reset, which may skip even more.
    if (reason === 'expired') return refuse('forgotten_place');
    return reason === undefined ? await setPlace(working.tx, key, cursor!) : refuse('unknown_place');
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

/** Sends a message of the log again, with the present state of its resource. */
export const resendDelivery = operation({
  name: 'webhook.resend',
  subject,
  fields: z.strictObject({ number: wholeNumber(1, 1_000_000_000_000) }),
  who: 'owner',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async ({ tx, clock }, { key, state }: Webhook, { number }) => {
    if (state === 'off') return refuse('is_off');
    const delivery = await deliveryByNumber(tx, key, number);
    if (delivery === undefined) return refuse('unknown_delivery');
    const { kind, resource } = delivery;
    const change = kind === null ? undefined : await changeOfResource(tx, kind, resource!);
    if (kind !== null && change === undefined) return refuse('forgotten');
    return (await sendAgain(tx, clock.now(), key, number, change?.number ?? null)) ? undefined : refuse('under_way');
  },
  detail: ({ number }, _result, { client_id }) => ({ application: client_id, number }),
});

/** Deletes a webhook with its log. */
export const deleteWebhook = operation({
  name: 'webhook.delete',
  subject,
  ...withApplication,
  who: 'owner',
  loss: 'permanent',
  reauthenticate: 'always',
  changes: [],
  impact: undefined,
  run: async ({ tx }, { key }: Webhook) => ((await remove(tx, key)) ? undefined : refuse('unknown_webhook')),
});

/** Switches a webhook off until an operator allows it again. */
export const blockWebhook = operation({
  name: 'webhook.block',
  subject,
  ...withApplication,
  who: 'operator',
  loss: 'restorable',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async ({ tx, clock }, { key }: Webhook) =>
    (await turnOff(tx, clock.now(), key, 'operator')) ? undefined : refuse('blocked'),
});

/** Ends the block of an operator: the webhook continues at its place. */
export const unblockWebhook = operation({
  name: 'webhook.unblock',
  subject,
  ...withApplication,
  who: 'operator',
  loss: 'none',
  reauthenticate: 'never',
  changes: [],
  impact: undefined,
  run: async ({ tx, clock }, { key, state, reason }: Webhook) => {
    if (state !== 'off' || reason !== 'operator') return refuse('not_blocked');
    return (await turnOn(tx, clock.now(), key)) ? undefined : refuse('not_blocked');
  },
});
