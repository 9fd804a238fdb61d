import { idOf } from '#platform/ids.ts';
import type { Queryable } from '#db/db.ts';
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

type Row = Pick<EventWarning, 'id' | 'type' | 'serverKey' | 'received'> & {
  key: number;
  warnings: string;
  server: string | null;
  withdrawn: number | null;
};

/** Events with warnings, the newest first: of one server, or of all. */
export async function listEventWarnings(
  db: Queryable,
  { before, limit, serverKey }: { before: number; limit: number; serverKey?: number | undefined },
): Promise<EventWarning[]> {
  const ofServer = serverKey === undefined ? sql`` : sql`and w.scope_key = ${serverKey}`;
  const rows = await db.all<Row>(sql`
    select w.key, w.event_id as id, w.type, w.scope_key as "serverKey", w.warnings, w.received, s.name as server, l.withdrawn
    from event_warnings w left join servers s on s.key = w.scope_key left join ledger l on l.key = w.key
    where w.key < ${before} ${ofServer} order by w.key desc limit ${limit}`);
  return rows.map(({ key, server, warnings, withdrawn, ...row }) => ({
    receipt: idOf(key),
    ...row,
    server: server ?? '',
    warnings: JSON.parse(warnings) as EventWarning['warnings'],
    withdrawn: withdrawn !== null,
  }));
}
