import { setImmediate } from 'node:timers/promises';
import type { Clock } from '#platform/clock.ts';
import { type Db, getValue, type Queryable } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { type Job, jobByKey, saveJob, type Stale, unmarkStale } from '#store/jobs.ts';
import { lockProjection } from '#store/game/projections.ts';
import { DerivedRecords } from '#store/game/rivals/player-records.ts';
import { NAMED_KINDS } from '#store/game/renamed-players.ts';
import { removedUntil } from '#store/accounts/removed-names.ts';
import { PlayerObservations, replacePlayerNames } from '#store/game/player-names.ts';
import { Keys } from '#store/sequence.ts';
import { PlayerMaxima } from '../handlers/recount.ts';
import { parseStoredEvents } from '../ledger/ledger-rows.ts';
import { rebuild } from './rebuild.ts';
import { withdrawEvents } from './retract.ts';
import { UnitOfWork } from '../ledger/unit-of-work.ts';
import { deriveRatings } from './map-ratings.ts';
import { isMerging } from '../handlers/merge-records.ts';

/**
 * Derives a player from its observations. They are read in pages outside the transaction, which reads only those added
 * meanwhile. If the player or the job has changed meanwhile, nothing is written and the next chunk tries again.
 * The players of an unfinished merge are left out: the surviving one is derived at its end.
 */
export async function derivePlayer(db: Db, clock: Clock, job: Job, stale: Stale): Promise<void> {
  const player = Number(stale.ref);
  const before = await readState(db, player);
  const observed = new PlayerObservations(player);
  if (before !== undefined) await observed.read(db);
  await db.transaction(async (tx) => {
    const work = new UnitOfWork(tx, await Keys.lock(tx), clock.now());
    const current = await jobByKey(tx, job.key);
    const after = await readState(tx, player);
    if (current?.chunks !== job.chunks || after?.uuid !== before?.uuid || after?.aliases !== before?.aliases) return;
    if (after !== undefined && !(await isMerging(tx, player))) {
      await observed.read(tx);
      const shown = observed.without(await removedUntil(tx, after.uuid)).under(await openPseudonym(tx, after.uuid));
      await replacePlayerNames(tx, player, shown);
      await addDerived(work, player, after.name);
      await work.flush();
    }
    await unmarkStale(tx, stale);
    await saveJob(tx, { ...current, chunks: current.chunks + 1 });
  });
}

async function addDerived(work: UnitOfWork, player: number, before: string): Promise<void> {
  work.changes.declare(NAMED_KINDS);
  const derived = await readState(work.tx, player);
  if (derived === undefined) work.changes.add('player', player, 'withdrawn');
  else if (derived.name !== before) await work.addRenamed([player]);
}

/** Derives the maxima of a player's counters from its reports, which are read like the observations of `derivePlayer`. */
export async function deriveMaxima(db: Db, job: Job, stale: Stale): Promise<void> {
  const player = Number(stale.ref);
  const before = await readState(db, player);
  const maxima = await PlayerMaxima.of(db, player);
  if (before !== undefined) await maxima.read(db, setImmediate);
  await db.transaction(async (tx) => {
    await Keys.lock(tx);
    const current = await jobByKey(tx, job.key);
    const after = await readState(tx, player);
    const { counters } = await PlayerMaxima.of(tx, player);
    if (current?.chunks !== job.chunks || after?.aliases !== before?.aliases || counters !== maxima.counters) return;
    if (after !== undefined) {
      await maxima.read(tx);
      await maxima.write(tx);
    }
    await unmarkStale(tx, stale);
    await saveJob(tx, { ...current, chunks: current.chunks + 1 });
  });
}

/** Derives the records of a player from its matches, which are read like the observations of `derivePlayer`. */
export async function deriveRecordsOf(db: Db, job: Job, stale: Stale): Promise<void> {
  const player = Number(stale.ref);
  const before = await readState(db, player);
  const records = new DerivedRecords(player);
  if (before !== undefined) await records.read(db, { turn: setImmediate });
  await db.transaction(async (tx) => {
    await Keys.lock(tx);
    await lockProjection(tx, 'rivals');
    const current = await jobByKey(tx, job.key);
    const after = await readState(tx, player);
    if (current?.chunks !== job.chunks || after?.aliases !== before?.aliases) return;
    if (after !== undefined) await records.read(tx);
    await records.write(tx);
    await unmarkStale(tx, stale);
    await saveJob(tx, { ...current, chunks: current.chunks + 1 });
  });
}

interface PlayerState {
  uuid: string;
  name: string;
  aliases: number;
}

/** The UUID and merges of a player, whose changes move or rename older observations, and its name. */
async function readState(db: Queryable, player: number): Promise<PlayerState | undefined> {
  return await db.get(sql`
    select p.uuid, p.name, (select count(*) from player_aliases a where a.into_uuid = p.uuid) as aliases
    from players p where p.key = ${player}`);
}

/** The pseudonym of a player, if an unfinished anonymisation still replaces the player's names or those of a merged UUID. */
const openPseudonym = (tx: Queryable, uuid: string): Promise<string | undefined> =>
  getValue(
    tx,
    sql`
    select o.name from pseudonyms o where o.uuid = ${uuid} and exists (
      select 1 from pseudonyms m where m.original is not null and (
        m.uuid = o.uuid or m.uuid in (select a.uuid from player_aliases a where a.into_uuid = o.uuid)))`,
  );

/**
 * Rebuilds an aggregate in one transaction, so that readers never see it incomplete. Only the ratings of a map are derived in
 * chunks.
 * @returns the number of events that were withdrawn with those that they depend on
 */
export async function deriveAggregate(work: UnitOfWork, stale: Stale): Promise<number> {
  await unmarkStale(work.tx, stale);
  const withdrawn = await deriveRatings(work, stale.ref);
  if (withdrawn !== undefined) return withdrawn;
  const cascaded = await rebuild(work, stale.ref);
  await withdrawEvents(work, await parseStoredEvents(work.tx, cascaded));
  return cascaded.length;
}
