import type { Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import type { Change, ResourceKind } from '../../game/changes.ts';

/** Messages that are not changes. */
export type MessageType = 'webhook.verification' | 'webhook.test' | 'feed.reset';

/** waiting: not accepted yet; failed: the place has passed it. Both can have further attempts. */
export type DeliveryState = 'waiting' | 'delivered' | 'failed';

/** The `next_attempt` of a message in the order of the feed, which is sent when its webhook is due. */
export const IN_ORDER = 0;

/** How long the log is kept. */
export const LOG_MS = 30 * 86_400_000;
/** The newest rows of a webhook that are kept whatever their state. */
export const MAX_LOGGED = 10_000;
/** Maximum failed messages of a webhook without further attempts, which its owner can send again. */
export const MAX_FAILED = 5_000;
/** So many rows are added between two deletions: each deletion reads the older rows that are kept. */
const ROWS_PER_DELETION = 100;

/** Why a receiver that accepted the first message is not verified by its response. */
export type VerificationProblem = 'empty' | 'no_challenge';

/** What came of the last attempt. */
export interface AttemptResult {
  /** Null if there was no response; `reason` says why. */
  status: number | null;
  /** Of the first message also a `VerificationProblem`. */
  reason: string;
  ms: number | null;
  /** The beginning of the response's body. */
  response: string;
}

/** A message to a webhook. */
export interface Delivery extends AttemptResult {
  /** Its place in the log. */
  number: number;
  type: string;
  kind: ResourceKind | null;
  resource: number | null;
  change: number | null;
  state: DeliveryState;
  /** Those that the receiver did not answer with a pause. */
  attempts: number;
  /** Null without another attempt. */
  next_attempt: number | null;
  created: number;
  attempted: number | null;
}

const COLUMNS = sql`number, type, kind, resource, change, state, attempts, next_attempt, created, attempted, status, reason,
  ms, response`;

/** The newest messages of a webhook with numbers below `before`, newest first. */
export const deliveriesBefore = (db: Queryable, webhook: number, before: number, limit: number): Promise<Delivery[]> =>
  db.all(sql`
    select ${COLUMNS} from webhook_deliveries where webhook_key = ${webhook} and number < ${before}
    order by number desc limit ${limit}`);

export const deliveryByNumber = (db: Queryable, webhook: number, number: number): Promise<Delivery | undefined> =>
  db.get(sql`select ${COLUMNS} from webhook_deliveries where webhook_key = ${webhook} and number = ${number}`);

/**
 * The message that is due first, besides those in the order of the feed.
 * @param change whether it may be a change
 */
export const dueMessage = (
  db: Queryable,
  webhook: number,
  now: number,
  { change }: { change: boolean },
): Promise<Delivery | undefined> =>
  db.get(sql`
    select ${COLUMNS} from webhook_deliveries
    where webhook_key = ${webhook} and next_attempt > ${IN_ORDER} and next_attempt <= ${now} ${change ? sql`` : sql`and kind is null`}
    order by next_attempt, number limit 1`);

/** The messages in the order of the feed that were not accepted, and a reset that is not sent yet. */
export const messagesInOrder = (db: Queryable, webhook: number): Promise<Delivery[]> =>
  db.all(sql`
    select ${COLUMNS} from webhook_deliveries where webhook_key = ${webhook} and next_attempt = ${IN_ORDER} order by number`);

export const hasPending = async (db: Queryable, webhook: number, type: MessageType): Promise<boolean> =>
  (await db.tuple(sql`
    select 1 from webhook_deliveries
    where webhook_key = ${webhook} and next_attempt is not null and type = ${type} limit 1`)) !== undefined;

/** Logs a message that is to be sent. */
export const addMessage = (tx: Queryable, now: number, webhook: number, type: MessageType, due = now): Promise<void> =>
  addDelivery(tx, now, webhook, { type, state: 'waiting', attempts: 0, next_attempt: due });

export type NewDelivery = Pick<Delivery, 'state' | 'attempts' | 'next_attempt'> & { type: string } & {
  change?: Change;
  result?: AttemptResult;
};

/** Adds a row to the log, and deletes those that are too many. */
export async function addDelivery(
  tx: Queryable,
  now: number,
  webhook: number,
  { type, change, state, attempts, next_attempt, result }: NewDelivery,
): Promise<void> {
  const row = await tx.get<{ logged: number }>(
    sql`update webhooks set logged = logged + 1 where key = ${webhook} returning logged`,
  );
  if (row === undefined) return;
  const { logged } = row;
  const resource = sql`${change?.kind ?? null}, ${change?.key ?? null}, ${change?.number ?? null}`;
  const last = result === undefined ? sql`null, null, '', null, ''` : sql`${now}, ${columnsOf(result)}`;
  await tx.run(sql`
    insert into webhook_deliveries (webhook_key, number, type, kind, resource, change, state, attempts, next_attempt, created,
      attempted, status, reason, ms, response)
    values (${webhook}, ${logged}, ${type}, ${resource}, ${state}, ${attempts}, ${next_attempt}, ${now}, ${last})`);
  if (logged % ROWS_PER_DELETION === 0) await tx.runAll(deletions(webhook, logged));
}

/** Rows with another attempt are never deleted: they are messages that have not arrived. */
const deletions = (webhook: number, logged: number): Sql[] => [
  sql`delete from webhook_deliveries
    where webhook_key = ${webhook} and number <= ${logged - MAX_LOGGED} and state = 'delivered'`,
  sql`delete from webhook_deliveries where webhook_key = ${webhook} and ${ENDED} and number <= (
    select number from webhook_deliveries where webhook_key = ${webhook} and ${ENDED}
    order by number desc limit 1 offset ${MAX_FAILED})`,
];
const ENDED = sql`state = 'failed' and next_attempt is null`;

/** The rows of all webhooks that the log no longer keeps. */
export const oldDeliveries = (before: number): Sql => sql`created < ${before} and next_attempt is null`;

/** The rows of deleted webhooks. The webhooks with rows are found one after the other in the primary key, without a scan. */
export const OF_DELETED_WEBHOOKS: Sql = sql`
  webhook_key in (
    with recursive logged (key) as (
      select min(webhook_key) from webhook_deliveries
      union all
      select (select min(webhook_key) from webhook_deliveries where webhook_key > logged.key)
      from logged where logged.key is not null
    )
    select key from logged where key is not null and not exists (select 1 from webhooks where webhooks.key = logged.key)
  )`;

/** Whether a change of a resource has been delivered to a webhook. */
export const hasDelivered = async (
  db: Queryable,
  webhook: number,
  { kind, key }: Pick<Change, 'kind' | 'key'>,
): Promise<boolean> =>
  (await db.tuple(sql`
    select 1 from webhook_deliveries where webhook_key = ${webhook} and kind = ${kind} and resource = ${key}
      and state = 'delivered' limit 1`)) !== undefined;

const columnsOf = ({ status, reason, ms, response }: AttemptResult): Sql =>
  sql`${status}, ${reason}, ${ms}, ${response}`;

/**
 * Records another attempt of a message, or without a result that the place passes it: its further attempts do not hold up
 * others.
 */
export async function recordAttempt(
  tx: Queryable,
  now: number,
  webhook: number,
  { number, state, attempts, next_attempt }: Pick<Delivery, 'number' | 'state' | 'attempts' | 'next_attempt'>,
  result?: AttemptResult,
): Promise<void> {
  const attempted = result && sql`, attempted = ${now}, (status, reason, ms, response) = (${columnsOf(result)})`;
  await tx.run(sql`
    update webhook_deliveries set state = ${state}, attempts = ${attempts}, next_attempt = ${next_attempt} ${attempted ?? sql``}
    where webhook_key = ${webhook} and number = ${number}`);
}

/** Ends the attempts of messages about changes: a later message has the change, or a newer one of its resource. */
export async function replaceMessages(tx: Queryable, webhook: number, which: Sql): Promise<void> {
  await tx.run(sql`
    update webhook_deliveries set state = 'failed', reason = ${REPLACED}, next_attempt = null
    where webhook_key = ${webhook} and next_attempt is not null and change is not null and ${which}`);
}
export const REPLACED = 'replaced';

/** Sends a message again, with the present change of its resource. */
export const sendAgain = async (
  db: Queryable,
  now: number,
  webhook: number,
  number: number,
  change: number | null,
): Promise<boolean> =>
  (await db.run(sql`
    update webhook_deliveries set state = 'waiting', attempts = 0, next_attempt = ${now}, change = ${change}
    where webhook_key = ${webhook} and number = ${number} and state <> 'waiting'`)) > 0;
