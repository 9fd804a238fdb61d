import { idOf } from '#platform/ids.ts';
import { nameKey } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { LedgerRow } from '../ledger/ledger-rows.ts';

type ChangeRow = Pick<LedgerRow, 'key' | 'time' | 'credential' | 'body' | 'server'> & {
  received: number;
  withdrawn: number | null;
};

/**
 * All published versions of a map (by name, in any case), by receipt, newest first. Server and key are empty for an
 * operator.
 */
export async function mapChanges(db: Queryable, name: string) {
  const rows = await db.all<ChangeRow>(sql`
    select l.key, l.time, l.received, l.credential, l.body, l.withdrawn, s.name as server
    from ledger l left join servers s on s.key = l.scope_key
    where l.aggregate = ${`map ${nameKey(name)}`} and l.type = 'map.published' order by l.key desc`);
  return rows.map(({ key, time, received, credential, body, withdrawn, server }) => {
    const { name, version } = JSON.parse(body) as Record<'name' | 'version', string>;
    const sender = { server: server ?? '', key: credential === 0 ? '' : idOf(credential) };
    return { receipt: idOf(key), name, version, time, received, ...sender, withdrawn: withdrawn !== null };
  });
}
