import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { expectedNetwork } from '../../../loadtest/model/expected-network.ts';
import type { Exported } from '../../../loadtest/model/exported.ts';
import { keyOf } from '#platform/ids.ts';
import type { Db } from '#db/db.ts';
import { playerCountersWire } from '#api/counters.ts';
import { exportEvents } from '#events/export.ts';
import { runJobs } from '#events/jobs/runner.ts';
import { listCounters } from '#store/game/counters/counters.ts';
import { playerByUuid } from '#store/game/players.ts';
import { event, person } from '#test/support/builders.ts';
import { DIALECTS, twoDatabases } from '#test/support/context.ts';
import { retractEvents } from '#test/support/jobs.ts';
import { arbitraryHistory, type GeneratedEvent, merge } from '../generated-history.ts';
import { clock, ingestHistory } from '../ingest-history.ts';

const TIME = '2026-02-01T00:00:00Z';

/** A declaration or removal of one of the counters that the generated events report. */
const declaration = fc
  .record({
    key: fc.constantFrom('pieces', 'streak', 'unknown'),
    aggregate: fc.constantFrom<('sum' | 'max')[]>('sum', 'max'),
    modes: fc.subarray<'ctw' | 'teampvp' | 'factions'>(['ctw', 'teampvp', 'factions']),
    isRemoval: fc.nat(4).map((chance) => chance === 0),
  })
  .map(({ isRemoval, key, ...how }) =>
    isRemoval
      ? event('counter.removed', { key }, { time: TIME })
      : event('counter.declared', { key, label: { en: key }, ...how }, { time: TIME }),
  );

/** Histories with declarations, and perhaps a merge, anywhere between the events. */
const histories = fc
  .tuple(
    arbitraryHistory,
    fc.array(fc.tuple(declaration, fc.nat(25)), { maxLength: 4 }),
    fc.option(fc.nat(25), { nil: undefined }),
  )
  .map(([events, declarations, merged]) => {
    const history = declarations.reduce<GeneratedEvent[]>(
      (all, [declared, place]) => all.toSpliced(place, 0, { sender: 'operator', event: declared }),
      events,
    );
    return merged === undefined ? history : history.toSpliced(merged, 0, merge);
  });

/** The counters of all players, by UUID. */
async function countersOf(db: Db): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (let number = 0; number < 5; number++) {
    const player = await playerByUuid(db, person(number).uuid);
    if (player !== undefined) found[player.uuid] = await playerCountersWire({ db }, player.key);
  }
  return found;
}

/** The same, computed from the exported events alone. */
async function recounted(db: Db): Promise<Record<string, unknown>> {
  const exported = (await Array.fromAsync(exportEvents(db))) as Exported[];
  const { players } = expectedNetwork(exported.filter(({ type }) => COUNTED.has(type)).map(withDefaults));
  return Object.fromEntries([...players].map(([uuid, { groups }]) => [uuid, groups['counters']]));
}

const COUNTED: ReadonlySet<string> = new Set([
  ...['match.finished', 'player.statistics', 'player.merged', 'counter.declared', 'counter.removed'],
]);

/** The model expects members that the senders of the load test always send. */
function withDefaults({ data, ...envelope }: Exported): Exported {
  const player = data.player && { name: 'unnamed', ...data.player };
  const modes = data.modes ?? [];
  return { ...envelope, data: { objectives: [], kills: [], win: '', ...data, ...(player && { player }), modes } };
}

/** Players without a match or statistics are not in the model. */
async function assertRecounted(db: Db): Promise<void> {
  const wanted = await recounted(db);
  const declared = (await listCounters(db)).map(({ key }): [string, number] => [key, 0]);
  const none = { total: Object.fromEntries(declared) };
  for (const [uuid, counters] of Object.entries(await countersOf(db)))
    assert.deepEqual(counters, wanted[uuid] ?? none, uuid);
}

for (const dialect of DIALECTS) {
  test(`counters are those of the stored events, in any order of arrival (${dialect})`, async (t) => {
    const [one, other] = await twoDatabases(t, dialect);
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.infiniteStream(fc.nat(3)),
        fc.integer({ min: 1, max: 4 }),
        async (events, dice, batches) => {
          const receipts = await ingestHistory(one, events, batches);
          await runJobs({ db: one, clock });
          const withdrawn = receipts.filter(({ status }) => status === 'accepted' && dice.next().value === 0);
          await retractEvents(
            one,
            clock,
            withdrawn.map((receipt) => keyOf((receipt as { receipt: string }).receipt)!),
          );
          await assertRecounted(one);
          await ingestHistory(other, events.toReversed(), batches);
          await runJobs({ db: other, clock });
          await assertRecounted(other);
        },
      ),
      { numRuns: dialect === 'sqlite' ? 40 : 12 },
    );
  });
}
