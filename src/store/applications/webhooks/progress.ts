import type { Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';
import { MAY_READ, SENT, type Webhook } from './webhooks.ts';

/** A webhook that a process delivers, in brief. */
export interface DueWebhook extends Pick<Webhook, 'key' | 'state' | 'failures' | 'next_attempt' | 'last_head'> {
  feed: string;
  place: number;
  /** When the first of its logged messages is due; null without one. */
  message: number | null;
}

/** The webhooks of a process that are not off. */
export const heldWebhooks = (db: Queryable, holder: string): Promise<DueWebhook[]> =>
  db.all(sql`
    select w.key, w.state, w.feed, w.place, w.failures, w.next_attempt, w.last_head,
      (select min(d.next_attempt) from webhook_deliveries d
        where d.webhook_key = w.key and d.next_attempt is not null) as message
    from webhooks w join applications a on a.key = w.application_key
    where w.holder = ${holder} and w.state <> 'off' and ${MAY_READ}`);

/** What the process that delivers a webhook writes: nothing if another process delivers it now, or its owner changed it. */
export class Progress {
  readonly #holder: string;
  readonly #held: Pick<Webhook, 'key' | 'revision'>;

  constructor(holder: string, held: Pick<Webhook, 'key' | 'revision'>) {
    this.#holder = holder;
    this.#held = held;
  }

  async #change(tx: Queryable, set: Sql): Promise<boolean> {
    const { key, revision } = this.#held;
    const changed = await tx.run(
      sql`update webhooks set ${set} where key = ${key} and revision = ${revision} and holder = ${this.#holder}`,
    );
    return changed === 1;
  }

  async isHeld(tx: Queryable): Promise<boolean> {
    return await this.#change(tx, sql`revision = revision`);
  }

  /** Moves the place: the changes up to it are sent, or need no message. A first reading ends at the head of its beginning. */
  async advance(tx: Queryable, place: number): Promise<boolean> {
    return await this.#change(
      tx,
      sql`place = ${place}, walk_head = case when walk_head > ${place} then walk_head else null end, ${SENT}`,
    );
  }

  /** The message after the place failed. @param lastHead the head of the feed if no change follows it */
  async failed(tx: Queryable, now: number, until: number, lastHead: number | null): Promise<boolean> {
    return await this.#change(
      tx,
      sql`failures = failures + 1, failing = coalesce(failing, ${now}), next_attempt = ${until}, last_head = ${lastHead}`,
    );
  }

  /** Waits for a change after this head; null: the next one was tried, and waits with the message after the place. */
  async awaitNext(tx: Queryable, head: number | null): Promise<boolean> {
    return await this.#change(tx, sql`last_head = ${head}`);
  }

  /** Sends nothing until a time. */
  async hold(tx: Queryable, until: number): Promise<boolean> {
    return await this.#change(tx, sql`next_attempt = ${until}, last_head = null`);
  }

  /** Continues in another feed, or at another place of it. */
  async reset(tx: Queryable, feed: string, place: number, walkHead: number | null): Promise<boolean> {
    return await this.#change(tx, sql`feed = ${feed}, place = ${place}, walk_head = ${walkHead}, ${SENT}`);
  }
}
