import { readTime } from '#text/time.ts';
import type { Queryable } from '#db/db.ts';
import { list, sql } from '#db/sql.ts';
import type { PunishmentTerms } from '#store/game/punishments.ts';
import { punishmentAggregate, punishmentOfAggregate } from '../handlers/punishment-aggregate.ts';

interface ReportRow {
  aggregate: string;
  event_id: string;
  body: string;
}

/**
 * The terms that the importer of the network's punishments reported last, by reference, without later changes by others. The
 * ids of its events are the reference, or begin with it. Withdrawn events count as reported.
 */
export async function reportedTerms(
  db: Queryable,
  references: readonly string[],
): Promise<Map<string, PunishmentTerms>> {
  if (references.length === 0) return new Map();
  const aggregates = references.map((reference) => punishmentAggregate({ scope: 0, reference }));
  const rows = await db.all<ReportRow>(sql`
    select l.aggregate, l.event_id, l.body from ledger l
    where l.aggregate in (${list(aggregates)}) and l.scope_key = 0
      and l.type in ('punishment.issued', 'punishment.changed')
    order by l.key`);
  const reports = rows.flatMap(({ aggregate, event_id, body }) => {
    const { reference } = punishmentOfAggregate(aggregate)!;
    return event_id === reference || event_id.startsWith(`${reference}:`)
      ? [[reference, parseTerms(body)] as const]
      : [];
  });
  return new Map(reports);
}

function parseTerms(body: string): PunishmentTerms {
  const { type, reason, expires } = JSON.parse(body) as { type: string; reason: string; expires: string | null };
  return { type, reason, expires: expires === null ? null : readTime(expires)! };
}
