import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { setCounted } from '#events/handlers/match-counting.ts';
import { linkGameAccount } from '#events/handlers/returning-players.ts';
import { prepareItem } from '#events/ingest/prepare.ts';
import { ingestEvents, ingestItems } from '#events/ingest/ingest-events.ts';
import { runChunk } from '#events/jobs/runner.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { erasePlayer } from '#store/accounts/deleted-players.ts';
import { setHidden } from '#store/game/hidden-players.ts';
import {
  account,
  configured,
  event,
  login,
  map,
  match,
  person,
  presence,
  punishment,
  rating,
  rotation,
  sendEvents,
  team,
} from '#test/support/builders.ts';
import { runJobsOnce } from '#server/jobs.ts';
import { DIALECTS, onEachDatabase, testContext, twoDatabases } from '#test/support/context.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';
import { Mirror } from '#test/support/mirror.ts';
import { arbitraryHistory, type GeneratedEvent, senderOf } from './generated-history.ts';
import { clock, ingestHistory } from './ingest-history.ts';

let accounts = 0;

/** Acts other than events of game servers, on one of the players 0 to 4 or on one of the stored events. */
const ACTS = {
  merge: async (db: Db, number: number) => {
    const data = { from: person(number).uuid, into: person((number + 1) % 5).uuid };
    await ingestEvents(db, clock, { kind: 'operator' }, [event('player.merged', data)]);
  },
  erase: async (db: Db, number: number) => void (await erasePlayer(db, clock.now(), person(number).uuid)),
  'delete the account': async (db: Db, number: number) => {
    const { id } = await account({ db, clock }, `Owner${++accounts}`);
    await linkGameAccount(db, clock, id, person(number, `Linked${number}`));
    await deleteAccount(db, clock.now(), id);
  },
  'link again': async (db: Db, number: number) => {
    const { id } = await account({ db, clock }, `Owner${++accounts}`);
    await linkGameAccount(db, clock, id, person(number, `Back${number}`));
  },
  hide: async (db: Db, number: number) => await setHidden(db, clock.now(), 0, [`Player${number}`, person(2).uuid]),
  show: async (db: Db) => await setHidden(db, clock.now(), 0, []),
  exclude: async (db: Db, number: number) => {
    const rows = await db.tuples(sql`select match_key from match_details order by match_key`);
    const [key] = rows[number % (rows.length || 1)] ?? [0];
    await setCounted(db, clock, key as number, number % 2 === 0);
  },
  rename: async (db: Db, number: number) => {
    const time = new Date(clock.now()).toISOString();
    const named = { player: person(number, `New${number}`) };
    await ingestEvents(db, clock, { kind: 'operator' }, [event('player.named', named, { time })]);
  },
  'remove a server': async (db: Db) => {
    await ingestEvents(db, clock, { kind: 'operator' }, [event('server.removed', {}, { server: 'Alpha' })]);
  },
  retract: async (db: Db, number: number) => {
    const rows = await db.tuples(
      sql`select key from ledger where withdrawn is null and type <> 'server.configured' order by key`,
    );
    const keys = rows.filter((_, place) => place % 5 === number).map(([key]) => key as number);
    await retractEvents(db, clock, keys);
  },
};
const act = fc.record({ name: fc.constantFrom(...(Object.keys(ACTS) as (keyof typeof ACTS)[])), number: fc.nat(4) });

for (const dialect of DIALECTS) {
  test(`whatever happens, a mirror that follows the feed equals what /v1 answers (${dialect})`, async (t) => {
    const [db] = await twoDatabases(t, dialect);
    await fc.assert(
      fc.asyncProperty(
        arbitraryHistory,
        arbitraryHistory,
        fc.array(act, { minLength: 1, maxLength: 6 }),
        async (first, later, acts) => {
          await db.run(sql`delete from accounts`);
          await db.run(sql`delete from pseudonyms`);
          await db.run(sql`delete from hidden_players`);
          const mirror = new Mirror({ db, clock });
          await ingestHistory(db, first, 2);
          await mirror.check('the first events');
          for (const { name, number } of acts) {
            clock.advance(1_000);
            await ACTS[name](db, number);
            while (await runChunk({ db, clock })) await mirror.follow();
            await mirror.check(`${name} ${number}`);
          }
          await send(db, later);
          await mirror.check('later events');
        },
      ),
      { numRuns: dialect === 'sqlite' ? 40 : 10 },
    );
  });
}

onEachDatabase('the erasure of staff moves the punishments that they issued or revoked', async (t, url) => {
  const context = await testContext(t, url);
  const { db } = context;
  const [staff, player] = [person(1, 'Staff'), person(2)];
  await sendEvents(
    context,
    login('Alpha', staff),
    punishment('one', player, { punisher: staff }),
    punishment('two', player),
    event('punishment.revoked', { punishment: 'two', revoker: staff }),
    punishment('three', player),
  );
  const mirror = new Mirror(context);
  await mirror.check('before');
  await erasePlayer(db, context.clock.now(), staff.uuid);
  await finishJobs(db);
  const changes = await mirror.check('after');
  assert.deepEqual(
    changes.map(({ kind, type }) => `${kind} ${type}`),
    ['player erased', 'punishment changed', 'punishment changed'],
  );
});

onEachDatabase(
  'the newer name of a merged player moves the punishments and matches of the surviving one',
  async (t, url) => {
    const context = await testContext(t, url);
    const [old, young, third] = [person(1, 'Old'), person(2, 'Newer'), person(3, 'Third')];
    await sendEvents(
      context,
      match({ teams: [team('Red', 3), team('Blue', 4)] }),
      punishment('one', old, { punisher: null }),
      event('player.merged', { from: third.uuid, into: old.uuid }),
      login('Alpha', young, { time: new Date(context.clock.now()).toISOString() }),
    );
    const mirror = new Mirror(context);
    await mirror.check('before');
    await sendEvents(context, event('player.merged', { from: young.uuid, into: old.uuid }));
    await finishJobs(context.db);
    const changes = await mirror.check('after');
    const recorded = changes.map(({ kind, type }) => `${kind} ${type}`).toSorted();
    assert.deepEqual(recorded, ['match changed', 'player changed', 'player merged', 'punishment changed']);
  },
);

onEachDatabase('counting or excluding a match moves it', async (t, url) => {
  const context = await testContext(t, url);
  const { db } = context;
  await sendEvents(context, configured('Alpha'), match({}));
  const mirror = new Mirror(context);
  const { key } = (await mirror.follow()).find(({ kind }) => kind === 'match')!;
  for (const counted of [false, true]) {
    assert.equal(await setCounted(db, context.clock, key, counted), undefined);
    assert.deepEqual(
      (await mirror.check('after')).map(({ kind, type }) => `${kind} ${type}`),
      ['match changed'],
    );
  }
});

onEachDatabase('statistics, votes, presence and rejected events are no changes', async (t, url) => {
  const context = await testContext(t, url);
  const { db } = context;
  await sendEvents(context, configured('Alpha'), login('Alpha', person(1)), map('Isle'));
  const mirror = new Mirror(context);
  await mirror.check('before');
  await sendEvents(
    context,
    login('Alpha', person(1), { time: new Date(context.clock.now()).toISOString() }),
    presence('Alpha', { players: ['Player1'] }, { time: new Date(context.clock.now()).toISOString() }),
    rating('Isle', person(1), 5),
    rotation('Alpha', ['Isle']),
    event('player.statistics', { player: person(1), gamemode: 'factions', kill_count: 3 }),
    event('counter.declared', { key: 'pieces', label: { en: 'Pieces' } }),
  );
  const rejected = event('punishment.revoked', { punishment: 'unknown' }, { server: 'New' });
  assert.equal((await ingestEvents(db, clock, { kind: 'operator' }, [rejected]))[0]!.status, 'rejected');
  await runJobsOnce(context);
  assert.deepEqual(await mirror.check('after'), []);
});

/** Sends further events of a generated history. */
async function send(db: Db, events: readonly GeneratedEvent[]): Promise<void> {
  const servers = await db.all<{ key: number }>(sql`select key from servers order by name`);
  const keys = servers.map(({ key }) => key);
  const items = events.map(({ sender, event }) => {
    const input = { ...event, id: `later ${event.id}` };
    return prepareItem({ input }, senderOf(sender, keys), clock.now(), secretHash);
  });
  assert.equal((await ingestItems(db, clock, items)).length, items.length);
}
