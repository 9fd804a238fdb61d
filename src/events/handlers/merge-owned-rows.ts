import { identifier, join, sql } from '#db/sql.ts';
import { matchesAmong } from '#store/game/merged-players.ts';
import { moveKills } from '#store/game/rivals/kill-pairs.ts';
import type { UnitOfWork } from '../ledger/unit-of-work.ts';

export interface OwnedTable {
  table: string;
  owner: string;
  /** The rest of the primary key. */
  order: readonly string[];
  /** The public resources that its rows are. */
  changes?: 'punishment' | 'match';
  /** Whether the survivor may have the same row; its own remains. */
  mayCollide?: true;
}

/** Tables whose rows change their owner. */
export const OWNED: readonly OwnedTable[] = [
  { table: 'kills', owner: 'killer_key', order: ['match_key', 'number'] },
  { table: 'kills', owner: 'victim_key', order: ['match_key', 'number'] },
  { table: 'player_objectives', owner: 'player_key', order: ['type', 'match_key', 'number'] },
  { table: 'player_sessions', owner: 'player_key', order: ['ledger_key'] },
  { table: 'counter_reports', owner: 'player_key', order: ['event_key'] },
  { table: 'faction_reports', owner: 'player_key', order: ['time', 'ledger_key'] },
  { table: 'punishments', owner: 'punished_key', order: ['key'], changes: 'punishment' },
  { table: 'merged_in_matches', owner: 'player_key', order: ['match_key'], changes: 'match', mayCollide: true },
  // The same event may have observed the survivor with the same name.
  { table: 'name_observations', owner: 'player_key', order: ['ledger_key', 'name'], mayCollide: true },
];

/** Moves the next rows of a table. @returns their number */
export async function moveOwned(
  { tx, changes }: UnitOfWork,
  { table, owner, order, changes: kind, mayCollide }: OwnedTable,
  { merged, survivor }: { merged: number; survivor: number },
  limit: number,
): Promise<number> {
  const columns = join(order.map(identifier));
  const rows = await tx.tuples(sql`
    select ${columns} from ${identifier(table)} where ${identifier(owner)} = ${merged} order by ${columns} limit ${limit}`);
  if (rows.length === 0) return 0;
  const keys = kind === undefined ? [] : rows.map(([key]) => key as number);
  for (const key of kind === 'match' ? await matchesAmong(tx, keys) : keys) changes.add(kind!, key, 'changed');
  const last = join(rows.at(-1)!.map((value) => sql`${value}`));
  const moved = sql`${identifier(owner)} = ${merged} and (${columns}) <= (${last})`;
  if (mayCollide) {
    const same = join(
      order.map((column) => sql`o.${identifier(column)} = ${identifier(table)}.${identifier(column)}`),
      ' and ',
    );
    await tx.run(sql`
      delete from ${identifier(table)} where ${moved} and exists (
        select 1 from ${identifier(table)} o where o.${identifier(owner)} = ${survivor} and ${same})`);
  }
  if (owner === 'killer_key' || owner === 'victim_key') await moveKills(tx, owner, moved, survivor);
  await tx.run(sql`update ${identifier(table)} set ${identifier(owner)} = ${survivor} where ${moved}`);
  return rows.length;
}
