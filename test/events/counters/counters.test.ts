import assert from 'node:assert/strict';
import { keyOf } from '#platform/ids.ts';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { exportEvents } from '#events/export.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { runJobs, runChunk } from '#events/jobs/runner.ts';
import { createWithdrawal } from '#events/jobs/withdrawal.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { listCounters } from '#store/game/counters/counters.ts';
import { counterLeaders, playerCounters } from '#store/game/counters/player-counters.ts';
import { playerByUuid } from '#store/game/players.ts';
import { configured, event, match, person, sendEvents, statistics, team } from '#test/support/builders.ts';
import { onEachDatabase, testContext, type TestAppContext, twoDatabases } from '#test/support/context.ts';
import { retractEvents } from '#test/support/jobs.ts';

type Declared = Extract<WireEvent, { type: 'counter.declared' }>['data'];

const declared = (key: string, data: Partial<Declared> = {}): WireEvent =>
  event('counter.declared', { key, label: { en: key }, ...data });

/** A ctw match in which players have values of counters. */
const played = (gamemode: string, values: Record<number, Record<string, number>>): WireEvent =>
  match({
    gamemode,
    teams: [
      team('Red', ...Object.entries(values).map(([number, counters]) => ({ ...person(Number(number)), counters }))),
    ],
  });

async function valuesOf(db: Db, number: number): Promise<Record<string, Record<string, number>>> {
  const player = await playerByUuid(db, person(number).uuid);
  return Object.fromEntries(await playerCounters(db, await listCounters(db), player!.key));
}

async function alpha(t: Parameters<typeof testContext>[0], url: string): Promise<TestAppContext> {
  const context = await testContext(t, url);
  await sendEvents(context, configured('Alpha'));
  return context;
}

onEachDatabase('counters are summed, or their largest value counts, by mode', async (t, url) => {
  const context = await alpha(t, url);
  const { db } = context;
  await sendEvents(
    context,
    declared('wools', { modes: ['ctw'] }),
    declared('streak', { aggregate: 'max' }),
    played('ctw', { 1: { wools: 2, streak: 5 }, 2: { wools: 0 } }),
    played('CTW', { 1: { wools: 1, streak: 3 } }),
    played('tdm', { 1: { wools: 9, streak: 7 } }),
    statistics(person(1), { counters: { streak: 6, wools: 1 } }),
  );
  assert.deepEqual(await valuesOf(db, 1), {
    total: { wools: 3, streak: 7 },
    ctw: { wools: 3, streak: 5 },
    teampvp: { streak: 7 },
    factions: { streak: 6 },
  });
  assert.deepEqual(await valuesOf(db, 2), {});
});

onEachDatabase('a counter that is declared later counts what was reported before', async (t, url) => {
  const context = await alpha(t, url);
  const { db, clock } = context;
  const [receipt] = await ingestEvents(db, clock, { kind: 'operator' }, [
    played('ctw', { 1: { wools: 2 }, 2: { wools: 4, constructor: 1 } }),
  ]);
  assert.equal(receipt!.status, 'accepted');
  const { warnings } = receipt as { warnings: { place: string; reason: string }[] };
  assert.deepEqual(
    warnings.map(({ place }) => place),
    ['data.teams.0.players.0.counters.wools', 'data.teams.0.players.1.counters.constructor'],
  );
  assert.match(warnings[0]!.reason, /no counter of this network.*scorehall counter set --key wools/);
  await sendEvents(context, declared('wools'));
  assert.deepEqual(await valuesOf(db, 1), { total: { wools: 2 }, ctw: { wools: 2 } });
  await sendEvents(context, played('ctw', { 1: { wools: 3 } }));
  assert.equal((await valuesOf(db, 1))['total']!['wools'], 5);
  await sendEvents(context, declared('wools', { aggregate: 'max' }));
  assert.equal((await valuesOf(db, 1))['total']!['wools'], 3);
  await sendEvents(context, declared('wools', { aggregate: 'max', modes: ['cp'], label: { en: 'W', ja: 'ウール' } }));
  assert.deepEqual(await valuesOf(db, 1), {});
  await sendEvents(context, event('counter.removed', { key: 'wools' }));
  assert.deepEqual(await listCounters(db), []);
  assert.deepEqual(await db.all(sql`select * from player_counters`), []);
  await sendEvents(context, declared('wools'));
  assert.equal((await valuesOf(db, 1))['total']!['wools'], 5);
});

/** Three of them are more reports than a declaration counts at once. */
const crowd = (wools: number) => Object.fromEntries(Array.from({ length: 175 }, (_, at) => [at, { wools }]));

onEachDatabase('a job counts the many reports before a declaration, while new ones arrive', async (t, url) => {
  const context = await alpha(t, url);
  const { db } = context;
  const ids = [];
  for (const wools of [1, 2, 3])
    ids.push(...(await sendEvents(context, declaredOnce(wools), played('ctw', crowd(wools)))));
  await sendEvents(context, declared('wools', { aggregate: 'max' }), declared('wools'));
  await sendEvents(context, played('ctw', { 7: { wools: 100 } }));
  await retractEvents(db, context.clock, [keyOf(ids.at(-1)!)!]);
  await runJobs(context);
  assert.equal((await valuesOf(db, 7))['total']!['wools'], 103);
  assert.equal((await valuesOf(db, 8))['total']!['wools'], 3);
  const { id } = (await listCounters(db)).find(({ key }) => key === 'wools')!;
  const leaders = await counterLeaders(db, { counter: id, mode: 'ctw', limit: 2 });
  assert.deepEqual(
    leaders.map(({ name, value }) => [name, value]),
    [
      ['Player7', 103],
      ['Player174', 3],
    ],
  );
  assert.equal((await db.all(sql`select * from player_counters where counter <> ${id}`)).length, 0);
});

/** Other declarations do not disturb. */
const declaredOnce = (number: number): WireEvent => declared(`other_${number}`);

onEachDatabase('withdrawing a match restores sums and the largest value', async (t, url) => {
  const context = await alpha(t, url);
  const { db, clock } = context;
  await sendEvents(context, declared('wools'), declared('streak', { aggregate: 'max' }));
  const ids = await sendEvents(
    context,
    played('ctw', { 1: { wools: 1, streak: 4 } }),
    played('tdm', { 1: { wools: 1, streak: 9 } }),
    played('ctw', { 1: { wools: 5, streak: 6 } }),
  );
  await retractEvents(db, clock, [keyOf(ids[1]!)!]);
  assert.deepEqual(await valuesOf(db, 1), { total: { wools: 6, streak: 6 }, ctw: { wools: 6, streak: 6 } });
  await retractEvents(db, clock, [keyOf(ids[2]!)!]);
  assert.deepEqual(await valuesOf(db, 1), { total: { wools: 1, streak: 4 }, ctw: { wools: 1, streak: 4 } });
});

onEachDatabase('implausible values get a warning, and wrong ones are refused', async (t, url) => {
  const context = await alpha(t, url);
  const { db, clock } = context;
  await sendEvents(context, declared('wools', { most: 20 }));
  const send = async (counters: unknown) =>
    (
      await ingestEvents(db, clock, { kind: 'operator' }, [played('ctw', { 1: counters as Record<string, number> })])
    )[0] as { status: string; place?: string; reason?: string; warnings?: { reason: string }[] };
  assert.equal((await send({ wools: 20 })).warnings, undefined);
  assert.match((await send({ wools: 21 })).warnings![0]!.reason, /more than the 20/);
  const wrong: [unknown, RegExp][] = [
    [{ wools: -1 }, /at least 0/],
    [{ wools: 1.5 }, /whole number/],
    [{ Wools: 1 }, /must begin with a small letter/],
    [{ _proto_: 1 }, /must begin with a small letter/],
    [Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`c${at}`, 1])), /more than 64/],
    [[], /object/],
  ];
  for (const [counters, reason] of wrong) {
    const receipt = await send(counters);
    assert.equal(receipt.status, 'rejected', JSON.stringify(counters));
    assert.match(receipt.reason!, reason);
    assert.match(receipt.place!, /^data\.teams\.0\.players\.0\.counters/);
  }
  const server = { kind: 'server', serverKey: 1, serverName: 'Alpha', credential: 1 } as const;
  for (const refused of [declared('x'), event('counter.removed', { key: 'wools' })])
    assert.equal((await ingestEvents(db, clock, server, [refused]))[0]!.status, 'rejected');
  const reserved = await ingestEvents(db, clock, { kind: 'operator' }, [declared('kill_count')]);
  assert.match((reserved[0] as { reason: string }).reason, /fixed counter/);
  const vanilla = await ingestEvents(db, clock, { kind: 'operator' }, [
    statistics(person(1), { gamemode: 'vanilla', counters: { wools: 1 } }),
  ]);
  assert.match((vanilla[0] as { reason: string }).reason, /vanilla/);
});

onEachDatabase('an export into an empty network counts the same', async (t, url, dialect) => {
  const context = await alpha(t, url);
  await sendEvents(
    context,
    played('ctw', { 1: { wools: 1 } }),
    declared('wools'),
    played('ctw', { 1: { wools: 2 } }),
    declared('wools', {
      aggregate: 'max',
      modes: ['ctw', 'cp'],
      label: { en: 'Wools', ja: 'ウール' },
      most: 7,
      order: 2,
    }),
  );
  const events = await Array.fromAsync(exportEvents(context.db));
  const [other] = await twoDatabases(t, dialect);
  const receipts = await ingestEvents(other, context.clock, { kind: 'operator' }, events);
  assert.ok(
    receipts.every(({ status }) => status !== 'rejected'),
    JSON.stringify(receipts),
  );
  assert.deepEqual(await listCounters(other), await listCounters(context.db));
  assert.deepEqual(await valuesOf(other, 1), { total: { wools: 2 }, ctw: { wools: 2 } });
});

/** Two UUIDs of one person: the merged one set a maximum in its first match and played `count` matches after it. */
async function recordOfMerged(context: TestAppContext, count: number): Promise<number[]> {
  const others = Array.from({ length: count }, () => played('ctw', { 1: { streak: 2 } }));
  const ids = await sendEvents(
    context,
    declared('streak', { aggregate: 'max' }),
    played('ctw', { 1: { streak: 40 } }),
    ...others,
    played('ctw', { 2: { streak: 3 } }),
  );
  return ids.map((id) => keyOf(id)!);
}

onEachDatabase('a merge during a withdrawal leaves no maximum of withdrawn events', async (t, url) => {
  const context = await alpha(t, url);
  const [, record] = await recordOfMerged(context, 1);
  await createWithdrawal(context.db, context.clock, { keys: [record!] });
  await runChunk(context);
  await sendEvents(context, event('player.merged', { from: person(1).uuid, into: person(2).uuid }));
  await runJobs(context);
  assert.deepEqual(await valuesOf(context.db, 2), { total: { streak: 3 }, ctw: { streak: 3 } });
});

onEachDatabase('a withdrawal during a large merge leaves no maximum of withdrawn events', async (t, url) => {
  const context = await alpha(t, url);
  const [, record] = await recordOfMerged(context, 100);
  await createWithdrawal(context.db, context.clock, { keys: [record!] });
  await sendEvents(context, event('player.merged', { from: person(1).uuid, into: person(2).uuid }));
  await runJobs(context);
  assert.deepEqual(await valuesOf(context.db, 2), { total: { streak: 3 }, ctw: { streak: 3 } });
});
