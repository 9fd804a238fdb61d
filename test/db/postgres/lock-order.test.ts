import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { deleteAccount } from '#admin/accounts.ts';
import { perform } from '#admin/operation.ts';
import { createServer } from '#admin/servers.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { runChunk } from '#events/jobs/runner.ts';
import { linkGameAccount } from '#events/handlers/returning-players.ts';
import { setDisabled, setRole, unlinkPlayer } from '#store/accounts/account-changes.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { deleteAccount as deleteStored } from '#store/accounts/account-deletions.ts';
import { projectMatches } from '#store/game/leaderboards/leaderboard-projection.ts';
import { releaseLeases, renewLeases } from '#store/leases.ts';
import { sampleOnline } from '#store/game/online-samples.ts';
import { createWithdrawal } from '#events/jobs/withdrawal.ts';
import { sql } from '#db/sql.ts';
import { account, after, configured, event, login, match, person, sendEvents, team } from '#test/support/builders.ts';
import { createTestDatabase, type TestAppContext, testContext } from '#test/support/context.ts';
import { deleteTombstones, fillChanges } from '#store/game/changes.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import { serverByName } from '#store/game/servers.ts';

/** Acts that take several locks; each pair runs concurrently, each act several times. */
type Act = (context: TestAppContext, round: number) => Promise<unknown>;

const names = Array.from({ length: 12 }, (_, number) => `Racer${number}`);

/** Renames a linked player, which writes the rows of accounts after the lock of the keys. */
const rename: Act = ({ db, clock }, round) =>
  ingestEvents(db, clock, { kind: 'operator' }, [
    login('Alpha', person(round, `Named${randomUUID().slice(0, 6)}`), { id: randomUUID(), time: after(round + 1) }),
    match({ teams: [team('Red', round, round + 1)] }, { id: randomUUID() }),
  ]);

const ACTS: Record<string, Act> = {
  'ingest and rename': rename,
  'delete an account': async (context, round) => {
    const { id } = await account(context, `${names[round]}${randomUUID().slice(0, 4)}`);
    await linkGameAccount(context.db, context.clock, id, person(round, `L${randomUUID().slice(0, 6)}`));
    return await deleteStored(context.db, context.clock.now(), id);
  },
  'disable and unlink an account': async (context, round) => {
    const { id } = await account(context, `Off${names[round]}${randomUUID().slice(0, 4)}`);
    await setRole(context.db, id, 'operator');
    await setRole(context.db, id, 'user');
    await setDisabled(context.db, id, context.clock.now());
    return await unlinkPlayer(context.db, id);
  },
  'merge players': ({ db, clock }, round) =>
    ingestEvents(db, clock, { kind: 'operator' }, [
      event('player.merged', { from: person(100 + round).uuid, into: person(round).uuid }, { id: randomUUID() }),
    ]),
  'withdraw events': async (context) => {
    const { key } = (await serverByName(context.db, 'Alpha'))!;
    await createWithdrawal(context.db, context.clock, { server: key, since: context.clock.now() - 1 });
    for (let chunk = 0; chunk < 4; chunk++) await runChunk(context);
  },
  'operations with their audit entries': async (context, round) => {
    const acting = { ...context, actor: { via: 'command', account_id: null, name: 'root', address: '' } } as const;
    const name = `Server${round}${randomUUID().slice(0, 6)}`;
    await perform(createServer, acting, undefined, { name, region: 'eu', hidden: [person(round).name] });
    const { id } = await account(context, `Act${randomUUID().slice(0, 6)}`);
    await perform(deleteAccount, acting, (await accountById(context.db, id))!, {});
  },
  'project and sample': async ({ db, clock }, round) => {
    await projectMatches(db, 'UTC', clock.now());
    await sampleOnline(db, clock.now() + round * 60_000, 0);
  },
  'fill and purge the feed of changes': async ({ db, clock }, round) => {
    await setHidden(db, clock.now(), 0, [person(round).uuid]);
    await db.run(sql`update change_feed set filling = ''`);
    for (let chunk = 0; chunk < 3; chunk++) await fillChanges(db, clock.now(), 4);
    await deleteTombstones(db, Number.MAX_SAFE_INTEGER);
  },
};

test('no pair of acts deadlocks', async (t) => {
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  const context = await testContext(t, database.url);
  await sendEvents(context, configured('Alpha'));
  await account(context, 'Keeper').then(({ id }) => setRole(context.db, id, 'operator'));
  for (let number = 0; number < 6; number++) {
    await sendEvents(context, login('Alpha', person(number)), login('Alpha', person(100 + number)));
  }
  const deadlocks = async () =>
    (await context.db.get<{ count: number }>(
      sql`select deadlocks as count from pg_stat_database where datname = current_database()`,
    ))!.count;
  const entries = Object.entries(ACTS);
  for (const [at, [one, first]] of entries.entries()) {
    for (const [other, second] of entries.slice(at)) {
      const rounds = Array.from({ length: 4 }, (_, round) => [first(context, round), second(context, round)]);
      const results = await Promise.allSettled(rounds.flat());
      for (const result of results) {
        assert.equal(result.status, 'fulfilled', `${one} beside ${other}: ${String((result as any).reason)}`);
      }
    }
  }
  assert.equal(await deadlocks(), 0);
});

test('leases are renewed and released in the order of the keys', async (t) => {
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  const context = await testContext(t, database.url);
  const { db } = context;
  await sendEvents(context, configured('Alpha'), configured('Beta'));
  const keys = [(await serverByName(db, 'Alpha'))!.key, (await serverByName(db, 'Beta'))!.key];
  // The later key comes first in the table and in its indexes.
  for (const key of keys.toReversed())
    await db.run(sql`
      insert into managed_servers (server_key, url, sealed_secret, ca, revision, holder, held_until, state)
      values (${key}, 'ws://127.0.0.1:1', '', '', 1, 'this', 0, '')`);
  const waits = sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  for (const act of [
    () => renewLeases(db, 'managed_servers', 'this', 1),
    () => releaseLeases(db, 'managed_servers', 'this'),
  ]) {
    let running: Promise<void> | undefined;
    await db.transaction(async (tx) => {
      for (const key of keys) {
        await tx.tuples(sql`select 1 from managed_servers where server_key = ${key} for no key update nowait`);
        await tx.run(sql`update managed_servers set contact = 1 where server_key = ${key}`);
        running ??= act();
        while ((await db.tuple(waits)) === undefined);
      }
    });
    await running;
  }
  assert.deepEqual(await db.tuples(sql`select distinct holder from managed_servers`), [['']]);
});

test('a transaction that lost a deadlock is run again', async (t) => {
  const database = await createTestDatabase('postgres');
  t.after(() => database.drop());
  const { db } = await testContext(t, database.url);
  const ids = ['one', 'two'];
  for (const id of ids) await db.run(sql`insert into installation (name, value) values (${id}, '0')`);
  let attempts = 0;
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  let running: Promise<void>[] = [];
  const cross = (order: string[]) =>
    db.transaction(async (tx) => {
      // Otherwise the second attempt could take the row before the other transaction wakes up, and lose a deadlock again.
      if (++attempts > 2) await Promise.race(running);
      await tx.run(sql`update installation set value = value || 'x' where name = ${order[0]!}`);
      if (++waiting >= 2) both.resolve();
      await both.promise;
      await tx.run(sql`update installation set value = value || 'x' where name = ${order[1]!}`);
    });
  running = [cross(ids), cross(ids.toReversed())];
  await Promise.all(running);
  assert.equal(attempts, 3);
  const rows = await db.tuples(sql`select value from installation where name in ('one', 'two')`);
  assert.deepEqual(rows, [['0xx'], ['0xx']]);
});
