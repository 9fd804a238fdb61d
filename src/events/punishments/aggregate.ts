/** The sender's own name of a punishment: the key of the server that issued it (0 for the operator), and its reference. */
export interface PunishmentName {
  scope: number;
  reference: string;
}

/** The aggregate of a punishment in the ledger; see `aggregateOf`. */
export const punishmentAggregate = ({ scope, reference }: PunishmentName): string => `punishment ${scope} ${reference}`;

/** The punishment of an aggregate; undefined where the aggregate is something else. */
export function punishmentOfAggregate(aggregate: string | null): PunishmentName | undefined {
  const [, scope, reference] = /^punishment (\d+) (.*)$/s.exec(aggregate ?? '') ?? [];
  return scope === undefined ? undefined : { scope: Number(scope), reference: reference! };
}
