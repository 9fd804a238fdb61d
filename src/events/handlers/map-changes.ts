import { idOf } from '#platform/ids.ts';
import { nameKey } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';

/** A published version of a map, as the ledger has it. */
export interface MapChange {
  receipt: string;
  /** The exact name: the changes of maps whose names differ in case only are listed together. */
  name: string;
  version: string;
  /** Epoch milliseconds: the event's own time, and its arrival. */
  time: number;
  received: number;
  /** The server that sent it; empty for an operator. */
  server: string;
  /** The id of the server's key; empty for an operator. */
  key: string;
  withdrawn: boolean;
}

/** All published versions of a map (by name, in any case), by receipt, newest first. */
export async function mapChanges(db: Queryable, name: string): Promise<MapChange[]> {
  const rows = await db.all<Record<'key' | 'time' | 'received' | 'credential', number> & Texts>(sql`
    select l.key, l.time, l.received, l.credential, l.body, l.withdrawn, s.name as server
    from ledger l left join servers s on s.key = l.scope_key
    where l.aggregate = ${`map ${nameKey(name)}`} and l.type = 'map.published' order by l.key desc`);
  return rows.map(({ key, time, received, credential, body, withdrawn, server }) => ({
    receipt: idOf(key),
    ...parseVersion(body),
    time,
    received,
    server: server ?? '',
    key: credential === 0 ? '' : idOf(credential),
    withdrawn: withdrawn !== null,
  }));
}

interface Texts {
  body: string;
  withdrawn: number | null;
  server: string | null;
}

function parseVersion(body: string): Pick<MapChange, 'name' | 'version'> {
  const { name, version } = JSON.parse(body) as MapChange;
  return { name, version };
}
