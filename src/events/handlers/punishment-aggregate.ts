import { sql } from '#db/sql.ts';
import type { AggregateKind } from './event-effect.ts';

/** The sender's own name of a punishment: the key of the server that issued it (0 for the operator), and its reference. */
export interface PunishmentName {
  scope: number;
  reference: string;
}

export const PUNISHMENTS: AggregateKind = {
  prefix: 'punishment',
  changes: ['punishment'],
  async reset({ tx, changes }, name) {
    const { scope, reference } = parsedName(name)!;
    const rows = await tx.tuples(sql`
      delete from punishments where scope_key = ${scope} and reference = ${reference} returning key`);
    for (const [key] of rows) changes.add('punishment', key as number, 'withdrawn');
  },
};

export const punishmentAggregate = ({ scope, reference }: PunishmentName): string =>
  `${PUNISHMENTS.prefix} ${scope} ${reference}`;

/** The punishment of an aggregate; undefined if the aggregate is something else. */
export function punishmentOfAggregate(aggregate: string | null): PunishmentName | undefined {
  const start = `${PUNISHMENTS.prefix} `;
  return aggregate?.startsWith(start) ? parsedName(aggregate.slice(start.length)) : undefined;
}

function parsedName(name: string): PunishmentName | undefined {
  const [, scope, reference] = /^(\d+) (.*)$/s.exec(name) ?? [];
  return scope === undefined ? undefined : { scope: Number(scope), reference: reference! };
}
