import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { keyOf } from '#platform/ids.ts';
import type { Db } from '#db/db.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { projectRivals } from '#store/game/rivals/rival-projection.ts';
import { linkPlayer, unlinkPlayer } from '#store/accounts/account-changes.ts';
import { accountById } from '#store/accounts/accounts.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { exportEvents } from '#events/export.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { newLinkCode } from '#store/accounts/link-codes.ts';
import { mapByName, ratesOf, rotationOf } from '#store/game/maps/maps.ts';
import { reportAsOperator } from '#events/ingest/operator-events.ts';
import { playerByUuid } from '#store/game/players.ts';
import { onlineSince, sampleOnline } from '#store/game/online-samples.ts';
import { listPunishments } from '#store/game/punishments.ts';
import { listServers, serverByName } from '#store/game/servers.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { recordRun } from '#store/installation/job-runs.ts';
import { sql } from '#db/sql.ts';
import {
  account,
  after,
  configured,
  event,
  login,
  map,
  person,
  presence,
  punishment,
  rating,
  rotation,
  sendEvents,
  serverSender,
} from '#test/support/builders.ts';
import { createTestDatabase, DIALECTS, onEachDatabase, testContext, twoDatabases } from '#test/support/context.ts';
import { type CanonicalDump, canonicalDumpOf } from './canonical-dump.ts';
import { arbitraryHistory } from './generated-history.ts';
import { clock, ingestHistory } from './ingest-history.ts';
import { retractEvents, retractSince } from '#test/support/jobs.ts';

for (const dialect of DIALECTS) {
  test(`after a retraction the tables are as if the events had never been sent (${dialect})`, async (t) => {
    const [one, other] = await twoDatabases(t, dialect);
    await fc.assert(
      fc.asyncProperty(
        arbitraryHistory,
        fc.infiniteStream(fc.boolean()),
        fc.integer({ min: 1, max: 5 }),
        async (events, coins, batches) => {
          const receipts = await ingestHistory(one, events, batches);
          const accepted = events.filter((_, place) => receipts[place]!.status === 'accepted');
          const fate = new Map(accepted.map(({ event }) => [event.id, coins.next().value as boolean]));
          const keys = receipts.flatMap((receipt) =>
            receipt.status === 'accepted' && fate.get(receipt.id) ? keyOf(receipt.receipt)! : [],
          );
          if (batches % 2 === 0) await countAll(one);
          await retractEvents(one, clock, keys);
          const receiptsOfOthers = await ingestHistory(
            other,
            accepted.filter(({ event }) => !fate.get(event.id)),
          );
          // A map that was published twice around a withdrawn version stays in the ledger twice; sent so, the second is a duplicate.
          fc.pre(receiptsOfOthers.every(({ status }) => status === 'accepted'));
          await Promise.all([countAll(one), countAll(other)]);
          same(await canonicalDumpOf(one), await canonicalDumpOf(other));
        },
      ),
      { numRuns: dialect === 'sqlite' ? 60 : 20 },
    );
  });
}

async function countAll(db: Db): Promise<void> {
  while (await projectMatches(db, 'UTC', clock.now()));
  while (await projectRivals(db));
}

function same(found: CanonicalDump, wanted: CanonicalDump): void {
  for (const table of Object.keys(wanted)) assert.deepEqual(found[table], wanted[table], table);
}

onEachDatabase('retracting the events of a server keeps those of operators about it', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'));
  const { key: server } = (await serverByName(db, 'Alpha'))!;
  const sender = await serverSender(context, 'Alpha');
  const [first] = await ingestEvents(db, clock, sender, [punishment('one', person(1))]);
  clock.advance(1000);
  const data = { punishment_id: (first as { receipt: string }).receipt };
  await reportAsOperator(db, clock, { type: 'punishment.revoked', data });
  await ingestEvents(db, clock, sender, [login('Alpha', person(2)), punishment('two', person(3))]);
  assert.deepEqual(await retractSince(db, clock, server, clock.now()), { events: 2, cascaded: 0 });
  const states = async () =>
    (await listPunishments(db, Number.MAX_SAFE_INTEGER, 9, clock.now())).map((one) => one.state);
  assert.deepEqual(await states(), [2]);
  assert.deepEqual(
    await retractSince(db, clock, server, 0),
    { events: 2, cascaded: 1 },
    'the revocation cascades with the punishment',
  );
  assert.deepEqual(await states(), []);
});

onEachDatabase('withdrawn heartbeats are removed from the chart of players online', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), configured('Beta'));
  const beat = async (name: string, ...players: string[]): Promise<void> => {
    const { key } = (await serverByName(db, name))!;
    const sender = { kind: 'server', serverKey: key, serverName: name, credential: 1 } as const;
    const received = presence(name, { players }, { time: new Date(clock.now()).toISOString() });
    const [receipt] = await ingestEvents(db, clock, sender, [received]);
    assert.equal(receipt!.status, 'accepted');
  };
  const chart = async () => (await onlineSince(db, 0)).map(({ count }) => count);
  const began = clock.now();
  await beat('Alpha', 'A');
  await beat('Beta', 'B', 'C');
  await runJobsOnce(context);
  clock.advance(60_000);
  await beat('Alpha', 'A', 'Made', 'Up');
  const poisoned = clock.now();
  // Beta's last heartbeat is counted again.
  await runJobsOnce(context);
  clock.advance(90_000);
  // Another process samples the same minute: the first sample counts.
  await runJobsOnce(context);
  await beat('Alpha', 'A', 'D');
  await runJobsOnce(context);
  assert.deepEqual(await chart(), [3, 5, 3]);
  const { key: alpha } = (await serverByName(db, 'Alpha'))!;
  await retractSince(db, clock, alpha, clock.now());
  assert.deepEqual(await chart(), [3, 5, 3], 'earlier samples stay');
  await retractSince(db, clock, alpha, poisoned + 1);
  assert.deepEqual(await chart(), [3, 5, 3]);
  await retractSince(db, clock, alpha, poisoned);
  await retractSince(db, clock, alpha, poisoned);
  assert.deepEqual(await chart(), [3, 2, 0]);
  await retractSince(db, clock, (await serverByName(db, 'Beta'))!.key, began);
  assert.deepEqual(await chart(), [1, 0, 0]);
  await retractSince(db, clock, alpha, 0);
  assert.deepEqual(await chart(), [0, 0, 0]);
  clock.advance(9 * 24 * 3_600_000);
  // A service that runs meanwhile purges every ten minutes.
  await recordRun(db, 'purge', clock.now() - 600_000);
  await beat('Alpha', 'A');
  await runJobsOnce(context);
  assert.deepEqual(await chart(), [1]);
  assert.equal((await db.tuples(sql`select 1 from online_by_server`)).length, 1);
});

onEachDatabase('a withdrawn heartbeat is removed from the chart even after the clock changed', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), presence('Alpha', { players: ['A'] }));
  const received = clock.now();
  clock.advance(-180_000);
  await sampleOnline(db, clock.now(), 0);
  const chart = async () => (await onlineSince(db, 0)).map(({ count }) => count);
  assert.deepEqual(await chart(), [1]);
  await retractSince(db, clock, (await serverByName(db, 'Alpha'))!.key, received - 60_000);
  assert.deepEqual(await chart(), [0]);
});

onEachDatabase('players online can be sampled and withdrawn at the same time', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'));
  const { key } = (await serverByName(db, 'Alpha'))!;
  for (let round = 0; round < 40; round++) {
    clock.advance(60_000);
    const now = clock.now();
    await sendEvents(context, presence('Alpha', { players: ['A'] }, { time: new Date(now).toISOString() }));
    const [note, withdraw] = [() => sampleOnline(db, now, 0), () => retractSince(db, clock, key, 0)];
    await Promise.all(round % 2 === 0 ? [note(), withdraw()] : [withdraw(), note()]);
    assert.deepEqual(
      (await onlineSince(db, now)).map(({ count }) => count),
      [0],
      `round ${round}`,
    );
  }
});

onEachDatabase('withdrawing a link unlinks the account and removes the observed name', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), configured('Beta'), login('Alpha', person(1, 'Honest')));
  const { id } = await account(context, 'Owner');
  const linkedTo = async () => (await accountById(db, id))!.player_uuid;
  const link = async (server: string) => {
    const code = await newLinkCode(db, clock.now(), id);
    const received = event('account.link', { player: person(1, 'Poison'), code }, { server, time: after(1) });
    const [receipt] = await ingestEvents(db, clock, { kind: 'operator' }, [received]);
    return keyOf((receipt as { receipt: string }).receipt)!;
  };
  const first = await link('Alpha');
  assert.equal(await linkedTo(), person(1).uuid);
  assert.equal((await playerByUuid(db, person(1).uuid))!.name, 'Poison');
  assert.deepEqual(await retractEvents(db, clock, [first]), { events: 1, cascaded: 0 });
  assert.equal(await linkedTo(), null);
  assert.equal((await playerByUuid(db, person(1).uuid))!.name, 'Honest');
  const second = await link('Alpha');
  await unlinkPlayer(db, id);
  await link('Beta');
  await retractEvents(db, clock, [second]);
  assert.equal(await linkedTo(), person(1).uuid, 'another server has said so since');
});

onEachDatabase('a deleted player who returns leaves no key of a player merged into it', async (t, url, dialect) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const [gone] = await sendEvents(context, login('Alpha', person(1)), merge(person(1).uuid, person(2).uuid));
  await retractEvents(db, clock, [keyOf(gone!)!]);
  clock.advance(1000);
  await sendEvents(context, login('Alpha', person(2)));
  const database = await createTestDatabase(dialect);
  t.after(() => database.drop());
  const other = await testContext(t, database.url);
  for await (const received of exportEvents(db)) await sendEvents(other, received);
  const players = sql`select key, uuid, name from players`;
  assert.deepEqual(await other.db.tuples(players), await db.tuples(players));
});

const merge = (from: string, into: string): WireEvent => event('player.merged', { from, into });

onEachDatabase('a player is linked to at most one account, merged or not', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const [target, alias] = [person(1), person(2)];
  await sendEvents(context, configured('Alpha'), login('Alpha', target), login('Alpha', alias));
  const [one, two] = [await account(context, 'One', target.uuid), await account(context, 'Two', alias.uuid)];
  const [refused] = await ingestEvents(db, clock, { kind: 'operator' }, [merge(alias.uuid, target.uuid)]);
  assert.deepEqual([refused!.status, (refused as { place: string }).place], ['rejected', 'data.from']);
  await unlinkPlayer(db, two.id);
  await sendEvents(context, merge(alias.uuid, target.uuid));
  const linked = (id: string) => db.transaction((tx) => linkPlayer(tx, id, alias));
  assert.equal(await linked(two.id), 'player linked');
  await unlinkPlayer(db, one.id);
  assert.equal(await linked(two.id), undefined);
  assert.equal((await accountById(db, two.id))!.player_uuid, target.uuid);
  await sendEvents(context, login('Alpha', person(2, 'Renamed'), { time: after(1) }));
  assert.equal((await accountById(db, two.id))!.name, 'Renamed', 'it follows either name');
});

onEachDatabase('the removal of a server ends its rotation, whatever is withdrawn', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const removed = event('server.removed', {}, { server: 'Alpha' });
  await sendEvents(context, configured('Alpha'), rotation('Alpha', ['Isle']));
  const [second] = await sendEvents(context, rotation('Alpha', ['Ruins'], { time: after(1) }), removed);
  const played = async () => rotationOf(db, (await serverByName(db, 'Alpha'))!.key);
  await retractEvents(db, clock, [keyOf(second!)!]);
  assert.deepEqual(await played(), []);
  const [, third] = await sendEvents(context, configured('Alpha'), rotation('Alpha', ['Ruins'], { time: after(2) }));
  assert.deepEqual(await played(), ['Ruins']);
  await retractEvents(db, clock, [keyOf(third!)!]);
  assert.deepEqual(await played(), []);
  assert.equal((await listServers(db, 0)).length, 1);
});

onEachDatabase('every player keeps its id through successive merges', async (t, url, dialect) => {
  const context = await testContext(t, url);
  const [first] = await sendEvents(
    context,
    login('Alpha', person(2)),
    login('Alpha', person(2)),
    login('Alpha', person(0)),
  );
  await sendEvents(context, merge(person(2).uuid, person(1).uuid), merge(person(1).uuid, person(0).uuid));
  await retractEvents(context.db, context.clock, [keyOf(first!)!]);
  const database = await createTestDatabase(dialect);
  t.after(() => database.drop());
  const other = await testContext(t, database.url);
  for await (const received of exportEvents(context.db)) await sendEvents(other, received);
  for (const table of ['players', 'player_aliases']) {
    const read = { strings: [`select * from ${table} order by uuid`], values: [] };
    assert.deepEqual(await other.db.all(read), await context.db.all(read), table);
  }
});

onEachDatabase('the link of a merged player moves to the player it was merged into', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), login('Alpha', person(1)));
  const { id } = await account(context, 'One');
  const code = await newLinkCode(db, clock.now(), id);
  const [received] = await sendEvents(context, event('account.link', { player: person(2), code }, { server: 'Alpha' }));
  await sendEvents(context, merge(person(2).uuid, person(1).uuid));
  assert.equal((await accountById(db, id))!.player_uuid, person(1).uuid);
  await retractEvents(db, clock, [keyOf(received!)!]);
  assert.equal((await accountById(db, id))!.player_uuid, null);
});

onEachDatabase('many events of one map and of others can be withdrawn together', async (t, url) => {
  const { db, clock } = await testContext(t, url);
  // Two events each, together more than a withdrawal reads at a time.
  const people = Array.from({ length: 251 }, (_, number) => person(number));
  await sendEvents({ db, clock }, configured('Alpha'), map('Isle'), map('Mill'), rating('Mill', person(999), 3));
  const received = people.flatMap((one) => [rating('Isle', one, 5), login('Alpha', one)]);
  const keys = (await sendEvents({ db, clock }, ...received, rating('Mill', person(1), 1))).map((receipt) =>
    keyOf(receipt)!,
  );
  await sendEvents({ db, clock }, rating('Isle', person(1), 2));
  assert.deepEqual(await retractEvents(db, clock, keys), { events: 503, cascaded: 0 });
  const maps = [(await mapByName(db, 'Isle'))!, (await mapByName(db, 'Mill'))!];
  const rates = await ratesOf(db, maps);
  assert.deepEqual(
    maps.map(({ key }) => rates.get(key)!.map(({ counts }) => counts)),
    [[[0, 1, 0, 0, 0]], [[0, 0, 1, 0, 0]]],
  );
  const [left] = await db.tuples(sql`select count(*) from players`);
  assert.equal(Number(left![0]), 2);
});
