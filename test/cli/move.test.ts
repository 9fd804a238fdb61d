import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { Db } from '#db/db.ts';
import { openDb } from '#db/open.ts';
import { sql } from '#db/sql.ts';
import { readDigests } from '#db/transfer/copy.ts';
import { cancelMove, move, type MoveOptions } from '#db/transfer/move.ts';
import { SecretKey } from '#platform/crypto/secret-key.ts';
import { privacyOf } from '#store/game/private-players.ts';
import { secretKeyMatches } from '#store/installation/installation.ts';
import { canonicalDumpOf } from '#test/events/canonical-dump.ts';
import { record } from '#test/support/changes.ts';
import { application, login, match, person, sendEvents, serviceToken, team } from '#test/support/builders.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  type Dialect,
  testContext,
  type TestAppContext,
  testServices,
} from '#test/support/context.ts';
import { fillNetwork } from '#test/support/network.ts';
import { ask } from '#test/support/request.ts';
import { keyOf } from '#test/ingest/service.ts';
import { scorehall } from './scorehall.ts';

const SECRET_KEY = 'a secret that is long enough for tests';
const quiet = (): void => undefined;

async function databaseOf(t: TestContext, dialect: Dialect, create = createTestDatabase): Promise<string> {
  const database = await create(dialect);
  t.after(() => database.drop());
  return database.url;
}

const optionsOf = (target: string): MoveOptions => ({ target, now: () => 0, progress: quiet, step: quiet });

/** Changes of every kind during a move: new rows, new names, a name that passes to another player, deletions. */
async function change(context: TestAppContext, round: number): Promise<void> {
  const { db } = context;
  await sendEvents(
    context,
    login('Alpha', person(round, `Renamed${round}`)),
    login('Alpha', person(10_000 + round)),
    match({ teams: [team('Red', 1, 10_000 + round), team('Blue', 2)] }),
  );
  const { client_id } = await application(context);
  await serviceToken(context, client_id);
  await db.run(sql`update players set uuid = 'freed' || uuid where name_key = 'spieler_1'`);
  await db.run(sql`delete from tokens where client_id = ${client_id}`);
  await db.run(sql`delete from pictures where hash not in (select hash from map_pictures)`);
}

/** A target that does something before its nth transaction: a change at the source, or a failure. */
function interrupted(db: Db, transaction: number, work: () => Promise<void>): Db {
  let left = transaction;
  return new Proxy(db, {
    get: (_, name) => {
      const value: unknown = Reflect.get(db, name);
      if (typeof value !== 'function') return value;
      const call = value.bind(db) as (...args: unknown[]) => unknown;
      if (name !== 'transaction') return call;
      return async (...args: unknown[]) => {
        if (--left === 0) await work();
        return await call(...args);
      };
    },
  });
}

function breakOffAtFeed(table: string): void {
  if (table === 'changes') throw new Error('broken off');
}

const breakOff = (): Promise<void> => Promise.reject(new Error('broken off'));

for (const [from, to] of [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const) {
  test(`a network in use moves from ${from} to ${to}, broken off twice, and the source stays closed`, async (t) => {
    const [sourceUrl, targetUrl] = [await databaseOf(t, from), await databaseOf(t, to, createEmptyDatabase)];
    const context = await testContext(t, sourceUrl);
    await fillNetwork(context);
    await secretKeyMatches(context.db, new SecretKey(SECRET_KEY));
    const [key, token] = [await keyOf(context, 'Alpha'), await serviceToken(context, undefined, 1e12)];
    const addresses = await testServices(context, ['API', 'INGEST']);
    const target = await openDb(targetUrl, { foreignKeys: false });
    for (const [round, transactions] of [3, 12].entries()) {
      await assert.rejects(
        move(context.db, interrupted(target, transactions, breakOff), optionsOf(targetUrl)),
        /broken/,
      );
      await change(context, round);
    }
    const half = await scorehall({ DATABASE_URL: targetUrl, SECRET_KEY }, 'server', 'list');
    assert.match(half.err, /^scorehall: The database is incomplete: the move/);
    const busy = interrupted(target, 15, () => change(context, 7));
    const moved = await move(context.db, busy, optionsOf(targetUrl));
    assert.deepEqual(await readDigests(target, quiet), await readDigests(context.db, quiet));
    assert.deepEqual(moved, await readDigests(context.db, quiet));
    assert.deepEqual(await canonicalDumpOf(target), await canonicalDumpOf(context.db));
    assert.deepEqual(await privacyOf(target, person(79).uuid), { profile: true, online: true, names: false });
    await target.close();

    await assert.rejects(sendEvents(context, login('Alpha', person(1))), { name: 'Unavailable' });
    const { server: _, ...event } = login('Alpha', person(1));
    const sent = await ask(addresses.INGEST!, '/events', {
      method: 'POST',
      token: key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(event),
    });
    assert.equal(sent.status, 503, sent.text);
    assert.equal((await ask(addresses.API!, '/v1/servers', { token })).status, 200, 'reading goes on');
    const later = await scorehall({ DATABASE_URL: sourceUrl, SECRET_KEY }, 'server', 'list');
    assert.equal(later.status, 2);
    assert.match(later.err, /^scorehall: The network of this database moved to .* Set DATABASE_URL/);
    const arrived = await testContext(t, targetUrl);
    await change(arrived, 20);
    assert.equal(await secretKeyMatches(arrived.db, new SecretKey(SECRET_KEY)), true);
  });
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`a move of a network that changes as fast as it is copied ends (${dialect})`, async (t) => {
    const [sourceUrl, targetUrl] = [await databaseOf(t, dialect), await databaseOf(t, 'sqlite', createEmptyDatabase)];
    const { db } = await testContext(t, sourceUrl);
    const target = await openDb(targetUrl, { foreignKeys: false });
    t.after(() => target.close());
    const rounds: number[] = [];
    const changeMany = async (): Promise<void> => {
      await db.transaction((tx) =>
        tx.run(sql`
          with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 1200)
          insert into rank_changes (player_key) select number from numbers where true
          on conflict (player_key) do update set player_key = excluded.player_key`),
      );
    };
    const source = new Proxy(db, {
      get: (_, name) => {
        const value: unknown = Reflect.get(db, name);
        if (typeof value !== 'function') return value;
        const call = value.bind(db) as (...args: unknown[]) => unknown;
        if (name !== 'snapshot') return call;
        // The copy, and each round: more rows change than a round may leave.
        return async () => {
          if (rounds.length < 9) await changeMany().catch(quiet);
          return await call();
        };
      },
    });
    const step = (sentence: string): void => {
      const [, changes] = /^Caught up with (\d+) /.exec(sentence) ?? [];
      if (changes !== undefined) rounds.push(Number(changes));
    };
    await move(source, target, { ...optionsOf(targetUrl), step });
    // The first round also copies the changes made during the copy; the third would leave as many as the second.
    assert.deepEqual(rounds, [2400, 1200, 1200], 'an update that keeps its key is noted once');
    assert.deepEqual(await readDigests(target, quiet), await readDigests(db, quiet));
  });
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`a resource that changes again while a resumed move copies the feed is there once (${dialect})`, async (t) => {
    const { context, target } = await moveCase(t, dialect, dialect);
    const { db } = context;
    await assert.rejects(move(db, target, { ...optionsOf('target'), progress: breakOffAtFeed }), /broken/);
    let snapshots = 0;
    const source = new Proxy(db, {
      get: (_, name) => {
        const value: unknown = Reflect.get(db, name);
        if (typeof value !== 'function') return value;
        const call = value.bind(db) as (...args: unknown[]) => unknown;
        if (name !== 'snapshot') return call;
        // The first one catches up with what the earlier run has copied, the second one is copied.
        return async () => {
          if (++snapshots === 2) await record(context, { kind: 'server', key: await serverKey(db), type: 'changed' });
          return await call();
        };
      },
    });
    await move(source, target, optionsOf('target'));
    assert.deepEqual(await readDigests(target, quiet), await readDigests(db, quiet));
  });
}

async function serverKey(db: Db): Promise<number> {
  const [key] = (await db.tuple(sql`select key from changes where kind = 'server'`))!;
  return key as number;
}

/** A small network, and an empty target. */
async function moveCase(t: TestContext, from: Dialect, to: Dialect) {
  const [sourceUrl, targetUrl] = [await databaseOf(t, from), await databaseOf(t, to, createEmptyDatabase)];
  const context = await testContext(t, sourceUrl);
  await sendEvents(context, login('Alpha', person(1)), match({ teams: [team('Red', 1), team('Blue', 2)] }));
  const target = await openDb(targetUrl, { foreignKeys: false });
  t.after(() => target.close());
  const steps: string[] = [];
  /** Moves, and does something before a step begins. */
  const run = async (at?: RegExp, work: () => Promise<unknown> | undefined = () => undefined) => {
    steps.length = 0;
    const step = async (sentence: string): Promise<void> => {
      steps.push(sentence);
      if (at?.test(sentence) === true) await work();
    };
    return await move(context.db, target, { ...optionsOf(targetUrl), step });
  };
  return { context, source: context.db, target, steps, run };
}

const fail = (): never => {
  throw new Error('broken off');
};

const BOTH_WAYS = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const;

for (const [from, to] of BOTH_WAYS) {
  test(`a difference is found while the source is in use, and one that arises later when it is closed (${from})`, async (t) => {
    const { context, source, target, steps, run } = await moveCase(t, from, to);
    const damage = (): Promise<unknown> =>
      target.run(sql`update players set name = 'Damaged' where name_key = 'player1'`);
    await assert.rejects(
      run(/^Creating the indexes/, damage),
      /The databases differ: players has 2 rows with checksum/,
    );
    assert.equal(steps.at(-1), 'Comparing all tables.');
    await sendEvents(context, login('Alpha', person(3)));
    await target.run(sql`update players set name = 'Player1' where name = 'Damaged'`);

    const lose = (): Promise<unknown> => target.run(sql`delete from player_names where name_key = 'player3'`);
    await assert.rejects(
      run(/^The source is closed/, lose),
      /The databases differ: player_names has 2 rows, expected 3/,
    );
    await assert.rejects(sendEvents(context, login('Alpha', person(1))), { name: 'Unavailable' });
    await cancelMove(source);
    await sendEvents(context, login('Alpha', person(1)));
  });

  test(`a move that is broken off after the source was closed compares everything again (${from})`, async (t) => {
    const { context, source, target, steps, run } = await moveCase(t, from, to);
    const noted = (): Promise<unknown> =>
      sendEvents(context, login('Alpha', person(1, 'Renamed1')), login('Alpha', person(3)));
    await assert.rejects(run(/^The source is closed/, fail), /broken off/);
    await assert.rejects(noted(), { name: 'Unavailable' });
    const moved = await run();
    assert.ok(
      steps.indexOf('Comparing all tables.') > steps.findIndex((step) => step.startsWith('The source is closed')),
    );
    assert.deepEqual(moved, await readDigests(source, quiet));
    assert.deepEqual(await readDigests(target, quiet), moved);
  });

  test(`rows that change after the comparison are compared one by one (${from})`, async (t) => {
    const { context, source, target, steps, run } = await moveCase(t, from, to);
    const renamed = (): Promise<unknown> =>
      sendEvents(context, login('Alpha', person(1, 'Renamed1')), login('Alpha', person(3)));
    const moved = await run(/^Comparing all tables/, renamed);
    assert.ok(steps.filter((step) => /^Caught up with [1-9]/.test(step)).length > 0, steps.join('\n'));
    assert.equal(steps.filter((step) => step === 'Comparing all tables.').length, 1);
    assert.deepEqual(moved, await readDigests(source, quiet));
    assert.deepEqual(await readDigests(target, quiet), moved);
  });
}

test('the comparison of a SQLite file lets the connections to the other database be served', async (t) => {
  const { db } = await testContext(t, await databaseOf(t, 'sqlite'));
  let served = false;
  setImmediate(() => (served = true));
  await readDigests(db, quiet);
  assert.ok(served, 'a turn of the event loop has begun meanwhile');
});

const entries = async (db: Db): Promise<unknown[][]> =>
  await db.tuples(sql`select action, detail from audit where action like 'database.%' order by id`);

test('a move and its end are in the audit log of both databases, and so is a cancelled one', async (t) => {
  const [sourceUrl, targetUrl, other] = [
    await databaseOf(t, 'sqlite'),
    await databaseOf(t, 'sqlite', createEmptyDatabase),
    await databaseOf(t, 'sqlite', createEmptyDatabase),
  ];
  const context = await testContext(t, sourceUrl);
  await fillNetwork(context);
  const environment = { DATABASE_URL: sourceUrl, SECRET_KEY };
  const target = await openDb(other, { foreignKeys: false });
  await assert.rejects(move(context.db, interrupted(target, 3, breakOff), optionsOf(other)), /broken/);
  await target.close();
  const cancelled = await scorehall(environment, 'move', '--cancel');
  assert.equal(cancelled.status, 0, cancelled.err);
  const { status, err } = await scorehall(environment, 'move', '--to', targetUrl);
  assert.equal(status, 0, err);
  const inSource = [
    ['database.move-cancel', '{}'],
    ['database.move', JSON.stringify({ to: targetUrl })],
  ];
  assert.deepEqual(await entries(context.db), inSource);
  const moved = await openDb(targetUrl);
  t.after(() => moved.close());
  assert.deepEqual(await entries(moved), [...inSource, ['database.move', JSON.stringify({ from: sourceUrl })]]);
});
