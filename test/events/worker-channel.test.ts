import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import fc from 'fast-check';
import { Unavailable } from '#platform/errors.ts';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { checkEvent } from '#events/validation.ts';
import { CLOSE, FarIntake, serveIntake } from '#events/worker-channel.ts';
import { GroupIntake, type Intake, MOST_WAITING } from '#events/group-commit.ts';
import type { Item } from '#events/ledger.ts';
import type { Receipt, Sender } from '#events/receipts.ts';
import { serverByName } from '#store/game/servers.ts';
import { configured, event, login, person, tell } from '#test/support/builders.ts';
import { onEachDatabase, testHall, type TestHall } from '#test/support/context.ts';
import { likenessOf } from './canonical-dump.ts';
import { season, seasonOf } from './generated-history.ts';
import { clock, tellSeason } from './ingest-history.ts';

const OPERATOR: Sender = { kind: 'operator' };

/** The near end of an intake; the far end is held by this thread, too, behind a port all the same. */
function far(t: TestContext, intake: Intake): FarIntake {
  const { port1, port2 } = new MessageChannel();
  const served = serveIntake(port2, intake).then(() => port2.close());
  t.after(async () => {
    port1.postMessage(CLOSE);
    await served;
  });
  return new FarIntake(port1);
}

function itemOf({ clock }: TestHall, input: unknown, sender = OPERATOR): Item {
  return { sender, checked: checkEvent(input, sender, clock.now()) };
}

async function alpha(hall: TestHall): Promise<Sender> {
  await tell(hall, configured('Alpha'));
  const { key, name } = (await serverByName(hall.db, 'Alpha'))!;
  return { kind: 'server', serverKey: key, serverName: name, credential: 7 };
}

const countOf = async (db: Db): Promise<unknown> =>
  (await db.tuple(sql`select count(*) from ledger where type = 'player.login'`))![0];

onEachDatabase('events that go through a port leave the records as events that do not', async (t, url) => {
  const { db, log } = await testHall(t, url);
  const intake = far(t, new GroupIntake({ db, clock, log }));
  await fc.assert(
    fc.asyncProperty(season, async (events) => {
      const straight = await tellSeason(db, events, 2);
      const expected = await likenessOf(db);
      const receipts = await tellSeason(db, events, 2, (items) => intake.take(items));
      assert.deepEqual(
        receipts.map(({ id, status }) => [id, status]),
        straight.map(({ id, status }) => [id, status]),
      );
      assert.deepEqual(await likenessOf(db), expected);
    }),
    { numRuns: 10 },
  );
});

const saidOf = ({ id, status }: Receipt): string[] => [id, status];

onEachDatabase(
  'a transaction that is made ready in portions leaves the records as one an event does',
  async (t, url) => {
    const { db } = await testHall(t, url);
    await fc.assert(
      fc.asyncProperty(seasonOf(33, 80), async (events) => {
        const one = await tellSeason(db, events, events.length);
        const expected = await likenessOf(db);
        const receipts = await tellSeason(db, events, 1);
        assert.deepEqual(receipts.map(saidOf), one.map(saidOf));
        assert.deepEqual(await likenessOf(db), expected);
      }),
      { numRuns: 8 },
    );
  },
);

onEachDatabase('each request gets its own receipts, in order, the refused ones among them', async (t, url) => {
  const hall = await testHall(t, url);
  const sender = await alpha(hall);
  const intake = far(t, hall.intake);
  const logins = [1, 2, 3].map((number) => itemOf(hall, login('Alpha', person(number)), sender));
  const nonsense = itemOf(hall, { id: 'odd', type: 'nothing' }, sender);
  const [one, several, again] = await Promise.all([
    intake.take([logins[0]!]),
    intake.take([logins[1]!, nonsense, logins[2]!]),
    intake.take([logins[0]!]),
  ]);
  assert.deepEqual(
    [one, several, again].map((receipts) => receipts!.map(({ status }) => status)),
    [['accepted'], ['accepted', 'rejected', 'accepted'], ['duplicate']],
  );
  assert.equal(await countOf(hall.db), 3);
  const row = await hall.db.tuple(sql`select credential, body from ledger where type = 'player.login' order by key`);
  assert.deepEqual(row, [7, JSON.stringify({ player: person(1) })]);
});

onEachDatabase('a dry run is receipted and keeps nothing', async (t, url) => {
  const hall = await testHall(t, url);
  const sender = await alpha(hall);
  const intake = far(t, hall.intake);
  const item = itemOf(hall, login('Alpha', person(1)), sender);
  // Over several connections neither has to be first where both are under way.
  const [tried] = await intake.take([item], { dryRun: true });
  const [taken] = await intake.take([item]);
  assert.deepEqual([tried?.status, taken?.status], ['accepted', 'accepted']);
  assert.equal(await countOf(hall.db), 1);
});

onEachDatabase('what the disk does not keep is not accepted, and is when it is sent again', async (t, url) => {
  const hall = await testHall(t, url);
  const sender = await alpha(hall);
  let keeps = false;
  const { clock, log } = hall;
  const db: Pick<Db, 'transaction'> = {
    transaction: (work) =>
      hall.db.transaction(async (tx) => {
        const result = await work(tx);
        if (!keeps) throw new Unavailable(new Error('EIO'));
        return result;
      }),
  };
  const intake = far(t, new GroupIntake({ db: db as Db, clock, log }));
  const item = itemOf(hall, login('Alpha', person(1)), sender);
  await assert.rejects(intake.take([item]), Unavailable);
  assert.equal(await countOf(hall.db), 0);
  keeps = true;
  assert.equal((await intake.take([item]))[0]?.status, 'accepted');
});

test('what goes wrong behind the port is told in front of it', async (t) => {
  const faults = [new Unavailable(new Error('gone')), new TypeError('odd')];
  const intake = far(t, {
    isFull: false,
    busyMs: 0,
    take: () => Promise.reject(faults.shift()!),
    close: async () => {},
  });
  await assert.rejects(intake.take([]), Unavailable);
  await assert.rejects(intake.take([]), { name: 'TypeError', message: 'odd' });
});

test('it is full when as much waits as an intake lets wait, and closes when nothing does', async (t) => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const intake = far(t, {
    isFull: false,
    busyMs: 0,
    take: async (items) => {
      await opened;
      return Array.from(items, ({ checked }) => ('event' in checked ? { id: '', status: 'duplicate' } : checked));
    },
    close: async () => {},
  });
  const refused: Item = { sender: OPERATOR, checked: { id: 'x', status: 'rejected', place: '', reason: 'odd' } };
  const waiting = intake.take(Array.from({ length: MOST_WAITING - 1 }, () => refused));
  assert.equal(intake.isFull, false);
  const last = intake.take([refused]);
  assert.equal(intake.isFull, true);
  const closed = intake.close();
  open();
  await closed;
  assert.deepEqual([(await waiting).length, (await last).length, intake.isFull], [MOST_WAITING - 1, 1, false]);
});

onEachDatabase('an intake is busy while events are under way, and only then', async (t, url) => {
  const hall = await testHall(t, url);
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  const { intake } = hall;
  const near = far(t, {
    isFull: false,
    busyMs: 0,
    take: async (items) => {
      const receipts = await intake.take(items);
      await held;
      return receipts;
    },
    close: async () => {},
  });
  assert.deepEqual([near.busyMs, hall.intake.busyMs], [0, 0]);
  const taken = near.take([itemOf(hall, configured('Alpha'))]);
  const atFirst = near.busyMs;
  await setImmediate();
  assert.ok(near.busyMs > atFirst);
  go();
  await taken;
  await hall.intake.close();
  const spent = [near.busyMs, hall.intake.busyMs];
  assert.ok(spent.every((ms) => ms > 0));
  await setImmediate();
  assert.deepEqual([near.busyMs, hall.intake.busyMs], spent);
});

test('moments, unknown players and members left out come over as they are', async (t) => {
  let heard: readonly Item[] = [];
  const intake = far(t, {
    isFull: false,
    busyMs: 0,
    take: async (items) => {
      heard = [...items];
      return [];
    },
    close: async () => {},
  });
  const objective = { player: null, team: '', type: 'core', name: '', time: '1970-01-01T00:00:00Z' } as const;
  const red = {
    name: 'Red',
    players: [
      { ...person(1), score: -0 },
      { ...person(2), name: ' "Zwölf", \\n🂡 ' },
    ],
  };
  const blue = { name: 'Blue', players: [person(3)] };
  const items = [[red, blue], []].map((teams, number): Item => {
    const told = event(
      'match.finished',
      {
        map: 'Îsle "two"',
        gamemode: 'ctw',
        started: '1970-01-01T00:00:00Z',
        finished: '2026-02-28T18:30:00.125+09:00',
        teams,
        objectives: [objective],
      },
      { id: `match ${number}`, server: 'Alpha' },
    );
    return { sender: OPERATOR, checked: checkEvent(told, OPERATOR, Date.parse('2026-03-01T12:00:00Z')) };
  });
  await intake.take(items);
  assert.deepEqual(JSON.parse(JSON.stringify(heard)), JSON.parse(JSON.stringify(items)));
  for (const { checked } of items) assert.ok('event' in checked);
});
