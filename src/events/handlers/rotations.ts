import { nameKey } from '#text/text.ts';
import type { Queryable } from '#db/db.ts';
import { insertAll, sql } from '#db/sql.ts';
import { LEDGER, type LedgerRow } from '../ledger/ledger-rows.ts';
import type { AggregateKind } from './aggregate-kind.ts';
import type { EventContext, HandlerResult } from '../ledger/unit-of-work.ts';
import { AGGREGATE_ONLY, type Effects, PLAIN_EFFECT } from './event-effect.ts';
import type { DataOf } from '../schema/index.ts';
import type { ROTATION_EVENTS } from '../schema/rotations.ts';

/** Replaces the rotation of a server. An event older than the stored rotation has no effect. */
async function applyRotation(context: EventContext, { maps }: DataOf<'rotation.changed'>): Promise<HandlerResult> {
  const { tx } = context.work;
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

/**
 * The events that determine a rotation: the newest `rotation.changed`, and a later removal of the server, which deletes the
 * rotation.
 */
async function rotationEvents(tx: Queryable, aggregate: string, name: string): Promise<LedgerRow[]> {
  const newest = await tx.get<LedgerRow>(sql`
    ${LEDGER} where l.aggregate = ${aggregate} and l.type = 'rotation.changed' and l.withdrawn is null
    order by l.aggregate desc, l.time desc, l.key desc limit 1`);
  if (newest === undefined) return [];
  const removal = await tx.get<LedgerRow>(sql`
    ${LEDGER} where l.type = 'server.removed' and l.scope_key = ${Number(name)} and l.key > ${newest.key} limit 1`);
  return removal === undefined ? [newest] : [newest, removal];
}

export const ROTATIONS: AggregateKind = {
  prefix: 'rotation',
  changes: [],
  async reset({ tx }, name) {
    await tx.run(sql`delete from rotations where server_key = ${Number(name)}`);
    await tx.run(sql`delete from rotation_states where server_key = ${Number(name)}`);
  },
  events: rotationEvents,
};

export const ROTATION_EFFECTS: Effects<typeof ROTATION_EVENTS> = {
  'rotation.changed': {
    ...PLAIN_EFFECT,
    apply: applyRotation,
    changes: [],
    aggregate: (_data, scope) => `${ROTATIONS.prefix} ${scope}`,
    retract: AGGREGATE_ONLY,
  },
};
