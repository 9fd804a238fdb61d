import assert from 'node:assert/strict';
import { systemClock } from '#platform/clock.ts';
import { exportEvents } from '#events/export.ts';
import { ingestEvents } from '#events/ingest/ingest-events.ts';
import { retractEvents } from '#test/support/jobs.ts';
import { keyOf } from '#platform/ids.ts';
import { databaseLookup } from '#importers/database-lookup.ts';
import { linkPlayer } from '#store/accounts/account-changes.ts';
import { accountById } from '#store/accounts/accounts.ts';
import { namesOf, playerByUuid } from '#store/game/players.ts';
import type { WireEvent } from '#events/schema/index.ts';
import { testApi } from '#test/support/api.ts';
import { account, after, configured, event, login, sendEvents, statistics } from '#test/support/builders.ts';
import { onEachDatabase, twoDatabases } from '#test/support/context.ts';
import { scorehall } from '#test/cli/scorehall.ts';
import { page } from '#test/site/request.ts';

const ANN = '8667ba71-b85a-4004-af54-457a9734eed7';
const BEN = '1111ba71-b85a-4004-af54-457a9734eed7';

const unnamed = (uuid: string): WireEvent =>
  event('player.statistics', { player: { uuid }, gamemode: 'factions', kill_count: 2 });

onEachDatabase('a player without a known name is shown under a short UUID until a name comes', async (t, url) => {
  const { context, get } = await testApi(t, url);
  const { db, clock } = context;
  await sendEvents(context, configured('Alpha'), unnamed(ANN));

  await t.test('in the API, on the site and in the search', async () => {
    const { json } = await get(`/v1/players/${ANN}?fields=factions`);
    assert.deepEqual([json.name, json.uuid, json.factions.kill_count], ['8667ba71-b85a', ANN, 2]);
    for (const text of ['8667ba71-b85a', '8667BA71-B85A', json.id])
      assert.equal((await get(`/v1/players/${text}`)).json.uuid, ANN, text);
    assert.match(await page(context, `/players/${ANN}`), /<h1[^>]*>.*8667ba71-b85a/s);
    assert.match(await page(context, '/search?q=8667ba'), new RegExp(`/players/${ANN}.*8667ba71-b85a`, 's'));
  });

  await t.test('which is no name for importers and accounts', async () => {
    const network = databaseLookup(db, clock);
    assert.deepEqual([await network.nameOf(ANN), await network.observationOf(ANN)], [undefined, undefined]);
    const { id } = await account(context, 'Chosen');
    assert.equal(await db.transaction((tx) => linkPlayer(tx, id, { uuid: ANN, name: 'Chosen' })), undefined);
    await sendEvents(context, unnamed(ANN));
    assert.equal((await accountById(db, id))!.name, 'Chosen');
  });

  const [named] = await sendEvents(context, login('Alpha', { uuid: ANN, name: 'Ann' }, { time: after(-1000) }));

  await t.test('the first name replaces it, and no later event without a name takes that away', async () => {
    await sendEvents(context, unnamed(ANN));
    const { json } = await get(`/v1/players/${ANN}?fields=factions`);
    assert.deepEqual([json.name, json.factions.kill_count], ['Ann', 6]);
    const names = await namesOf(db, (await playerByUuid(db, ANN))!.key);
    assert.deepEqual(
      names.map(({ name }) => name),
      ['Ann'],
    );
    const found = await page(context, '/search?q=8667ba71-b85a');
    assert.ok(found.includes('<bdi>Ann</bdi>') && !found.includes('formerly'), 'the short UUID still finds the player');
  });

  await t.test('withdrawing the name brings it back', async () => {
    await retractEvents(db, clock, [keyOf(named!)!]);
    assert.equal((await get(`/v1/players/${ANN}`)).json.name, '8667ba71-b85a');
  });

  await t.test('a merge shows the short form of the UUID that remains', async () => {
    await sendEvents(context, event('player.merged', { from: ANN, into: BEN }));
    assert.equal((await get(`/v1/players/${ANN}`)).json.name, '1111ba71-b85a');
    await sendEvents(context, unnamed(ANN));
    const { json } = await get(`/v1/players/${BEN}?fields=factions`);
    assert.deepEqual([json.name, json.factions.kill_count], ['1111ba71-b85a', 8]);
    assert.equal((await get('/v1/players/1111ba71-b85a')).json.uuid, BEN);
  });
});

onEachDatabase('an export keeps a player without a name, with the same id', async (t, _url, dialect) => {
  const [one, other] = await twoDatabases(t, dialect);
  const clock = { ...systemClock, now: () => Date.parse(after(0)) };
  await sendEvents({ db: one, clock }, configured('Alpha'));
  const [, receipt] = await sendEvents({ db: one, clock }, unnamed(ANN), statistics({ uuid: ANN, name: 'Ann' }));
  const [first] = await sendEvents({ db: one, clock }, unnamed(BEN));
  await sendEvents({ db: one, clock }, unnamed(BEN));
  await retractEvents(one, clock, [keyOf(receipt!)!, keyOf(first!)!]);
  const events = await Array.fromAsync(exportEvents(one));
  assert.ok(
    events.some(({ type, data }) => type === 'player.known' && !('name' in (data as { player: object }).player)),
  );
  const receipts = await ingestEvents(other, clock, { kind: 'operator' }, events);
  assert.deepEqual(
    receipts.filter(({ status }) => status !== 'accepted'),
    [],
  );
  for (const uuid of [ANN, BEN])
    assert.deepEqual(await playerByUuid(other, uuid), await playerByUuid(one, uuid), 'name and key are the same');
});

onEachDatabase('an account is created for a player without a name under the chosen name', async (t, url) => {
  const { context } = await testApi(t, url);
  await sendEvents(context, unnamed(ANN));
  const environment = { DATABASE_URL: url, SECRET_KEY: context.config.SECRET_KEY };
  const options = ['--name', 'Chosen', '--email', 'a@example.org', '--uuid', ANN, '--json'];
  const { status, out, err } = await scorehall(environment, 'account', 'create', ...options);
  assert.deepEqual([status, err], [0, '']);
  assert.equal((JSON.parse(out) as { name: string }).name, 'Chosen');
});
