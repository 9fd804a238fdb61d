import { PUNISHMENTS } from './punishment-aggregate.ts';
import type { AggregateKind } from './aggregate-kind.ts';
import { MAPS } from './maps.ts';
import { ROTATIONS } from './rotations.ts';

const KINDS: readonly AggregateKind[] = [MAPS, ROTATIONS, PUNISHMENTS];

/** The kind and the name of the aggregate to which a ledger row refers. */
export function aggregateNamed(reference: string): { kind: AggregateKind; name: string } {
  const end = reference.indexOf(' ');
  const kind = KINDS.find(({ prefix }) => prefix === reference.slice(0, end));
  if (kind === undefined) throw new Error(`No kind of aggregate has the reference ${reference}`);
  return { kind, name: reference.slice(end + 1) };
}
