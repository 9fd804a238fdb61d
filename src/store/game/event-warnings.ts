import { idOf } from '#platform/ids.ts';
import { flag, json, type Queryable, rowReader } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** An accepted event with values that are not plausible. */
export interface EventWarning {
  receipt: string;
  id: string;
  type: string;
  /** The key and the name of the server; 0 and empty for the network itself. */
  serverKey: number;
  server: string;
  warnings: { place: string; reason: string }[];
  /** Epoch milliseconds. */
  received: number;
  withdrawn: boolean;
}

const toWarning = rowReader<EventWarning>({ receipt: idOf, warnings: json, withdrawn: flag });

/** Events with warnings, the newest first: of one server, or of all. */
export async function listEventWarnings(
  db: Queryable,
  { before, limit, serverKey }: { before: number; limit: number; serverKey?: number | undefined },
): Promise<EventWarning[]> {
  const ofServer = serverKey === undefined ? sql`` : sql`and w.scope_key = ${serverKey}`;
  const rows = await db.all(sql`
    select w.key as receipt, w.event_id as id, w.type, w.scope_key as "serverKey", w.received,
      coalesce(s.name, '') as server, w.warnings, case when l.withdrawn is null then 0 else 1 end as withdrawn
    from event_warnings w left join servers s on s.key = w.scope_key left join ledger l on l.key = w.key
    where w.key < ${before} ${ofServer} order by w.key desc limit ${limit}`);
  return rows.map(toWarning);
}
