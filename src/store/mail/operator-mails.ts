import { type Db, getValue, type Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import type { Server } from '../game/servers.ts';
import { newestKeyAt } from '../sequence.ts';

/** The mails to operators. The state is in the database: it survives a restart and is shared by all processes. */

export interface MailClaim {
  subject: string;
  /** The key or time of the newest entry in the mail. A mail without a newer one is not due. */
  covers: number;
  /** The shortest time between two mails about the subject. */
  everyMs: number;
}

/** `covers` of a mail that could not be delivered. */
const FAILED = -1;
const RETRY_MS = 10 * 60_000;

/**
 * Claims a mail. Of several processes that call this at once, one gets true and sends the mail. A `sent` in the future
 * comes from a wrong clock and does not delay a mail.
 */
export const claimMail = async (
  tx: Queryable,
  now: number,
  { subject, covers, everyMs }: MailClaim,
): Promise<boolean> =>
  (await tx.get(sql`
    insert into operator_mails (subject, sent, covers, delivered) values (${subject}, ${now}, ${covers}, null)
    on conflict (subject) do update set sent = excluded.sent, covers = excluded.covers, delivered = null
    where operator_mails.covers < excluded.covers and (operator_mails.sent > ${now}
      or operator_mails.sent <= case when operator_mails.covers = ${FAILED} then cast(${now - RETRY_MS} as bigint)
        else cast(${now - everyMs} as bigint) end)
    returning subject`)) !== undefined;

/** Records that the mail server has accepted the mail about these subjects. */
export async function confirmMail(db: Queryable, now: number, subjects: readonly string[]): Promise<void> {
  await db.run(sql`update operator_mails set delivered = ${now} where subject in (${list(subjects)})`);
}

/** Makes a mail that could not be delivered due again after `RETRY_MS`. */
export async function releaseMail(db: Queryable, subjects: readonly string[]): Promise<void> {
  await db.run(sql`update operator_mails set covers = ${FAILED} where subject in (${list(subjects)})`);
}

export const REQUESTS = 'requests';

/** When a mail about a waiting request was delivered to the operators; undefined while there is none. */
export async function mailedAt(db: Queryable, requestKey: number): Promise<number | undefined> {
  const delivered = sql`
    select delivered from operator_mails
    where subject = ${REQUESTS} and covers >= ${requestKey} and delivered is not null`;
  return await getValue(db, delivered);
}

export interface SilentServer extends Server {
  /** When its last heartbeat was received. */
  received: number;
}

const SILENT = 'silent';
const silenceOf = (serverKey: number): string => `${SILENT} ${serverKey}`;

/**
 * Claims one mail about all servers that have been silent since `silentSince` and were not in an earlier mail.
 * @returns the servers and the claimed subjects; undefined if no mail is due
 */
export async function claimSilentServers(
  db: Db,
  now: number,
  { silentSince, everyMs }: { silentSince: number; everyMs: number },
): Promise<{ servers: SilentServer[]; subjects: string[] } | undefined> {
  if ((await silentServers(db, silentSince)).length === 0) return undefined;
  return await db.transaction(async (tx) => {
    if (!(await claimMail(tx, now, { subject: SILENT, covers: now, everyMs }))) return undefined;
    const servers = await silentServers(tx, silentSince);
    for (const { key, received } of servers) {
      await claimMail(tx, now, { subject: silenceOf(key), covers: received, everyMs: 0 });
    }
    return { servers, subjects: [SILENT, ...servers.map(({ key }) => silenceOf(key))] };
  });
}

/** Reads all servers, because there are few. */
const silentServers = (db: Queryable, silentSince: number): Promise<SilentServer[]> =>
  db.all(sql`
    select s.key, s.name, p.received from presence p join servers s on s.key = p.server_key
      left join operator_mails m on m.subject = cast(${`${SILENT} `} as text) || cast(s.key as text)
    where s.removed is null and p.received <= ${silentSince} and (m.covers is null or m.covers < p.received)
    order by s.name`);

export interface RefusingServer extends Server {
  /** Events refused since the beginning of the period. */
  count: number;
  /** The most frequent reason. */
  reason: string;
}

/**
 * Claims one mail about the servers of which at least `least` events were refused since `since`.
 * @returns the servers and the claimed subjects; undefined if no mail is due
 */
export async function claimRefusals(
  db: Db,
  now: number,
  { since, least, everyMs }: { since: number; least: number; everyMs: number },
): Promise<{ servers: RefusingServer[]; subjects: string[] } | undefined> {
  const refusing = await db.all<Omit<RefusingServer, 'reason'>>(sql`
    select s.key, s.name, r.count
    from (select scope_key, count(*) as count from refusals
      where key > ${newestKeyAt(since)} and received > ${since} group by scope_key) r
      join servers s on s.key = r.scope_key
    where r.count >= ${least} and s.removed is null order by s.name`);
  const servers: RefusingServer[] = [];
  for (const server of refusing) {
    const claim = { subject: refusalsOf(server.key), covers: now, everyMs };
    if (await claimMail(db, now, claim)) servers.push({ ...server, reason: await mainReason(db, server.key, since) });
  }
  return servers.length === 0 ? undefined : { servers, subjects: servers.map(({ key }) => refusalsOf(key)) };
}

const refusalsOf = (serverKey: number): string => `refusals ${serverKey}`;

async function mainReason(db: Queryable, serverKey: number, since: number): Promise<string> {
  const row = await db.get<{ reason: string }>(sql`
    select reason from refusals where scope_key = ${serverKey} and key > ${newestKeyAt(since)}
    group by reason order by count(*) desc, reason limit 1`);
  return row?.reason ?? '';
}
