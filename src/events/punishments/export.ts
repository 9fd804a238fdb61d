import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import type { WireEvent } from '../schema.ts';
import { punishmentOfAggregate } from './aggregate.ts';

/**
 * Returns a function that names the punishment of an exported change by its issuer and the issuer's own name of it. A
 * network that already has newer events gives the punishment another id, under which the change would not find it.
 */
export async function punishmentNames(
  db: Queryable,
): Promise<(event: WireEvent, aggregate: string | null) => WireEvent> {
  const servers = await db.all<{ key: number; name: string }>(sql`select key, name from servers`);
  const names = new Map(servers.map(({ key, name }) => [key, name]));
  return (event, aggregate) => {
    if (event.type !== 'punishment.changed' && event.type !== 'punishment.revoked') return event;
    const { punishment_id, ...data } = event.data;
    const target = punishment_id === undefined ? undefined : punishmentOfAggregate(aggregate);
    if (target === undefined) return event;
    const named = { ...data, punishment: target.reference, server: names.get(target.scope) ?? '' };
    return { ...event, data: named } as WireEvent;
  };
}
