import assert from 'node:assert/strict';
import { sql } from '#db/sql.ts';
import { pseudonymise } from '#records/pseudonyms.ts';
import { configured, login, person, tell } from '../support/builders.ts';
import { onEachDatabase, testHall } from '../support/hall.ts';

onEachDatabase('players come in under their pseudonyms, whether there are few of them or many', async (t, url) => {
  const hall = await testHall(t, url);
  const { db, clock } = hall;
  await tell(hall, configured('Alpha'));
  const names: string[] = [];
  for (let number = 0; number < 5; number++) {
    const { uuid } = person(number);
    await db.transaction((tx) => pseudonymise(tx, clock.now(), uuid));
    const row = await db.tuple(sql`select name from pseudonyms where original = ${uuid}`);
    names.push(String(row![0]));
    // One who has none comes along, too: those looked for are fewer than those there are in the end, and more at first.
    const [first, last] = [login('Alpha', person(0)), login('Alpha', person(number))];
    await tell(hall, first, last, login('Alpha', person(100 + number)));
  }
  const rows = await db.tuples(sql`select name from players order by key`);
  assert.deepEqual(
    rows.map(([name]) => name),
    names.flatMap((name, number) => [name, `Player${100 + number}`]),
  );
  const told = await db.tuples(sql`select body from ledger where type = 'player.login'`);
  for (let number = 0; number < 5; number++) {
    assert.ok(
      !told.some(([body]) => String(body).includes(person(number).uuid)),
      'the ledger keeps the pseudonym only',
    );
  }
});
