import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { idOf, keyOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import { matchByKey } from '#store/game/matches.ts';
import { findPlayer, namesOf, type PlayerName, playerByUuid } from '#store/game/players.ts';
import { pseudonymise } from '#store/accounts/pseudonyms.ts';
import { DIALECTS, onEachDatabase, testContext, twoDatabases } from '#test/support/context.ts';
import { BEGINNING, configured, event, login, match, person, team, sendEvents } from '#test/support/builders.ts';
import { canonicalDumpOf } from '../canonical-dump.ts';
import { arbitraryHistory, type GeneratedEvent } from '../generated-history.ts';
import { ingestHistory } from '../ingest-history.ts';
import { finishJobs, retractEvents } from '#test/support/jobs.ts';

const FROM = person(0).uuid;
const INTO = person(1).uuid;

/** The dump without stored UUIDs that a merge does not change. */
const STORED_BODIES = ['match_details', 'match_counters', 'ledger', 'kills'];

for (const dialect of DIALECTS) {
  test(`a player merged into another has always been that other (${dialect})`, async (t) => {
    const [one, other] = await twoDatabases(t, dialect);
    await fc.assert(
      fc.asyncProperty(arbitraryHistory, fc.nat(25), fc.integer({ min: 1, max: 5 }), async (events, place, batches) => {
        const received = events.filter(({ event }) => !(has(event, FROM) && has(event, INTO)));
        const merge: GeneratedEvent = {
          sender: 'operator',
          event: event('player.merged', { from: FROM, into: INTO }, { id: 'merge', time: '2026-02-01T00:00:00Z' }),
        };
        await ingestHistory(one, received.toSpliced(place, 0, merge), batches);
        const renamed = received.map((one) => JSON.parse(JSON.stringify(one).replaceAll(FROM, INTO)) as GeneratedEvent);
        await ingestHistory(other, renamed, batches);
        const [found, wanted] = [await canonicalDumpOf(one), await canonicalDumpOf(other)];
        for (const table of Object.keys(wanted)) {
          if (!STORED_BODIES.includes(table)) assert.deepEqual(found[table], wanted[table], table);
        }
      }),
      { numRuns: dialect === 'sqlite' ? 60 : 20 },
    );
  });
}

onEachDatabase('the id of a merged player leads to the player it was merged into', async (t, url) => {
  const context = await testContext(t, url);
  await sendEvents(context, configured('Alpha'), login('Alpha', person(0)), login('Alpha', person(1)));
  const id = idOf((await playerByUuid(context.db, FROM))!.key);
  await sendEvents(context, event('player.merged', { from: FROM, into: INTO }));
  assert.equal((await findPlayer(context.db, id))!.uuid, INTO);
  assert.equal(await findPlayer(context.db, idOf(keyOf(id)! + 1)), undefined);
});

for (const when of ['before', 'after'] as const) {
  onEachDatabase(
    `a player who played a match under several UUIDs, merged ${when} it, keeps all names after retractions`,
    async (t, url) => {
      const context = await testContext(t, url);
      const names = ['One', 'Two', 'Three', 'Two', 'One'];
      const persons = names.map((name, number) => person(number, name));
      const merges = [1, 2, 3, 4].map((number) => event('player.merged', { from: person(number).uuid, into: FROM }));
      const played = match({ teams: [team('Red', ...persons.slice(0, 2)), team('Blue', ...persons.slice(2))] });
      await sendEvents(context, configured('Alpha'));
      const [gone = ''] = await sendEvents(context, login('Alpha', persons[0]!));
      await sendEvents(context, ...(when === 'before' ? [...merges, played] : [played, ...merges]));
      const { key } = (await playerByUuid(context.db, FROM))!;
      await retractEvents(context.db, context.clock, [keyOf(gone)!]);
      assert.deepEqual((await namesOf(context.db, key)).map(({ name }) => name).sort(), [...new Set(names)].sort());

      await context.db.transaction((tx) => pseudonymise(tx, context.clock.now(), FROM));
      await finishJobs(context.db);
      const [{ name: pseudonym }, ...others] = (await namesOf(context.db, key)) as [PlayerName, ...PlayerName[]];
      assert.match(pseudonym, /^deleted-/);
      assert.deepEqual(others, []);
      const observations = await context.db.tuples(sql`select name from name_observations where player_key = ${key}`);
      assert.ok(observations.every(([name]) => name === pseudonym));
    },
  );
}

onEachDatabase(
  'the present name is listed first, also where an earlier name was seen at the same time',
  async (t, url) => {
    const context = await testContext(t, url);
    for (const name of ['Anna', 'Zoe']) {
      await sendEvents(context, event('player.named', { player: person(0, name) }, { time: BEGINNING }));
    }
    const player = (await playerByUuid(context.db, FROM))!;
    assert.equal(player.name, 'Zoe');
    assert.deepEqual(
      (await namesOf(context.db, player.key)).map(({ name }) => name),
      ['Zoe', 'Anna'],
    );
  },
);

for (const survivor of ['a known', 'an unknown'] as const) {
  onEachDatabase(
    `the objectives of a player merged into ${survivor} one show the survivor, also without a place in a team`,
    async (t, url) => {
      const context = await testContext(t, url);
      const objective = { player: person(0), team: 'Red', type: 'flag', name: 'Flag', time: BEGINNING } as const;
      const played = match({ teams: [team('Red', 2), team('Blue', 3)], objectives: [objective] });
      await sendEvents(context, configured('Alpha'), ...(survivor === 'a known' ? [login('Alpha', person(1))] : []));
      const receipts = await sendEvents(
        context,
        ...Array.from({ length: 150 }, () => ({ ...played, id: randomUUID() })),
      );
      await sendEvents(context, event('player.merged', { from: FROM, into: INTO }));
      await finishJobs(context.db);
      const { name } = person(survivor === 'a known' ? 1 : 0);
      for (const receipt of receipts) {
        const { objectives } = (await matchByKey(context.db, keyOf(receipt)!))!;
        assert.deepEqual((JSON.parse(objectives) as { player: unknown }[])[0]!.player, { uuid: INTO, name });
      }
    },
  );
}

const has = (event: GeneratedEvent['event'], uuid: string): boolean => JSON.stringify(event).includes(uuid);
