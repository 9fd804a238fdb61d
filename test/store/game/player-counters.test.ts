import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Db } from '#db/db.ts';
import { secretHash } from '#platform/crypto/secrets.ts';
import { openDb } from '#db/open.ts';
import { migrate } from '#db/migrate.ts';
import { sql } from '#db/sql.ts';
import { prepareItem, type Item } from '#events/ingest/prepare.ts';
import type { IngestOptions } from '#events/ingest/event-queue.ts';
import { ingestItems } from '#events/ingest/ingest-events.ts';
import { listPlayedMatches } from '#store/game/match-lists.ts';
import { type Stats, statsOf, toSums } from '#store/game/player-stats.ts';
import { countersOf, type Group, GROUP_NAMES, groupOf } from '#store/game/statistics-groups.ts';
import { findPlayer, namesOf } from '#store/game/players.ts';
import type { Receipt } from '#events/ledger/receipts.ts';
import { configured, match, person, team, sendEvents } from '#test/support/builders.ts';
import { createTestDatabase, type Dialect, DIALECTS, onEachDatabase, testContext } from '#test/support/context.ts';
import { canonicalDumpOf } from '#test/events/canonical-dump.ts';
import { merge, mostlyMatches, historyOf } from '#test/events/generated-history.ts';
import { clock, ingestHistory } from '#test/events/ingest-history.ts';

const NUMBERS = [0, 1, 2, 3, 4];
const NAMES = ['Shared', ...NUMBERS.flatMap((number) => [`Player${number}`, `Other${number}`])];

/** Everything that the readers return about the players of a generated history. */
async function readingsOf(db: Db): Promise<unknown> {
  const players = NUMBERS.map(async (number) => {
    const player = await findPlayer(db, person(number).uuid);
    if (player === undefined) return undefined;
    const { key } = player;
    const [stats, names] = [await statsOf(db, key), await namesOf(db, key)];
    return { player, stats, names, played: await listPlayedMatches(db, key, Number.MAX_SAFE_INTEGER, 20) };
  });
  const named = NAMES.map(async (name) => (await findPlayer(db, name))?.uuid);
  return await Promise.all([...players, ...named]);
}

async function statsByPlayer(db: Db): Promise<(Stats | undefined)[]> {
  const stats = NUMBERS.map(async (number) => {
    const player = await findPlayer(db, person(number).uuid);
    return player && (await statsOf(db, player.key));
  });
  return await Promise.all(stats);
}

/** Counts accepted events one by one, in the simplest possible way, as a reference. */
class Recount {
  readonly #sums = new Map<string, Map<Group, number[]>>();
  /** The results of the matches that both UUIDs of the merged player played. */
  readonly #playedTwice: { group: Group; results: string[] }[] = [];
  #isMerged = false;

  add(items: readonly Item[], receipts: readonly Receipt[]): void {
    for (const [place, { checked }] of items.entries()) {
      if (receipts[place]!.status !== 'accepted' || !('event' in checked)) continue;
      const { type, data } = checked.event;
      if (type === 'player.merged') this.#isMerged = true;
      if (type === 'match.finished') {
        const group = groupOf(data.facts.gamemode);
        for (const [uuid, , , , , , , , , sums] of data.players) this.#count(uuid, group, sums);
        const merged = data.players.filter(([uuid]) => uuid === person(0).uuid || uuid === person(1).uuid);
        if (merged.length === 2) this.#playedTwice.push({ group, results: merged.map(([, , result]) => result) });
      }
      if (type === 'player.statistics') {
        const { player, kill_count, death_count, time_played } = data;
        this.#count(
          player.uuid,
          'factions',
          toSums('factions', { kill: kill_count, death: death_count, time: time_played }),
        );
      }
    }
  }

  of(number: number): Stats {
    const [own, merged] = this.#isMerged && number < 2 ? [1, 0] : [number, number];
    const uuids = new Set([person(own).uuid, person(merged).uuid]);
    const groups = GROUP_NAMES.map((group) => {
      const counters = countersOf(group).map((counter, place) => {
        const counts = [...uuids].map((uuid) => this.#sums.get(uuid)?.get(group)?.[place] ?? 0);
        const surplus = uuids.size === 2 ? this.#surplusOf(group, counter) : 0;
        return [counter, counts.reduce((a, b) => a + b) - surplus] as const;
      });
      return [group, Object.fromEntries(counters)] as const;
    });
    return Object.fromEntries(groups) as Stats;
  }

  /** A match of both UUIDs is one match, won if either won it. */
  #surplusOf(group: Group, counter: string): number {
    const results = this.#playedTwice.flatMap((twice) => (twice.group === group ? [twice.results] : []));
    if (counter === 'play') return results.length;
    if (counter === 'win') return results.filter((both) => both.every((result) => result === 'win')).length;
    return counter === 'lose' ? results.filter((both) => both.includes('lose')).length : 0;
  }

  #count(uuid: string, group: Group, added: readonly number[]): void {
    const groups = this.#sums.get(uuid) ?? new Map<Group, number[]>();
    this.#sums.set(uuid, groups);
    groups.set(
      group,
      added.map((count, place) => count + (groups.get(group)?.[place] ?? 0)),
    );
  }
}

/** A match of the players, reported by the operator. */
function itemBetween(...numbers: number[]): Item {
  const sender = { kind: 'operator' } as const;
  return prepareItem({ input: match({ teams: [team('Red', ...numbers)] }) }, sender, clock.now(), secretHash);
}

/** A process that ingests events. Its next transaction can be made to fail after the work and before the commit. */
class Ingester {
  failsNext = false;
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  transaction: Db['transaction'] = (work) =>
    this.#db.transaction(async (tx) => {
      const result = await work(tx);
      if (!this.failsNext) return result;
      this.failsNext = false;
      throw new Error('broken');
    });
}

/** An act before a batch is ingested. */
const incident = fc.constantFrom('nothing', 'nothing', 'nothing', 'failure', 'another process');

async function databasesOf(
  dialect: Dialect,
  connections: number,
): Promise<{ opened: Db[]; close: () => Promise<void> }> {
  const database = await createTestDatabase(dialect);
  const opened = await Promise.all(
    Array.from({ length: connections }, () => openDb(database.url, { keyedHash: secretHash })),
  );
  await migrate(opened[0]!);
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((db) => db.close()));
    await database.drop();
  };
  return { opened, close };
}

for (const dialect of DIALECTS) {
  test(`counters equal a plain recount, whatever happens between batches (${dialect})`, async (t) => {
    const [shared, single] = [await databasesOf(dialect, 2), await databasesOf(dialect, 1)];
    t.after(shared.close);
    t.after(single.close);
    const [db, secondDb] = shared.opened as [Db, Db];
    const [undisturbed] = single.opened as [Db];
    await fc.assert(
      fc.asyncProperty(
        historyOf(1, 25, mostlyMatches),
        fc.nat(50),
        fc.integer({ min: 1, max: 25 }),
        fc.infiniteStream(incident),
        async (events, place, batches, incidents) => {
          const ingesters = [new Ingester(db), new Ingester(secondDb)] as const;
          let ingester: Ingester = ingesters[0];
          const recount = new Recount();
          await ingestHistory(undisturbed, []);
          await ingestHistory(db, events.toSpliced(place, 0, merge), batches, async (items) => {
            const next = incidents.next().value!;
            if (next === 'another process') ingester = ingester === ingesters[0] ? ingesters[1] : ingesters[0];
            if (next === 'failure') {
              ingester.failsNext = true;
              await assert.rejects(ingestItems(ingester, clock, items), /broken/);
            }
            const receipts = await ingestItems(ingester, clock, items);
            assert.deepEqual(receipts, await ingestItems(undisturbed, clock, items));
            assert.deepEqual(await readingsOf(db), await readingsOf(undisturbed));
            recount.add(items, receipts);
            for (const [number, stats] of (await statsByPlayer(db)).entries()) {
              if (stats !== undefined) assert.deepEqual(stats, recount.of(number));
            }
            return receipts;
          });
          assert.deepEqual(await canonicalDumpOf(db), await canonicalDumpOf(undisturbed));
        },
      ),
      { numRuns: dialect === 'sqlite' ? 100 : 10 },
    );
  });
}

/** A match of one player with the name `Twin`, which several players have, at a time in milliseconds. */
const matchOfTwin = (number: number, ms: number): Item => {
  const timestamp = new Date(clock.now() - 60_000 + ms).toISOString();
  const played = match({ teams: [team('Red', person(number, 'Twin'))], started: timestamp, finished: timestamp });
  const sender = { kind: 'operator' } as const;
  return prepareItem({ input: { ...played, time: timestamp } }, sender, clock.now(), secretHash);
};

onEachDatabase('of several players with one name, the one last observed with it is found', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock: now } = context;
  await sendEvents(context, configured('Alpha'));
  await ingestItems(
    db,
    now,
    [1, 2, 3].map((number) => matchOfTwin(number, number)),
  );
  const found = async (): Promise<unknown> => (await findPlayer(db, 'twin'))!.uuid;
  assert.equal(await found(), person(3).uuid);
  for (const [turn, number] of [1, 3, 2, 2, 1].entries()) {
    await ingestItems(db, now, [matchOfTwin(number, 10 + turn)]);
    assert.equal(await found(), person(number).uuid);
  }
});

onEachDatabase('a failed batch or a dry run is not mistaken for the work of another process', async (t, url) => {
  const context = await testContext(t, url);
  const { db } = context;
  await sendEvents(context, configured('Alpha'), match({ teams: [team('Red', 1, 2)] }));
  const [first, second] = [new Ingester(db), new Ingester(db)];
  const ingest = (ingester: Ingester, player: number, options: IngestOptions) =>
    ingestItems(ingester, context.clock, [itemBetween(player)], options);
  const played = async (): Promise<unknown[][]> => {
    const rows = await db.tuples(sql`
      select p.name, s.teampvp_play, (select count(*) from player_matches r where r.player_key = p.key)
      from players p join player_stats s on s.player_key = p.key order by p.name`);
    return rows.map((row) => row.map(String));
  };
  // Both assign the same keys, because the clock does not advance.
  await ingest(second, 1, {});
  first.failsNext = true;
  await assert.rejects(ingest(first, 1, {}), /broken/);
  await ingest(second, 2, {});
  await ingest(first, 1, {});
  assert.deepEqual(await played(), [
    ['Player1', '3', '3'],
    ['Player2', '2', '2'],
  ]);
  await ingest(first, 3, { dryRun: true });
  await ingest(second, 4, {});
  await ingest(first, 3, {});
  assert.deepEqual((await played()).slice(2), [
    ['Player3', '1', '1'],
    ['Player4', '1', '1'],
  ]);
});

onEachDatabase('a counter beyond 2^53 is read as the largest safe integer', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock: now } = context;
  await sendEvents(context, configured('Alpha'), match({ teams: [team('Red', 1)] }));
  await db.run(sql`update player_stats set teampvp_play = 9007199254740990, teampvp_kill = 9007199254741991`);
  const { key } = (await findPlayer(db, person(1).uuid))!;
  await ingestItems(db, now, [itemBetween(1), itemBetween(1)]);
  const { teampvp } = await statsOf(db, key);
  assert.deepEqual([teampvp['play'], teampvp['kill']], [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
});
