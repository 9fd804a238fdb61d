import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** The beginning of a mail server's failure, and its error code, like `ECONNREFUSED`. */
export interface MailFailure {
  since: number;
  error: string;
}

/** Records the outcome of an attempt to send a mail. @param error undefined if the server accepted the mail */
export async function recordMailOutcome(
  db: Queryable,
  now: number,
  server: string,
  error: string | undefined,
): Promise<void> {
  if (error === undefined) await db.run(sql`delete from mail_failures where server = ${server}`);
  else {
    await db.run(sql`
      insert into mail_failures (server, since, error) values (${server}, ${now}, ${error})
      on conflict (server) do update set error = excluded.error`);
  }
}

/** The failure of a mail server; undefined while its last mail was accepted. */
export const mailFailureOf = (db: Queryable, server: string): Promise<MailFailure | undefined> =>
  db.get(sql`select since, error from mail_failures where server = ${server}`);
