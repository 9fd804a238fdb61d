import type { AppContext } from '#context/context.ts';
import { sql } from '#db/sql.ts';
import { recordChanges, type ResourceChange, type ResourceKind } from '#store/game/changes.ts';
import { Keys } from '#store/sequence.ts';

type Recorder = Pick<AppContext, 'db' | 'clock'>;

/** Records changes as an event does. */
export async function record({ db, clock }: Recorder, ...changes: readonly ResourceChange[]): Promise<void> {
  await db.transaction(async (tx) => {
    await Keys.lock(tx);
    await recordChanges(tx, changes, clock.now());
  });
}

/** Records every resource that is not in the feed. */
export async function recordMissing({ db, clock }: Recorder): Promise<void> {
  const rows = await db.all<{ kind: ResourceKind; key: number }>(sql`
    select r.kind, r.key from (
      select 'match' as kind, key from matches union all select 'map' as kind, key from maps
      union all select 'punishment' as kind, key from punishments union all select 'player' as kind, key from players
      union all select 'server' as kind, key from servers where removed is null) r
    left join changes c on c.kind = r.kind and c.key = r.key where c.key is null order by r.key`);
  await record({ db, clock }, ...rows.map((row) => ({ ...row, type: 'created' as const })));
}
