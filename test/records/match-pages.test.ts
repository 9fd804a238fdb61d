import assert from 'node:assert/strict';
import fc from 'fast-check';
import { idOf, keyOf } from '#base/ids.ts';
import { type Db, openDb } from '#db/db.ts';
import { migrate } from '#db/migrate.ts';
import { sql } from '#db/sql.ts';
import { type ListAsked, listFromPages, type Listing, listsFromPages, pageMatches } from '#records/match-pages.ts';
import { listMatches } from '#records/matches.ts';
import { withdrawEvents } from '#records/withdrawals.ts';
import { match, tell } from '../support/builders.ts';
import { onEachDatabase, TestClock } from '../support/hall.ts';

const clock = new TestClock();

/** Ten characters name an edition, as those of the data API do. */
const listingOf = (edition: string): Listing => ({
  edition: edition.padEnd(10, '.'),
  json: ({ head, finished }) => `${head},"finished":${finished},"edition":"${edition}"}`,
});
const EDITIONS = [listingOf('one'), listingOf('two')] as const;

/** What the next match is called: text that looks like the seam between two matches, and text that is long. */
const NAMES = ['Peak', '},{"id":"', '"},{"id":"00000000000', '\\', '\\"},', 'ブリッジ', 'x'.repeat(128)];

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('tell'), count: fc.integer({ min: 1, max: 25 }) }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('page'), count: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('withdraw'), count: fc.nat(1000) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('settings'), count: fc.nat(1) }) },
);

const asked = fc.array(
  fc.record({ place: fc.nat(1000), shift: fc.integer({ min: -1, max: 1 }), limit: fc.integer({ min: 1, max: 100 }) }),
  { minLength: 1, maxLength: 20 },
);

class Network {
  readonly db: Db;
  readonly keys: number[] = [];
  listing = EDITIONS[0] as Listing;
  told = 0;

  constructor(db: Db) {
    this.db = db;
  }

  async act(act: string, count: number): Promise<void> {
    if (act === 'tell') await this.tell(count);
    if (act === 'page') while (await pageMatches(this.db, this.listing));
    if (act === 'settings') this.listing = EDITIONS[count]!;
    if (act === 'withdraw' && this.keys.length > 0) {
      const from = count % this.keys.length;
      await withdrawEvents(this.db, clock, this.keys.splice(from, 1 + (count % 7)));
    }
  }

  async tell(count: number): Promise<void> {
    const events = Array.from({ length: count }, () => match({ map: NAMES[this.told++ % NAMES.length]! }));
    const ids = await tell({ db: this.db, clock }, ...events);
    this.keys.push(...ids.map((id) => keyOf(id)!));
  }

  /** What the list would be, match by match. */
  async wanted({ before, limit }: ListAsked): Promise<string> {
    return (await listMatches(this.db, before, limit)).map(this.listing.json).join(',');
  }
}

async function emptyNetwork(url: string): Promise<Network> {
  const db = await openDb(url);
  await migrate(db);
  const network = new Network(db);
  await tell({ db, clock }, { version: 1, id: 'alpha', type: 'server.configured', time: '2026-03-01T12:00:00.000Z', server: 'Alpha', data: { region: 'eu' } }); // prettier-ignore
  return network;
}

onEachDatabase('a list out of pages is the list, whatever was told, taken back and set meanwhile', async (t, url) => {
  const network = await emptyNetwork(url);
  t.after(() => network.db.close());
  const { db, keys } = network;
  let found = 0;
  const look = async (wishes: { place: number; shift: number; limit: number }[]): Promise<void> => {
    const lists = wishes.map(({ place, shift, limit }) => {
      return { before: Math.max(1, (keys[place % keys.length] ?? 5) + shift), limit };
    });
    const together = await listsFromPages(db, network.listing.edition, lists);
    for (const [place, list] of lists.entries()) {
      const wanted = await network.wanted(list);
      for (const cut of [together[place], await listFromPages(db, network.listing.edition, list)]) {
        if (cut === undefined) continue;
        found++;
        assert.equal(cut.matches, wanted, `${idOf(list.before)}, ${list.limit}`);
      }
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), asked, async (steps, wishes) => {
      for (const { act, count } of steps) await network.act(act, count);
      await look(wishes);
    }),
    { numRuns: 30 },
  );
  assert.ok(found > 100, `only ${found} lists came out of pages`);
});

onEachDatabase('pages hold every list of what they cover, and no match is left out at their seams', async (t, url) => {
  const network = await emptyNetwork(url);
  t.after(() => network.db.close());
  await network.act('tell', 64);
  await network.act('page', 0);
  const { db, keys, listing } = network;
  const list = (before: number, limit: number): Promise<string | undefined> =>
    Promise.resolve(listFromPages(db, listing.edition, { before, limit })).then((cut) => cut?.matches);
  for (const [place, before] of keys.entries()) {
    for (const limit of [1, 9, 10, 11, 20, 100]) {
      const found = await list(before, limit);
      // Six pages are full; the last four matches are not covered.
      if (place > 60) assert.equal(found, undefined);
      else assert.equal(found, await network.wanted({ before, limit }), `${place}, ${limit}`);
    }
  }
  assert.equal(await pageMatches(db, listing), false, 'what fills no page waits');
});

onEachDatabase('pages of other settings are not shown, and are made anew in their place', async (t, url) => {
  const network = await emptyNetwork(url);
  t.after(() => network.db.close());
  const { db, keys } = network;
  await network.act('tell', 30);
  await network.act('page', 0);
  const list = { before: keys[25]!, limit: 20 };
  assert.equal(await listFromPages(db, EDITIONS[1].edition, list), undefined);
  await network.act('settings', 1);
  await network.act('page', 0);
  assert.equal((await listFromPages(db, EDITIONS[1].edition, list))?.matches, await network.wanted(list));
  const [[count]] = (await db.tuples(sql`select count(*) from match_pages`)) as [[number]];
  assert.equal(count, 3);
});
