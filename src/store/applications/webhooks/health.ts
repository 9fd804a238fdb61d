import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { MAY_READ } from './webhooks.ts';

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
