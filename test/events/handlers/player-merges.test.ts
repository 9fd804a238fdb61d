import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { idOf, keyOf } from '#platform/ids.ts';
import { sql } from '#db/sql.ts';
import { findPlayer, namesOf, type PlayerName, playerByUuid } from '#store/game/players.ts';
import { pseudonymise } from '#store/accounts/pseudonyms.ts';
import { withdrawEvents } from '#events/retract.ts';
import { DIALECTS, onEachDatabase, testHall, twoDatabases } from '#test/support/context.ts';
import { configured, event, login, match, person, team, tell } from '#test/support/builders.ts';
import { likenessOf } from '../canonical-dump.ts';
import { season, type Told } from '../generated-history.ts';
import { tellSeason } from '../ingest-history.ts';

const FROM = person(0).uuid;
const INTO = person(1).uuid;

/** What was told keeps the UUID that it was told with. */
const TOLD = ['match_details', 'ledger', 'kills'];

for (const dialect of DIALECTS) {
  test(`a player merged into another has always been that other (${dialect})`, async (t) => {
    const [one, other] = await twoDatabases(t, dialect);
    await fc.assert(
      fc.asyncProperty(season, fc.nat(25), fc.integer({ min: 1, max: 5 }), async (events, place, batches) => {
        const told = events.filter(({ event }) => !(has(event, FROM) && has(event, INTO)));
        const merge: Told = {
          sender: 'operator',
          event: event('player.merged', { from: FROM, into: INTO }, { id: 'merge', time: '2026-02-01T00:00:00Z' }),
        };
        await tellSeason(one, told.toSpliced(place, 0, merge), batches);
        const renamed = told.map((one) => JSON.parse(JSON.stringify(one).replaceAll(FROM, INTO)) as Told);
        await tellSeason(other, renamed, batches);
        const [found, wanted] = [await likenessOf(one), await likenessOf(other)];
        for (const table of Object.keys(wanted)) {
          if (!TOLD.includes(table)) assert.deepEqual(found[table], wanted[table], table);
        }
      }),
      { numRuns: dialect === 'sqlite' ? 60 : 20 },
    );
  });
}

onEachDatabase('whoever knows the id of a merged player finds the one it was merged into', async (t, url) => {
  const hall = await testHall(t, url);
  await tell(hall, configured('Alpha'), login('Alpha', person(0)), login('Alpha', person(1)));
  const id = idOf((await playerByUuid(hall.db, FROM))!.key);
  await tell(hall, event('player.merged', { from: FROM, into: INTO }));
  assert.equal((await findPlayer(hall.db, id))!.uuid, INTO);
  assert.equal(await findPlayer(hall.db, idOf(keyOf(id)! + 1)), undefined);
});

for (const when of ['before', 'after'] as const) {
  onEachDatabase(
    `who played a match under several UUIDs that were merged ${when} it keeps all names, whatever else is withdrawn`,
    async (t, url) => {
      const hall = await testHall(t, url);
      const names = ['One', 'Two', 'Three', 'Two', 'One'];
      const persons = names.map((name, number) => person(number, name));
      const merges = [1, 2, 3, 4].map((number) => event('player.merged', { from: person(number).uuid, into: FROM }));
      const played = match({ teams: [team('Red', ...persons.slice(0, 2)), team('Blue', ...persons.slice(2))] });
      await tell(hall, configured('Alpha'));
      const [gone = ''] = await tell(hall, login('Alpha', persons[0]!));
      await tell(hall, ...(when === 'before' ? [...merges, played] : [played, ...merges]));
      const { key } = (await playerByUuid(hall.db, FROM))!;
      await withdrawEvents(hall.db, hall.clock, [keyOf(gone)!]);
      assert.deepEqual((await namesOf(hall.db, key)).map(({ name }) => name).sort(), [...new Set(names)].sort());

      // Of someone who is nobody's any more there is one name.
      await hall.db.transaction((tx) => pseudonymise(tx, hall.clock.now(), FROM));
      const [{ name: pseudonym }, ...others] = (await namesOf(hall.db, key)) as [PlayerName, ...PlayerName[]];
      assert.match(pseudonym, /^deleted-/);
      assert.deepEqual(others, []);
      const sightings = await hall.db.tuples(sql`select name from name_observations where player_key = ${key}`);
      assert.ok(sightings.every(([name]) => name === pseudonym));
    },
  );
}

const has = (event: Told['event'], uuid: string): boolean => JSON.stringify(event).includes(uuid);
