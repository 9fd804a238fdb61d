import type { Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { punishmentOfAggregate } from './punishment-aggregate.ts';

/**
 * Returns a function that replaces the punishment's id in an exported change by its issuer and the issuer's reference. A
 * network that already has newer events gives the punishment another id on import, so the exported id would not find it.
 */
export async function namedByIssuer(db: Queryable) {
  const servers = await db.all<{ key: number; name: string }>(sql`select key, name from servers`);
  const names = new Map(servers.map(({ key, name }) => [key, name]));
  return ({ aggregate }: { aggregate: string | null }, data: Record<string, unknown>): object => {
    const { punishment_id, ...others } = data;
    const target = punishment_id === undefined ? undefined : punishmentOfAggregate(aggregate);
    if (target === undefined) return data;
    return { ...others, punishment: target.reference, server: names.get(target.scope) ?? '' };
  };
}
