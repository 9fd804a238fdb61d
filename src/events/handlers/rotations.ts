import { nameKey } from '#platform/text.ts';
import { insertAll, sql } from '#db/sql.ts';
import type { EventContext, HandlerResult } from '../unit-of-work.ts';
import type { DataOf } from '../schema.ts';

/** Replaces the rotation of a server. An event older than the stored rotation has no effect. */
export async function applyRotation(
  context: EventContext,
  { maps }: DataOf<'rotation.changed'>,
): Promise<HandlerResult> {
  const { tx } = context.batch;
  const { key } = context.server!;
  const changed = await tx.run(sql`
    insert into rotation_states (server_key, time) values (${key}, ${context.time})
    on conflict (server_key) do update set time = excluded.time where excluded.time >= rotation_states.time`);
  if (changed === 0) return { note: 'nothing changed: a newer rotation is already stored' };
  await tx.run(sql`delete from rotations where server_key = ${key}`);
  const rows = maps.map((name, position) => [key, position, name, nameKey(name)]);
  await tx.runAll(insertAll('insert into rotations (server_key, position, map_name, map_name_key) values', rows));
  return undefined;
}
