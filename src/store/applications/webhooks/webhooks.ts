import { randomBytes } from 'node:crypto';
import { idOf, keyOf } from '#platform/ids.ts';
import { seal, unseal } from '#platform/crypto/seal.ts';
import type { SecretKey } from '#platform/crypto/secret-key.ts';
import { allAs, changesRow, type Db, getAs, getValue, type Queryable, type Transactional } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import type { Cursor } from '../../game/change-cursors.ts';
import { RESOURCE_KINDS, type ResourceKind } from '../../game/changes.ts';
import { nextKey } from '../../sequence.ts';
import { addMessage, IN_ORDER, replaceMessages } from './deliveries.ts';

/** standard: signed requests of Standard Webhooks; discord: messages in a channel. */
export type WebhookForm = 'standard' | 'discord';

/** unverified: the receiver has not confirmed that it wants messages. */
export type WebhookState = 'unverified' | 'on' | 'off';

/** Why a webhook is off. */
export type WebhookReason = 'owner' | 'operator' | 'gone' | 'failures' | 'secret';

/** Where a webhook continues after a reset of the feed: at its end, or at its beginning. */
export const AFTER_RESET = ['head', 'start'] as const;
export type AfterReset = (typeof AFTER_RESET)[number];

/** Maximum webhooks of an application. */
export const MAX_WEBHOOKS = 10;

/** How long the former secret signs as well. */
export const FORMER_SECRET_MS = 24 * 3_600_000;

/** The purpose of the key that seals the secrets. */
export const WEBHOOK_SECRETS = 'webhook secrets';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A receiver of changes. It is a place in the feed of changes, with what is needed to deliver those after it. */
export interface Webhook {
  key: number;
  id: string;
  application_key: number;
  client_id: string;
  /** Of form `discord` without the token. */
  url: string;
  form: WebhookForm;
  kinds: ResourceKind[];
  state: WebhookState;
  reason: WebhookReason | '';
  /** When it came into this state. */
  since: number;
  cursor: Cursor;
  after_reset: AfterReset;
  former_until: number | null;
  revision: number;
  /** Failed attempts in a row of the message after the place, since `failing`. */
  failures: number;
  failing: number | null;
  /** Nothing is sent before this time; 0 after a message that was accepted. */
  next_attempt: number;
  /** The head of the feed if no change followed the message that fails: the next one is tried when it comes. */
  last_head: number | null;
  created: number;
}

interface WebhookRow extends Omit<Webhook, 'id' | 'kinds' | 'cursor'> {
  kinds: string;
  feed: string;
  place: number;
  walk_head: number | null;
}

const COLUMNS = sql`w.key, w.application_key, a.client_id, w.url, w.form, w.kinds, w.state, w.reason, w.since,
  w.feed, w.place, w.walk_head, w.after_reset, w.former_until, w.revision, w.failures, w.failing,
  w.next_attempt, w.last_head, w.created`;
const FROM = sql`from webhooks w join applications a on a.key = w.application_key`;

function toWebhook({ kinds, feed, place, walk_head, ...row }: WebhookRow): Webhook {
  const walk = walk_head === null ? undefined : { head: walk_head };
  const cursor = { feed, number: place, walk };
  return { ...row, id: idOf(row.key), kinds: kinds.split(' ') as ResourceKind[], cursor };
}

const one = (db: Queryable, where: Sql): Promise<Webhook | undefined> =>
  getAs(db, sql`select ${COLUMNS} ${FROM} where ${where}`, toWebhook);

export const webhookById = (db: Queryable, id: string): Promise<Webhook | undefined> =>
  one(db, sql`w.key = ${keyOf(id) ?? 0}`);

/** A webhook that this process delivers, if its application may use the data API. */
export const heldWebhook = (db: Queryable, key: number, holder: string): Promise<Webhook | undefined> =>
  one(db, sql`w.key = ${key} and w.holder = ${holder} and ${MAY_READ}`);

/** Like requests to the data API, webhooks need access. */
export const MAY_READ = sql`a.access = 'approved' and a.suspended is null`;

/** The webhooks of an application, oldest first. */
export const webhooksOf = (db: Queryable, applicationKey: number): Promise<Webhook[]> =>
  allAs(db, sql`select ${COLUMNS} ${FROM} where w.application_key = ${applicationKey} order by w.key`, toWebhook);

/** The webhooks of all applications with keys below `before`, newest first. */
export async function webhooksBefore(
  db: Queryable,
  before: number,
  limit: number,
): Promise<(Webhook & { application_name: string })[]> {
  const rows = await db.all<WebhookRow & { application_name: string }>(sql`
    select ${COLUMNS}, a.name as application_name ${FROM} where w.key < ${before} order by w.key desc limit ${limit}`);
  return rows.map(({ application_name, ...row }) => ({ ...toWebhook(row), application_name }));
}

/** Whether the webhooks of all applications deliver. */
export interface WebhookHealth {
  on: number;
  /** On, and several attempts in a row have failed. */
  failing: number;
  /** After failures, or because its secret cannot be read. */
  off: number;
  /** The time of the oldest change that one whose receiver accepts messages has not been sent; null without one. */
  oldest: number | null;
}

export async function webhookHealth(db: Queryable, now: number): Promise<WebhookHealth> {
  const fails = sql`w.failures > 2`;
  const row = await db.get<WebhookHealth>(sql`
    select count(case when w.state = 'on' and not ${fails} then 1 end) as "on",
      count(case when w.state = 'on' and ${fails} then 1 end) as failing,
      count(case when w.state = 'off' and w.reason in ('failures', 'secret') then 1 end) as off,
      min(case when w.state = 'on' and w.failures = 0 and w.next_attempt <= ${now} and w.feed = f.id then
        (select c.time from changes c where c.number > w.place order by c.number limit 1) end) as oldest
    from webhooks w join applications a on a.key = w.application_key cross join change_feed f where ${MAY_READ}`);
  return row!;
}

export interface NewWebhook {
  url: string;
  form: WebhookForm;
  kinds: readonly ResourceKind[];
  after_reset: AfterReset;
  cursor: Cursor;
  /** The token of an address of Discord. */
  token?: string;
}

export const newWebhookSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** The bytes with which a secret signs. */
export const secretBytes = (secret: string): Buffer => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');

/** The place of a webhook without grants, which only requests have. */
const placeOf = ({ feed, number, walk }: Cursor): Sql => sql`${feed}, ${number}, ${walk?.head ?? null}`;

/**
 * Adds a webhook. One of form `standard` first sends a message with a challenge; an address of Discord proves by its token
 * that its owner wants messages.
 * @returns its key and its secret, which is shown only once; undefined if the application has `MAX_WEBHOOKS`
 */
export async function addWebhook(
  db: Transactional,
  now: number,
  secretKey: SecretKey,
  { key: application, ...wanted }: NewWebhook & { key: number },
): Promise<{ id: string; secret: string | undefined } | undefined> {
  const { url, form, kinds, after_reset, cursor, token } = wanted;
  const secret = token ?? newWebhookSecret();
  const isVerified = form === 'discord';
  return await db.transaction(async (tx) => {
    // Assigning a key locks the sequence until commit, so no concurrent transaction adds a webhook after the count.
    const key = await nextKey(tx, now);
    const known = sql`select count(*) from webhooks where application_key = ${application}`;
    if ((await getValue<number>(tx, known))! >= MAX_WEBHOOKS) return undefined;
    await tx.run(sql`
      insert into webhooks (key, application_key, url, form, kinds, state, reason, since, verified, feed, place, walk_head,
        after_reset, sealed_secret, sealed_former, former_until, revision, logged, failures, failing, next_attempt, last_head,
        holder, held_until, created)
      values (${key}, ${application}, ${url}, ${form}, ${inOrder(kinds)}, ${isVerified ? 'on' : 'unverified'}, '', ${now},
        ${isVerified ? now : null}, ${placeOf(cursor)}, ${after_reset},
        ${seal(secretKey.derive(WEBHOOK_SECRETS), secret)}, null, null, 1, 0, 0, null, 0, null, '', 0, ${now})`);
    if (!isVerified) await addMessage(tx, now, key, 'webhook.verification');
    return { id: idOf(key), secret: isVerified ? undefined : secret };
  });
}

const inOrder = (kinds: readonly ResourceKind[]): string =>
  RESOURCE_KINDS.filter((kind) => kinds.includes(kind)).join(' ');

/** What the owner of an unverified webhook types, or its receiver echoes: only who receives the first message knows it. */
export const challengeOf = (db: Queryable, { key, url }: Pick<Webhook, 'key' | 'url'>): string =>
  db.keyedHash(`webhook challenge ${key} ${url}`).slice(0, 16);

/** The columns after a message that was accepted. */
export const SENT = sql`failures = 0, failing = null, next_attempt = 0, last_head = null`;

/** Turns a verified webhook on, and an unverified one off to unverified. One that is on and fails is due. */
export const turnOn = async (db: Queryable, now: number, key: number): Promise<boolean> =>
  (await db.run(sql`
    update webhooks set since = case when state = 'off' then ${now} else since end,
      state = case when verified is null then 'unverified' else 'on' end, ${RESTARTED}
    where key = ${key} and (state = 'off' or (state = 'on' and next_attempt > ${now}))`)) > 0;

const RESTARTED = sql`reason = '', ${SENT}, mail_due = null, revision = revision + 1`;

export const markVerified = async (db: Queryable, now: number, key: number): Promise<boolean> =>
  (await db.run(sql`
    update webhooks set state = 'on', verified = ${now}, ${RESTARTED}, since = ${now}
    where key = ${key} and state = 'unverified'`)) > 0;

/** @param mailMs the owners get a mail: at once, or so long after the one before if the webhook is still off then */
export const turnOff = async (
  db: Queryable,
  now: number,
  key: number,
  reason: WebhookReason,
  mailMs?: number,
): Promise<boolean> =>
  (await db.run(sql`
    update webhooks set state = 'off', reason = ${reason}, since = ${now}, revision = revision + 1,
      mail_due = ${mailMs === undefined ? sql`null` : mailDue(now, mailMs)}
    where key = ${key} and (state <> 'off' or reason <> ${reason})`)) > 0;

/** A process that ends before it has sent its mails leaves them to another one after so long. */
export const MAIL_CLAIM_MS = 10 * 60_000;
const mailDue = (now: number, mailMs: number): Sql =>
  sql`case when mailed > ${now - mailMs} then mailed + ${mailMs} else ${now} end`;

/** A webhook that the service has switched off. */
export type SwitchedOff = Pick<Webhook, 'key' | 'id' | 'application_key' | 'client_id' | 'url'> & {
  application_name: string;
  reason: WebhookReason;
  /** When another process sends the mails if this one does not. */
  mail_due: number;
};

/**
 * The webhooks whose owners have to be told that they are off. Of several processes one gets each, and says by `endMail`
 * that it has sent the mails.
 */
export async function claimMails(db: Db, now: number): Promise<SwitchedOff[]> {
  const due = sql`mail_due <= ${now}`;
  // Reads first, because writing takes the writer's lock.
  if ((await db.tuple(sql`select 1 from webhooks where ${due} limit 1`)) === undefined) return [];
  const claimed = await db.all<Omit<SwitchedOff, 'id'>>(sql`
    update webhooks set mail_due = ${now + MAIL_CLAIM_MS}, mailed = ${now} where ${due}
    returning key, application_key, url, reason, mail_due,
      (select client_id from applications where key = application_key) as client_id,
      (select name from applications where key = application_key) as application_name`);
  return claimed.map((webhook) => ({ id: idOf(webhook.key), ...webhook }));
}

export async function endMail(db: Db, { key, mail_due }: SwitchedOff): Promise<void> {
  await db.run(sql`update webhooks set mail_due = null where key = ${key} and mail_due = ${mail_due}`);
}

/** A purge deletes its log. */
export const removeWebhook = (db: Queryable, key: number): Promise<boolean> =>
  changesRow(db, sql`delete from webhooks where key = ${key}`);

/** Ends the pause of a webhook that fails. */
export async function hurry(db: Queryable, now: number, key: number): Promise<void> {
  await db.run(sql`update webhooks set next_attempt = ${now} where key = ${key} and failures > 0`);
}

/** Continues at another place of the feed. */
export async function setPlace(db: Transactional, key: number, { feed, number, walk }: Cursor): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(sql`
      update webhooks set feed = ${feed}, place = ${number}, walk_head = ${walk?.head ?? null}, ${SENT},
        revision = revision + 1
      where key = ${key}`);
    await replaceMessages(tx, key, sql`(change > ${number} or next_attempt = ${IN_ORDER})`);
  });
}

/** Replaces the secret; the former one signs as well for a day. @returns the new one, which is shown only once */
export async function rotateSecret(db: Queryable, now: number, secretKey: SecretKey, key: number): Promise<string> {
  const secret = newWebhookSecret();
  await db.run(sql`
    update webhooks set sealed_former = sealed_secret, former_until = ${now + FORMER_SECRET_MS},
      sealed_secret = ${seal(secretKey.derive(WEBHOOK_SECRETS), secret)}, revision = revision + 1
    where key = ${key}`);
  return secret;
}

/** The secrets that sign at this time, the newest first; empty if they were sealed under another secret key. */
export async function signingSecrets(db: Queryable, now: number, secretKey: SecretKey, key: number): Promise<string[]> {
  const row = await db.get<{ sealed_secret: string; sealed_former: string | null; former_until: number | null }>(
    sql`select sealed_secret, sealed_former, former_until from webhooks where key = ${key}`,
  );
  const unsealed = (sealed: string) => unseal(secretKey.derive(WEBHOOK_SECRETS), sealed);
  if (row === undefined) return [];
  const secret = unsealed(row.sealed_secret);
  if (secret === undefined) return [];
  const former = row.sealed_former !== null && (row.former_until ?? 0) > now ? unsealed(row.sealed_former) : undefined;
  return former === undefined ? [secret] : [secret, former];
}
