import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/sql.ts';
import { deleteAccount } from '#store/accounts/account-deletions.ts';
import { deleteApplication } from '#store/applications/applications.ts';
import { playerByUuid } from '#store/game/players.ts';
import { findByWord, type SearchKind } from '#store/search-terms.ts';
import { account, application, configured, event, map, person, sendEvents } from '#test/support/builders.ts';
import { createTestDatabase, onEachDatabase, testContext } from '#test/support/context.ts';

onEachDatabase('a word of a name, an address or a UUID finds what has it, until it is gone', async (t, url) => {
  const context = await testContext(t, url);
  const { db, clock } = context;
  const found = async (kind: SearchKind, text: string) => await findByWord(db, kind, text, 9);
  const { id } = await account(context, 'Ann_Teak');
  const { client_id } = await application(context, { name: 'Pocket Scores' });
  const { uuid } = person(1);
  await sendEvents(
    context,
    configured('Alpha East'),
    map('Twin Peaks'),
    event('player.named', { player: { uuid, name: 'Grey_Wolf' } }, { time: new Date(1).toISOString() }),
    event('player.named', { player: { uuid, name: 'Red_Fox' } }),
  );
  const player = String((await playerByUuid(db, uuid))!.key);
  for (const text of ['ann', 'TEAK', 'ann_t', 'Ann_Teak@', 'example.org', 'org'])
    assert.deepEqual(await found('account', text), [id], text);
  for (const text of ['pock', 'SCORES', 'pocket sc']) assert.deepEqual(await found('application', text), [client_id]);
  for (const text of ['grey', 'WOLF', 'red_f', 'fox', uuid.slice(0, 30), uuid.replaceAll('-', '').toUpperCase()])
    assert.deepEqual(await found('player', text), [player], text);
  await sendEvents(
    context,
    event('player.statistics', { player: { uuid: person(2).uuid }, gamemode: 'factions', kill_count: 2 }),
  );
  assert.deepEqual(await db.tuples(sql`select ref from search_terms where term = ''`), [], 'a player without a name');
  assert.equal((await found('server', 'east')).length, 1);
  assert.equal((await found('map', 'PEAK')).length, 1);
  for (const text of ['eak', 'lpha', '%', '\u{10ffff}'])
    for (const kind of ['account', 'application', 'player', 'server', 'map'] as const)
      assert.deepEqual(await found(kind, text), [], `${kind} ${text}`);

  await db.run(sql`update applications set name = 'Board' where client_id = ${client_id}`);
  assert.deepEqual([await found('application', 'pocket'), await found('application', 'board')], [[], [client_id]]);
  await deleteApplication(db, client_id);
  assert.deepEqual(await found('application', 'board'), []);
  await deleteAccount(db, clock.now(), id);
  assert.deepEqual(await found('account', 'ann'), []);
  await db.run(sql`delete from player_names where name_key = 'grey_wolf'`);
  assert.deepEqual([await found('player', 'wolf'), await found('player', 'fox')], [[], [player]]);
});

test('the search reads one range of the primary key', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.after(() => database.drop());
  const { db } = await testContext(t, database.url);
  const plan = await db.tuples(sql`
    explain query plan
    select term, ref, source from search_terms
    where kind = ${'map'} and (term, ref, source) > (${'a'}, ${''}, ${''}) and term < ${'b'}
    order by term, ref, source limit 9`);
  assert.deepEqual(
    plan.map((row) => row.at(-1)),
    ['SEARCH search_terms USING PRIMARY KEY (kind=? AND (term,ref,source)>(?,?,?) AND term<?)'],
  );
});
