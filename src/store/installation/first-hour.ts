import { exists, type Queryable } from '#db/db.ts';
import { type Sql, sql } from '#db/sql.ts';

/** The completed steps of a new network, in the order in which an operator takes them. */
export interface FirstHour {
  /** A game server with a valid key that stores events. */
  server: boolean;
  /** A heartbeat or another event of a game server. */
  event: boolean;
  maps: boolean;
  /** An application that is not part of the service itself. */
  application: boolean;
}

/**
 * Maximum events that are searched for one of a game server: a network that imports its history has millions of others.
 */
const NEWEST_EVENTS = 50;

export async function readFirstHour(db: Queryable, now: number): Promise<FirstHour> {
  const has = (query: Sql): Promise<boolean> => exists(db, query);
  return {
    server: await has(sql`
      select 1 as found from server_keys
      where test = 0 and (expires is null or expires > ${now})
        and exists (select 1 from servers where servers.key = server_keys.server_key and removed is null) limit 1`),
    event:
      (await has(sql`select 1 as found from presence limit 1`)) ||
      (await has(sql`
        select 1 as found from (
          select credential from ledger where key <= ${Number.MAX_SAFE_INTEGER} order by key desc limit ${NEWEST_EVENTS}) newest
        where credential <> 0 limit 1`)),
    maps: await has(sql`select 1 as found from maps limit 1`),
    application: await has(sql`
      select 1 as found from applications
      where not exists (select 1 from first_party_clients own where own.client_id = applications.client_id) limit 1`),
  };
}
