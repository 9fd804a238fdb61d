import { idOf } from '#platform/ids.ts';
import type { Db } from '#db/db.ts';
import { list, type Sql, sql } from '#db/sql.ts';
import { addCounts } from '#store/counts.ts';

/**
 * Who sent a refused request, and the query that finds the names of the applications, servers and accounts. An address has
 * none; an IPv6 address counts by its /64.
 */
const SENDERS = {
  address: undefined,
  application: (ids: Sql) => sql`select client_id as id, name from applications where client_id in (${ids})`,
  server: (ids: Sql) => sql`select key as id, name from servers where key in (${ids})`,
  account: (ids: Sql) => sql`select id, name from accounts where id in (${ids})`,
} as const;

export type SenderKind = keyof typeof SENDERS;
export const SENDER_KINDS = Object.keys(SENDERS) as readonly SenderKind[];

/** The senders of one kind that are counted together, because there were too many of them. */
export const OTHERS = '*';

const WINDOW_MS = 3_600_000;
/** Maximum rows of which the list is made; those with the most requests come first. */
const MAX_ROWS = 2_000;

export interface RefusedCount {
  kind: SenderKind;
  /** An address, a Client ID, the key of a server or the id of an account. */
  sender: string;
  status: number;
  count: number;
}

/** Adds refused requests to the counts of their senders. A count begins with its first request and ends an hour later. */
export async function addRefusedRequests(db: Db, now: number, counts: readonly RefusedCount[]): Promise<void> {
  const added = counts.map(({ kind, sender, status, count }) => ({
    subject: `refused ${kind} ${status} ${sender}`,
    used: count,
    resets: now + WINDOW_MS,
  }));
  await db.transaction((tx) => addCounts(tx, 'database', now, added), { durable: false });
}

/** A sender with its refused requests since `since` (epoch milliseconds), at most an hour ago. */
export interface RefusedSender {
  kind: SenderKind;
  /** An address, a Client ID, or the id of a server or an account. */
  sender: string;
  /** Null for addresses, and for what has been deleted. */
  name: string | null;
  requests: number;
  /** Requests by status, the most first. */
  statuses: [status: number, requests: number][];
  since: number;
}

/** The senders with the most refused requests of the last hour, at most `limit` of each kind. */
export async function topRefusedSenders(db: Db, now: number, limit: number): Promise<RefusedSender[]> {
  const rows = await db.all<{ subject: string; used: number; resets: number }>(sql`
    select subject, used, resets from throttles where subject like 'refused %' and resets > ${now}
    order by used desc, subject limit ${MAX_ROWS}`);
  const bySender = Map.groupBy(rows, ({ subject }) => subject.replace(/^(\S+ \S+) \S+/, '$1'));
  const senders = [...bySender.values()].map((counts): RefusedSender => {
    const [, kind, , sender] = counts[0]!.subject.split(' ') as [string, SenderKind, string, string];
    return {
      kind,
      sender,
      name: null,
      requests: counts.reduce((sum, { used }) => sum + used, 0),
      statuses: counts.map(({ subject, used }) => [Number(subject.split(' ')[2]), used]),
      since: Math.min(...counts.map(({ resets }) => resets)) - WINDOW_MS,
    };
  });
  senders.sort((a, b) => b.requests - a.requests);
  const top = SENDER_KINDS.map((kind) => senders.filter((one) => one.kind === kind).slice(0, limit));
  return (await Promise.all(top.map((some) => withNames(db, some)))).flat();
}

const shownSender = ({ kind, sender }: RefusedSender): string =>
  kind === 'server' && sender !== OTHERS ? idOf(Number(sender)) : sender;

async function withNames(db: Db, senders: readonly RefusedSender[]): Promise<readonly RefusedSender[]> {
  const ids = senders.map(({ sender }) => sender).filter((sender) => sender !== OTHERS);
  const find = senders[0] && SENDERS[senders[0].kind];
  if (find === undefined || ids.length === 0) return senders;
  const rows = await db.all<{ id: string | number; name: string }>(
    find(list(senders[0]!.kind === 'server' ? ids.map(Number) : ids)),
  );
  const names = new Map(rows.map(({ id, name }) => [String(id), name]));
  return senders.map((one) => ({ ...one, name: names.get(one.sender) ?? null, sender: shownSender(one) }));
}
