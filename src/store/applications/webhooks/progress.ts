import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { dueInOrder } from './deliveries.ts';
import { MAY_READ, type Webhook } from './webhooks.ts';

/** What the process that delivers a webhook writes: nothing if another process delivers it now, or its owner changed it. */

export type Held = Pick<Webhook, 'key' | 'revision'>;

/** A webhook that a process delivers, in brief. */
export interface DueWebhook {
  key: number;
  state: Webhook['state'];
  feed: string;
  place: number;
  next_attempt: number;
  /** When the first of its pending messages is due; null without one. */
  pending: number | null;
}

/** The webhooks of a process that are not off. */
export async function heldWebhooks(db: Queryable, holder: string): Promise<DueWebhook[]> {
  return await db.all<DueWebhook>(sql`
    select w.key, w.state, w.feed, w.place, w.next_attempt,
      (select min(d.next_attempt) from webhook_deliveries d where d.webhook_key = w.key and d.state = 'pending') as pending
    from webhooks w join applications a on a.key = w.application_key
    where w.holder = ${holder} and w.state <> 'off' and ${MAY_READ}`);
}

export class Progress {
  readonly #holder: string;
  readonly #held: Held;

  constructor(holder: string, held: Held) {
    this.#holder = holder;
    this.#held = held;
  }

  async #change(tx: Queryable, set: ReturnType<typeof sql>): Promise<boolean> {
    const { key, revision } = this.#held;
    const changed = await tx.run(
      sql`update webhooks set ${set} where key = ${key} and revision = ${revision} and holder = ${this.#holder}`,
    );
    return changed === 1;
  }

  /** Moves the place after changes that need no delivery. */
  async pass(tx: Queryable, place: number): Promise<boolean> {
    return await this.#change(tx, sql`place = ${place}, ${WALKED(place)}`);
  }

  /** @param place undefined if the message was none of the changes that follow the place */
  async succeeded(tx: Queryable, now: number, place?: number): Promise<boolean> {
    return await this.#change(
      tx,
      sql`${place === undefined ? sql`` : sql`place = ${place}, ${WALKED(place)},`}
        failed = 0, attempts = 0, failing = null, pauses = 0, next_attempt = 0, reason = '',
        since = case when state = 'on' then since else ${now} end, state = 'on'`,
    );
  }

  /** A failed attempt of a message that was logged before. */
  async failedAgain(tx: Queryable, now: number): Promise<boolean> {
    return await this.#change(tx, sql`attempts = attempts + 1, failing = coalesce(failing, ${now})`);
  }

  /** The first attempt of a change failed. */
  async failed(tx: Queryable, now: number, place: number): Promise<boolean> {
    return await this.#change(
      tx,
      sql`failed = failed + 1, place = ${place}, ${WALKED(place)}, attempts = attempts + 1, failing = coalesce(failing, ${now})`,
    );
  }

  /** No deliveries until a time. */
  async pause(
    tx: Queryable,
    now: number,
    { reason, until }: { reason: 'failures' | 'slow_down'; until: number },
  ): Promise<boolean> {
    return await this.#change(
      tx,
      sql`since = case when state = 'waiting' and reason = ${reason} then since else ${now} end, state = 'waiting',
        reason = ${reason}, next_attempt = ${until}, failed = 0, pauses = pauses + 1, attempts = attempts + 1, failing = coalesce(failing, ${now})`,
    );
  }

  /** No deliveries until a time, because the receiver is busy. */
  async hold(tx: Queryable, until: number): Promise<boolean> {
    return await this.#change(tx, sql`next_attempt = ${until}`);
  }

  /** Continues after a probe that the receiver accepted: only the delivery of a change ends a series of failures. */
  async resume(tx: Queryable, now: number): Promise<boolean> {
    await dueInOrder(tx, now, this.#held.key);
    return await this.#change(tx, sql`state = 'on', reason = '', since = ${now}, next_attempt = 0`);
  }

  /** Continues in another feed, or at another place of it. */
  async reset(
    tx: Queryable,
    { feed, place, walkHead }: { feed: string; place: number; walkHead: number | null },
  ): Promise<boolean> {
    return await this.#change(tx, sql`feed = ${feed}, place = ${place}, walk_head = ${walkHead}, failed = 0`);
  }

  async isHeld(tx: Queryable): Promise<boolean> {
    return await this.#change(tx, sql`revision = revision`);
  }

  /** Its failures in a row, as they are now. */
  async failures(tx: Queryable): Promise<Pick<Webhook, 'failed' | 'attempts' | 'failing'>> {
    return (await tx.get<Pick<Webhook, 'failed' | 'attempts' | 'failing'>>(
      sql`select failed, attempts, failing from webhooks where key = ${this.#held.key}`,
    ))!;
  }
}

/** The first reading ends at the head that the feed had at its beginning. */
const WALKED = (place: number) => sql`walk_head = case when walk_head > ${place} then walk_head else null end`;
