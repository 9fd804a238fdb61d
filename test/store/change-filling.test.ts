import assert from 'node:assert/strict';
import type { Db } from '#db/db.ts';
import { migrate } from '#db/migrate.ts';
import { openDb } from '#db/open.ts';
import { identifier, insertAll, sql } from '#db/sql.ts';
import { listTables } from '#db/transfer/schema.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { changesWithFeed, deleteTombstones, readFeed, recordChanges, fillChanges } from '#store/game/changes.ts';
import { recordNextShown } from '#store/game/renamed-players.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { Keys } from '#store/sequence.ts';
import { event, login, match, person, punishment, sendEvents, team } from '#test/support/builders.ts';
import { createTestDatabase, onEachDatabase, onEachEmptyDatabase, testContext } from '#test/support/context.ts';
import { finishJobs } from '#test/support/jobs.ts';
import { Mirror } from '#test/support/mirror.ts';
import { fillNetwork } from '#test/support/network.ts';
import { countedMatches } from '#store/game/leaderboards/leaderboards.ts';
import { runJobsOnce } from '#server/jobs.ts';

/** The last migration without the feed of changes. */
const BEFORE_FEED = 34;

/** Copies the rows of a network into a database of an older version. */
async function copyRows(from: Db, into: Db): Promise<void> {
  // A later migration may have dropped a table.
  const present = new Set((await listTables(from)).map(({ name }) => name));
  for (const { name, columns } of (await listTables(into)).filter((table) => present.has(table.name))) {
    await into.run(sql`delete from ${identifier(name)}`);
    const names = columns.map((column) => column.name);
    const rows = await from.all(sql`select * from ${identifier(name)}`);
    // The older version has neither the numbers of changes, nor the offset of the rivals, nor the total of all maps.
    const former = rows.filter((row) => row['name'] !== 'change' && row['name'] !== 'rivals' && row['map_key'] !== '');
    const values = former.map((row) => names.map((column) => row[column]!));
    await into.runAll(insertAll(`insert into ${name} (${names.join(', ')}) values`, values, 'on conflict do nothing'));
  }
}

onEachEmptyDatabase('an upgrade fills the feed in chunks while the network changes', async (t, url, dialect) => {
  const older = await openDb(url, { keyedHash: secretHash });
  t.after(() => older.close());
  await migrate(older, { upTo: BEFORE_FEED });
  {
    const source = await createTestDatabase(dialect);
    t.after(() => source.drop());
    const { db, ...network } = await testContext(t, source.url);
    await fillNetwork({ db, ...network });
    await sendEvents({ db, ...network }, ...[101, 102, 103, 104].map((number) => login('Alpha', person(number))));
    await erasePlayer(db, network.clock.now(), person(104).uuid);
    await finishJobs(db);
    await copyRows(db, older);
  }
  await migrate(older);
  assert.equal((await readFeed(older)).isFilled, false);
  const ofMaps = sql`select sum(play) from map_results where team = '' and map_key <> ''`;
  assert.deepEqual(await older.tuples(ofMaps), [[await countedMatches(older)]]);
  const [context, other] = [await testContext(t, url), await testContext(t, url)];
  const { db, clock } = context;
  const mirror = new Mirror(context);
  const changes = [
    () =>
      sendEvents(context, login('Alpha', person(101, 'Renamed')), match({ teams: [team('Red', 1), team('Blue', 2)] })),
    async () => void (await erasePlayer(db, clock.now(), person(102).uuid)),
    () => sendEvents(context, punishment('late', person(103)), login('Alpha', person(2_000))),
    () => finishJobs(db),
    () => sendEvents(context, event('server.removed', {}, { server: 'Alpha' })),
  ];
  for (let step = 0; ; step++) {
    const more = await Promise.all([fillChanges(db, clock.now(), 3), fillChanges(other.db, clock.now(), 3)]);
    await changes[step]?.();
    await mirror.follow();
    if (more.every((one) => !one) && changes[step] === undefined) break;
  }
  assert.equal((await readFeed(db)).isFilled, true);
  assert.ok(
    (await changesWithFeed(db, 0, 10_000)).changes.some(({ kind, revision }) => kind === 'player' && revision === 1),
  );
  await mirror.check('all resources of the older version');
  await new Mirror(context).check('from the beginning');
});

onEachDatabase('the feed of an empty database is full, and a job fills another', async (t, url) => {
  const context = await testContext(t, url);
  const { db } = context;
  assert.equal((await readFeed(db)).isFilled, true);
  await sendEvents(context, login('Alpha', person(1)));
  await db.run(sql`delete from changes`);
  await db.run(sql`update change_feed set filling = ''`);
  assert.equal((await readFeed(db)).isFilled, false);
  await runJobsOnce(context);
  assert.equal((await readFeed(db)).isFilled, true);
  await new Mirror(context).check('by the job');
});

const DAY_MS = 86_400_000;

onEachDatabase('tombstones are kept for CHANGES_LIFETIME, and then the floor of the feed rises', async (t, url) => {
  const context = await testContext(t, url, { CHANGES_LIFETIME: '30d' });
  const { db, clock } = context;
  const record = async (time: number, ...changes: Parameters<typeof recordChanges>[1]): Promise<void> => {
    await db.transaction(async (tx) => {
      await Keys.lock(tx);
      await recordChanges(tx, changes, time);
    });
  };
  const began = clock.now();
  const removed = Array.from({ length: 501 }, (_, key) => ({ kind: 'match', key, type: 'withdrawn' }) as const);
  await record(began, { kind: 'map', key: 1, type: 'created' }, ...removed, { kind: 'map', key: 2, type: 'created' });
  await record(began + 1, { kind: 'player', key: 1, type: 'erased' });
  const state = async () => [(await readFeed(db)).floor, (await changesWithFeed(db, 0, 1_000)).changes.length];
  clock.advance(30 * DAY_MS);
  await runJobsOnce(context);
  assert.deepEqual(await state(), [0, 504], 'at the end of the lifetime');
  clock.advance(1);
  assert.equal(await deleteTombstones(db, clock.now() - 30 * DAY_MS), true, 'a portion');
  assert.deepEqual(await state(), [501, 4]);
  assert.equal(await deleteTombstones(db, clock.now() - 30 * DAY_MS), false);
  assert.deepEqual(await state(), [502, 3]);
  clock.advance(1);
  await runJobsOnce(context);
  assert.deepEqual(await state(), [504, 2], 'resources stay');
  assert.equal((await readFeed(db)).head, 504);
  await record(clock.now(), { kind: 'match', key: 7, type: 'created' });
  assert.equal((await readFeed(db)).head, 505, 'no number is used twice');
});

onEachDatabase('a rename moves more than 500 punishments in two transactions', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  await sendEvents(context, login('Alpha', person(1)));
  const { key } = (await db.get<{ key: number }>(sql`select key from players`))!;
  const rows = Array.from({ length: 501 }, (_, place) => [place + 1, `p${place}`, key]);
  const head =
    'insert into punishments (key, reference, punished_key, scope_key, type, level, reason, server, automatic, time, changed) values';
  await db.runAll(
    insertAll(
      head,
      rows.map((row) => [...row, 0, 'ban', 0, '', '', 0, 0, 0]),
    ),
  );
  const punished = async (): Promise<number> =>
    (await changesWithFeed(db, 0, 1_000)).changes.filter(({ kind }) => kind === 'punishment').length;
  await sendEvents(context, login('Alpha', person(1, 'Renamed')));
  assert.equal(await punished(), 500);
  // A second name before the first one is through.
  await sendEvents(context, login('Alpha', person(1, 'Again'), { time: new Date(clock.now() + 1).toISOString() }));
  assert.equal(await punished(), 500);
  assert.equal(await recordNextShown(db, clock.now()), true);
  assert.equal(await recordNextShown(db, clock.now()), false);
  assert.equal(await punished(), 501);
});
