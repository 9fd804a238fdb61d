import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '#db/db.ts';
import { sql } from '#db/sql.ts';
import { portionsOf } from '#base/portions.ts';
import { checkEvent } from '#records/checks.ts';
import { GroupIntake } from '#records/intake.ts';
import { countMatches, type Item, takeItems, type TakeOptions } from '#records/ledger.ts';
import { listPlayedMatches } from '#records/match-lists.ts';
import { matchesOf } from '#records/matches.ts';
import { sieveOf, statsOf } from '#records/player-counters.ts';
import { findPlayer, namesOf } from '#records/players.ts';
import { keepUpOnce } from '../../src/upkeep.ts';
import { configured, match, person, team, tell } from '../support/builders.ts';
import { createTestDatabase, DIALECTS, onEachDatabase, testHall, twoDatabases } from '../support/hall.ts';
import { likenessOf } from './likeness.ts';
import { merge, mostlyMatches, seasonOf } from './season.ts';
import { clock, tellSeason } from './tell-season.ts';

const NUMBERS = [0, 1, 2, 3, 4];
const NAMES = ['Shared', ...NUMBERS.flatMap((number) => [`Player${number}`, `Other${number}`])];

/** What readers are told of the players of a season. */
async function toldOf(db: Db): Promise<unknown> {
  const players = NUMBERS.map(async (number) => {
    const player = await findPlayer(db, person(number).uuid);
    if (player === undefined) return undefined;
    const { key } = player;
    const [stats, names] = [await statsOf(db, key), await namesOf(db, key)];
    const lists = [matchesOf(db, key, 3), listPlayedMatches(db, key, Number.MAX_SAFE_INTEGER, 20)];
    return { player, stats, names, lists: await Promise.all(lists) };
  });
  const named = NAMES.map(async (name) => (await findPlayer(db, name))?.uuid);
  return await Promise.all([...players, ...named]);
}

async function waits(db: Db): Promise<boolean> {
  const row = await db.get<{ counted: number | null }>(sql`select counted from sequence where name = 'key'`);
  return row!.counted !== null;
}

async function rowsThatWait(db: Db): Promise<number> {
  return (await db.tuples(sql`select 1 from waiting_matches`)).length;
}

/** A match of some players, told by the operator. */
function itemBetween(...numbers: number[]): Item {
  const sender = { kind: 'operator' } as const;
  return { sender, checked: checkEvent(match({ teams: [team('Red', ...numbers)] }), sender, clock.now()) };
}

/** Matches of many players, of which none plays twice. */
const itemsBetween = (numbers: readonly number[]): Item[] =>
  [...portionsOf(numbers, 1000)].map((some) => itemBetween(...some));

/** Whoever takes events, as one process does; the next transaction may break when all is done but the commit. */
class Taker {
  breaks = false;
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  transaction: Db['transaction'] = (work) =>
    this.#db.transaction(async (tx) => {
      const done = await work(tx);
      if (!this.breaks) return done;
      this.breaks = false;
      throw new Error('broken');
    });
}

/** What happens before a batch is told. */
const happening = fc.constantFrom('nothing', 'nothing', 'nothing', 'breaks', 'starts anew', 'is counted');

for (const dialect of DIALECTS) {
  test(`readers are told the same whether matches wait to be counted or not (${dialect})`, async (t) => {
    const [one, other] = await twoDatabases(t, dialect);
    let waited = 0;
    await fc.assert(
      fc.asyncProperty(
        seasonOf(1, 25, mostlyMatches),
        fc.nat(50),
        fc.integer({ min: 1, max: 25 }),
        fc.infiniteStream(fc.record({ more: fc.constantFrom(true, true, true, false), first: happening })),
        async (events, place, batches, turns) => {
          let taker = new Taker(one);
          await tellSeason(other, []);
          await tellSeason(one, events.toSpliced(place, 0, merge), batches, async (items) => {
            const { more, first } = turns.next().value!;
            if (first === 'starts anew') taker = new Taker(one);
            if (first === 'is counted') await countMatches(one, clock);
            if (first === 'breaks') {
              taker.breaks = true;
              await assert.rejects(takeItems(taker, clock, items, { more }), /broken/);
            }
            const receipts = await takeItems(taker, clock, items, { more });
            assert.deepEqual(receipts, await takeItems(other, clock, items));
            if (await waits(one)) waited++;
            assert.deepEqual(await toldOf(one), await toldOf(other));
            return receipts;
          });
          await countMatches(one, clock);
          assert.equal(await waits(one), false);
          assert.deepEqual(await likenessOf(one), await likenessOf(other));
        },
      ),
      { numRuns: dialect === 'sqlite' ? 100 : 10 },
    );
    assert.equal(waited > 10, dialect === 'sqlite', `${waited} times`);
  });
}

onEachDatabase('matches that wait are counted from their rows, whatever group they feed', async (t, url) => {
  const { db, clock: now } = await testHall(t, url);
  const modes = ['bowspleef', 'tntrun', 'cp', 'ctw', 'dtc', 'paintball', 'splatt', 'tdm'];
  const counts = { score: 9, kill_count: 8, death_count: 7, shot_count: 6, hit_count: 5, paint_count: 4 };
  const played = modes.map((gamemode, place) => {
    const [scorer, victim] = [person(1), person(2)];
    const player = { ...scorer, ...counts, time_played: 3 + place };
    const done = { player: scorer, team: 'Red', type: 'wool' as const, name: 'x', time: '2026-03-01T11:59:00Z' };
    const objectives = gamemode === 'ctw' || gamemode === 'tdm' ? [done] : [];
    return match({ gamemode, win: 'Red', objectives, teams: [team('Red', player), team('Blue', victim)] });
  });
  await tell({ db, clock: now }, configured('Alpha'), match({ teams: [team('Red', 1, 2)] }));
  const before = await db.all(sql`select * from player_stats order by player_key`);
  const { last } = (await db.get<{ last: number }>(sql`select last from sequence where name = 'key'`))!;
  await tell({ db, clock: now }, ...played);
  const after = await db.all(sql`select * from player_stats order by player_key`);
  // As a process leaves it that ends while they wait.
  for (const row of before) {
    const columns = Object.keys(row).filter((column) => column !== 'player_key');
    const text = `update player_stats set ${columns.map((column) => `${column} = ?`).join(', ')} where player_key = ?`;
    await db.run({ strings: text.split('?'), values: [...columns.map((one) => row[one]!), row['player_key']!] });
  }
  await db.run(sql`update sequence set counted = ${last} where name = 'key'`);
  assert.notDeepEqual(await db.all(sql`select * from player_stats order by player_key`), after);
  await countMatches(db, now);
  assert.deepEqual(await db.all(sql`select * from player_stats order by player_key`), after);
  assert.equal(await waits(db), false);
});

test('while groups follow each other closely, what they add waits until it is quiet', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const hall = await testHall(t, database.url);
  const { db, clock: now, log } = hall;
  await tell(hall, configured('Alpha'));
  const intake = new GroupIntake({ db, clock: now, log });
  const take = async (...requests: Item[][]): Promise<void> => {
    const receipts = (await Promise.all(requests.map((items) => intake.take(items)))).flat();
    assert.ok(receipts.every(({ status }) => status === 'accepted'));
  };
  const everyone = Array.from({ length: 100 }, (_, number) => number);
  const play = async (): Promise<unknown> =>
    (await statsOf(db, (await findPlayer(db, person(1).uuid))!.key)).teampvp['play'];

  await take([itemBetween(1)]);
  assert.deepEqual([await waits(db), await play()], [false, 1]);
  // Two groups, of which the first follows nobody and takes long enough for the second to follow it closely.
  await take(
    Array.from({ length: 256 }, () => itemBetween(...everyone)),
    [itemBetween(1)],
  );
  assert.deepEqual([await waits(db), await play()], [true, 258]);
  await keepUpOnce(hall);
  assert.deepEqual([await waits(db), await play()], [false, 258]);
});

test('what is added waits up to a bound', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const hall = await testHall(t, database.url);
  const { db, clock: now } = hall;
  const everyone = Array.from({ length: 4097 }, (_, number) => number);
  await tell(hall, configured('Alpha'));
  await takeItems(db, now, itemsBetween(everyone));
  const { key } = (await findPlayer(db, person(1).uuid))!;
  const bounds: [words: string, items: (beyond: number) => Item[], plays: number][] = [
    ['of one player', (beyond) => Array.from({ length: 128 + beyond }, () => itemBetween(1)), 128],
    ['matches', (beyond) => Array.from({ length: 1024 + beyond }, (_, turn) => itemBetween(1 + (turn % 16))), 64],
    ['players', (beyond) => itemsBetween(everyone.slice(0, 4096 + beyond)), 1],
  ];
  const counted = async (): Promise<unknown> =>
    (await db.tuples(sql`select teampvp_play from player_stats where player_key = ${key}`))[0]![0];
  for (const [words, items, plays] of bounds) {
    const before = (await statsOf(db, key)).teampvp['play']!;
    await takeItems(db, now, items(0), { more: true });
    assert.deepEqual([await waits(db), await counted()], [true, before], words);
    assert.equal((await statsOf(db, key)).teampvp['play'], before + plays, words);
    await countMatches(db, now);
    assert.deepEqual([await waits(db), await counted()], [false, before + plays], words);
    await takeItems(db, now, items(1), { more: true });
    assert.deepEqual([await waits(db), await rowsThatWait(db)], [false, 0], words);
  }
});

/** A match of one player who bears the name of others, some ms later than theirs. */
const twin = (number: number, ms: number): Item => {
  const moment = new Date(clock.now() - 60_000 + ms).toISOString();
  const played = match({ teams: [team('Red', person(number, 'Twin'))], started: moment, finished: moment });
  const sender = { kind: 'operator' } as const;
  return { sender, checked: checkEvent({ ...played, time: moment }, sender, clock.now()) };
};

test('of several who bear a name, the one who was seen with it last is found while matches wait', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const hall = await testHall(t, database.url);
  const { db, clock: now } = hall;
  await tell(hall, configured('Alpha'));
  await takeItems(
    db,
    now,
    [1, 2, 3].map((number) => twin(number, number)),
  );
  const found = async (): Promise<unknown> => (await findPlayer(db, 'twin'))!.uuid;
  assert.equal(await found(), person(3).uuid);
  for (const [turn, number] of [1, 3, 2, 2, 1].entries()) {
    // Whoever has nobody in a team waits for nothing.
    const nobody = checkEvent(match({ teams: [] }), { kind: 'operator' }, clock.now());
    const items: Item[] = [twin(number, 10 + turn), { sender: { kind: 'operator' }, checked: nobody }];
    await takeItems(db, now, items, { more: true });
    assert.equal(await rowsThatWait(db), turn + 1);
    assert.equal(await found(), person(number).uuid);
  }
});

/** As the statements of readers do it. */
const passes = (sieve: readonly number[], key: number): boolean =>
  sieveOf([key]).every((bit, place) => (BigInt(sieve[place]!) & BigInt(bit)) !== 0n);

test('whoever played a match that waits is found through the sieve, and few others', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(Number.MAX_SAFE_INTEGER), { maxLength: 40 }), (keys) => {
      assert.ok(keys.every((key) => passes(sieveOf(keys), key)));
    }),
  );
  // Keys of players who came one behind the other.
  const all = Array.from({ length: 1000 }, (_, number) => 3_600_000_000_000_000 + number * 2048);
  const played = all.filter((_, number) => number % 50 === 0);
  const passed = all.filter((key) => passes(sieveOf(played), key)).length - played.length;
  assert.ok(passed < 80, `${passed} of 980 others pass`);
});

onEachDatabase('what was tried or broke off is not taken for what another has done meanwhile', async (t, url) => {
  const hall = await testHall(t, url);
  const { db } = hall;
  await tell(hall, configured('Alpha'), match({ teams: [team('Red', 1, 2)] }));
  const [own, others] = [new Taker(db), new Taker(db)];
  const take = (taker: Taker, player: number, options: TakeOptions) =>
    takeItems(taker, hall.clock, [itemBetween(player)], options);
  const played = async (): Promise<unknown[][]> => {
    const rows = await db.tuples(sql`
      select p.name, s.teampvp_play, (select count(*) from player_matches r where r.player_key = p.key)
      from players p join player_stats s on s.player_key = p.key order by p.name`);
    return rows.map((row) => row.map(String));
  };
  // Both take the same keys, since the clock stands still.
  await take(others, 1, {});
  own.breaks = true;
  await assert.rejects(take(own, 1, { more: true }), /broken/);
  await take(others, 2, { more: true });
  await take(own, 1, {});
  assert.deepEqual(await played(), [
    ['Player1', '3', '3'],
    ['Player2', '2', '2'],
  ]);
  await take(own, 3, { dryRun: true });
  await take(others, 4, {});
  await take(own, 3, {});
  assert.deepEqual((await played()).slice(2), [
    ['Player3', '1', '1'],
    ['Player4', '1', '1'],
  ]);
});

test('a counter beyond what a number holds is told the same while a match waits', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const hall = await testHall(t, database.url);
  const { db, clock: now } = hall;
  await tell(hall, configured('Alpha'), match({ teams: [team('Red', 1)] }));
  await db.run(sql`update player_stats set teampvp_play = 9007199254740990, teampvp_kill = 9007199254741991`);
  const { key } = (await findPlayer(db, person(1).uuid))!;
  await takeItems(db, now, [itemBetween(1), itemBetween(1)], { more: true });
  assert.equal(await waits(db), true);
  const waiting = await statsOf(db, key);
  await countMatches(db, now);
  assert.deepEqual(waiting, await statsOf(db, key));
  assert.equal(waiting.teampvp['play'], Number.MAX_SAFE_INTEGER);
});
